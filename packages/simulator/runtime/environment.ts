import { types } from 'node:util';
import type { Random } from '../engine/random.js';
import { type CodeUnderTest, enterCode, runWork } from '../engine/turn.js';
import type { Bundle, BundleFiles } from './bundle.js';
import { describeError, Ended, HEADINGS } from './faults-of-code.js';
import { Scratch } from './filesystem.js';
import { callHandler, checkHandler, EXPORTS_LATER, exportOf, type Handler, HandlerNotFound } from './handler.js';
import type { HttpRequest, ResponseHandler } from './http.js';
import { Leftovers } from './leftovers.js';
import { type Externals, provideGlobals } from './provided.js';
import { Timers } from './timers.js';

/** Resources that the world provides to an execution environment. */
export interface EnvironmentHost {
  /** Returns the time of its clock: milliseconds since 1970. */
  now(): number;
  /** Start time, by that clock. */
  readonly begun: number;
  /** @returns a function that cancels it */
  after(delay: number, run: () => void): () => void;
  /** Called before its code runs, which may leave pending promises. */
  enter(): void;
  readonly random: Random;
  /** Whether it is no history, so that random numbers may come from the machine where a seed can't decide them. @default false */
  readonly isReal?: boolean;
  send(request: HttpRequest, reply: ResponseHandler): void;
  log(level: string, line: string): void;
  /** Called when its code has ended it: by a fault that nothing caught, or by `process.exit`. @param reason for people */
  onDeath(reason: string): void;
}

export interface InvocationContext {
  readonly requestId: string;
  /** Tracing header (`_X_AMZN_TRACE_ID`). */
  readonly trace?: string | undefined;
  readonly functionName: string;
  readonly functionArn: string;
  readonly memoryMegabytes: number;
  /** Virtual time at which it times out, milliseconds since 1970. */
  readonly deadline: number;
}

/** Outcome of an invocation: a value as JSON, or an error with its name and message. */
export type InvocationEnding =
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly name: string; readonly message: string };

/** An environment whose code runs, in this thread or elsewhere. */
export interface RunningCode {
  /** @param ended called once, unless the environment is killed before */
  invoke(event: unknown, context: InvocationContext, ended: (ending: InvocationEnding) => void): void;
  /** Kills the environment during its work: none of its code has an effect any more. */
  kill(): void;
  /** @see Environment.isAsNew */
  readonly isAsNew: boolean;
  /** Whether it was killed, or the thread that ran it ended. */
  readonly isDead: boolean;
}

/** Code that an environment loads. */
export interface FunctionCode {
  /** Path of its function's construct. */
  readonly label: string;
  readonly bundle: Bundle;
  readonly variables: Readonly<Record<string, string>>;
  /** As in the template: `index.handler`. */
  readonly handler: string;
}

/** Starts environments elsewhere. An invocation of code that can't be loaded ends with what its module threw. */
export interface CodeHost {
  start(code: FunctionCode, around: EnvironmentHost): RunningCode;
}

/** Bytes of the largest key, hash or nonce: whoever draws more at once keeps some for later. */
const LARGEST_KEY = 64;

/**
 * One execution environment of a function: the real bundle, with its own module state, environment variables, clock,
 * timers and random numbers. It runs one invocation at a time.
 *
 * AWS, "Understanding the Lambda execution environment lifecycle".
 */
export class Environment implements RunningCode, CodeUnderTest {
  private readonly timers: Timers;
  private readonly externals: Externals;
  private readonly env: Record<string, string>;
  /** Its `/tmp`. */
  private readonly scratch = new Scratch();
  private readonly leftovers = new Leftovers((error) => this.fails(error, 'exception'));
  private handler: Handler | undefined;
  private dead = false;
  private requests = 0;
  /** Works of other threads that it awaits. */
  private works = 0;
  private endsWhenIdle = false;
  private triedAgain = false;
  private askedForKeys = false;
  private metConflict = false;
  /**
   * Whether its module may keep something of this history: random numbers or answers from when it was loaded, or more random numbers than
   * anything needs at once.
   */
  private keepsSomething = false;
  /** Becomes the handler of a module with a top-level `await`. */
  private loading: Promise<void> | undefined;
  /** Random bytes of which its module may have kept the rest, until it overwrites them with zeros. */
  private pools: Uint8Array[] = [];
  /** Ending of an invocation that comes after the death of the environment. */
  private obituary: InvocationEnding = { kind: 'threw', name: 'Runtime.ExitError', message: 'signal: killed' };
  /** Callback of the current invocation; a killed environment calls none. */
  private ended: ((ending: InvocationEnding) => void) | undefined;

  constructor(
    private readonly bundle: Bundle,
    private readonly variables: Readonly<Record<string, string>>,
    private around: EnvironmentHost,
    private readonly files: BundleFiles | undefined = bundle.files,
  ) {
    this.timers = new Timers({
      after: (delay, run) =>
        this.around.after(delay, () => {
          if (!this.dead) this.runs(run);
        }),
    });
    this.env = { ...variables };
    this.externals = {
      env: () => this.env,
      random: () => this.around.random,
      drew: (bytes) => {
        // A live environment serves no other history.
        if (bytes.length > LARGEST_KEY && this.around.isReal !== true && !this.pools.some(isSame(bytes)))
          this.pools.push(bytes);
      },
      folders: {
        scratch: () => this.scratch,
        task: () => this.files?.task,
        layers: () => this.files?.layers ?? [],
      },
      isReal: () => this.around.isReal === true,
      now: () => this.around.now(),
      begun: () => this.around.begun,
      log: (level, line) => this.dead || this.around.log(level, line),
      exit: (code) => this.exits(code),
      work: (begin) => {
        this.works++;
        runWork((done) =>
          begin((tell) => {
            this.works--;
            if (!this.dead) this.runs(tell);
            done();
          }),
        );
      },
      send: (request, reply) => this.send(request, reply),
      timers: this.timers,
      leftovers: this.leftovers,
    };
  }

  /**
   * Moves the environment into another history, as if it had just been initialised; its module keeps state from the
   * earlier one.
   * @see Recycled
   */
  moveTo(around: EnvironmentHost): void {
    this.around = around;
  }

  /**
   * Whether it may serve another history: it has nothing in progress or planned, and its code has nothing in memory that
   * another history would not have. A module may keep a pool of random bytes, as npm's uuid does; one of zeros is empty. Clients of the SDK count their retries (retry tokens). Code may keep a key of KMS, or
   * remember that it met another transaction.
   */
  get isAsNew(): boolean {
    this.keepsSomething ||= this.pools.some((bytes) => bytes.some((byte) => byte !== 0));
    this.pools = [];
    const { dead, triedAgain, askedForKeys, metConflict, keepsSomething, ended, timers, requests } = this;
    const remembers =
      this.scratch.isUsed || this.leftovers.hasHooks || triedAgain || askedForKeys || metConflict || keepsSomething;
    return !dead && !remembers && ended === undefined && timers.pending === 0 && requests === 0;
  }

  get isDead(): boolean {
    return this.dead;
  }

  /**
   * Loads the module, as a cold start does.
   * @throws what the module throws
   * @param handler as in the template: `index.handler`
   */
  init(handler: string): void {
    try {
      this.begin(handler);
    } catch (error) {
      this.kill();
      throw error;
    }
  }

  private begin(handler: string): void {
    const before = this.enter();
    const { random } = this.around;
    const { drawCount: drawn } = random;
    let exported: Readonly<Record<string, unknown>>;
    try {
      exported = this.load();
    } finally {
      // It begins in the turn of the invocation that made room for it, if there is one.
      if (before) enterCode(before);
    }
    this.keepsSomething ||= random.drawCount !== drawn || this.requests > 0;
    if (this.dead) throw new Ended('Runtime.ExitError', 'the process ended while its module was loaded');
    const later = exported[EXPORTS_LATER];
    if (!types.isPromise(later)) {
      this.take(handler, exported);
      return;
    }
    this.keepsSomething = true;
    this.loading = later.then((found) => this.take(handler, found as typeof exported));
    // An invocation tells of its failure.
    this.loading.catch(() => undefined);
  }

  /** Finds the handler among the exports. @throws if there is none */
  private take(handler: string, exported: Readonly<Record<string, unknown>>): void {
    const found = exportOf(handler)
      .split('.')
      .reduce<unknown>((at, name) => (at as Readonly<Record<string, unknown>> | undefined)?.[name], exported);
    if (typeof found !== 'function') throw new HandlerNotFound(handler);
    checkHandler(found as Handler, this.variables.AWS_EXECUTION_ENV);
    this.handler = found as Handler;
  }

  private load(): Readonly<Record<string, unknown>> {
    const { globals, require } = provideGlobals(this.externals, this.bundle.realm);
    const sources = { now: () => this.around.now(), random: () => this.around.random.fraction() };
    return this.bundle.load(globals, sources, require, this.files?.folder);
  }

  /** @param ended called once, unless the environment is killed before */
  invoke(event: unknown, context: InvocationContext, ended: (ending: InvocationEnding) => void): void {
    if (this.dead) {
      ended(this.obituary);
      return;
    }
    if (!(this.handler || this.loading) || this.ended)
      throw new Error('an environment handles one invocation at a time, once it is initialised');
    this.ended = ended;
    this.runs(() => this.timers.thaw());
    // A timer of an earlier invocation may have ended it.
    if (this.dead) return;
    if (this.handler) this.call(this.handler, event, context);
    else
      this.loading?.then(
        () => this.runs(() => this.handler && this.ended === ended && this.call(this.handler, event, context)),
        (error: unknown) => this.fails(error, 'exception'),
      );
  }

  private call(handler: Handler, event: unknown, context: InvocationContext): void {
    const { around } = this;
    const { requestId, functionName, functionArn, memoryMegabytes, deadline, trace } = context;
    if (trace !== undefined) this.env._X_AMZN_TRACE_ID = trace;
    const lambdaContext = {
      awsRequestId: requestId,
      functionName,
      invokedFunctionArn: functionArn,
      functionVersion: '$LATEST',
      memoryLimitInMB: String(memoryMegabytes),
      logGroupName: this.variables.AWS_LAMBDA_LOG_GROUP_NAME,
      logStreamName: this.variables.AWS_LAMBDA_LOG_STREAM_NAME,
      callbackWaitsForEmptyEventLoop: true,
      getRemainingTimeInMillis: () => Math.max(0, deadline - around.now()),
    };
    // A function's input and output are JSON: no object of its realm leaks.
    const input = JSON.parse(JSON.stringify(event));
    callHandler(handler, input, lambdaContext, this.variables.AWS_EXECUTION_ENV, {
      returns: (value) => this.returns(value),
      fails: (error) => this.fails(error, 'handler'),
      awaitsEmptyLoop: () => {
        this.endsWhenIdle = true;
        this.endIfIdle();
      },
    });
  }

  /** Ends an invocation that has no promise and has called nothing back, once its code has nothing under way. */
  private endIfIdle(): void {
    if (!this.endsWhenIdle || this.isBusy) return;
    // After the microtasks that its code has left, which may begin something.
    this.around.after(1, () => {
      if (this.endsWhenIdle && !this.isBusy) this.returns(null);
    });
  }

  private get isBusy(): boolean {
    return this.requests > 0 || this.works > 0 || this.timers.pending > 0;
  }

  private returns(value: unknown): void {
    let json: string;
    try {
      json = JSON.stringify(value) ?? 'null';
    } catch {
      this.fails(new Error('Unable to stringify response body'), 'handler');
      return;
    }
    this.end({ kind: 'returned', value: JSON.parse(json) });
  }

  /**
   * Fails the invocation under way. What nothing in its code has caught ends the environment too, as Lambda's runtime for
   * Node.js does: aws/aws-lambda-nodejs-runtime-interface-client, `src/index.mjs`, exits after it has posted the error.
   */
  fails(error: unknown, origin: 'handler' | 'exception' | 'rejection'): void {
    if (this.dead) return;
    const { name, message, stack } = describeError(error);
    const isRejection = origin === 'rejection';
    const errorType = isRejection ? 'Runtime.UnhandledPromiseRejection' : name;
    const errorMessage = isRejection ? `${name}: ${message}` : message;
    const shown = { errorType, errorMessage, stack: this.ownFrames(stack) };
    this.around.log('error', `${HEADINGS[origin]} ${JSON.stringify(shown)}`);
    const ending: InvocationEnding = { kind: 'threw', name: errorType, message: errorMessage };
    if (origin === 'handler') this.end(ending);
    else this.dies(ending, `${HEADINGS[origin]}: ${name}: ${message}`);
  }

  /** Returns the lines of a stack without those of Node and of the simulator, which differ from play to play. */
  private ownFrames(stack: string | undefined): readonly string[] | undefined {
    const files = [`${this.bundle.name}.js:`, 'packages.js:'];
    const isOfCode = (line: string): boolean => !/^ +at /.test(line) || files.some((file) => line.includes(file));
    return stack?.split('\n').filter(isOfCode);
  }

  /** Ends by `process.exit`, which doesn't return. */
  private exits(code: number): never {
    const message = `Runtime exited with error: exit status ${code}`;
    this.dies({ kind: 'threw', name: 'Runtime.ExitError', message }, message);
    throw new Ended('Runtime.ExitError', message);
  }

  private dies(ending: InvocationEnding, reason: string): void {
    if (this.dead) return;
    const { ended } = this;
    this.kill();
    this.obituary = ending;
    this.around.onDeath(reason);
    ended?.(ending);
  }

  /** Runs code of its own. What it throws ends the environment, not the world around it. */
  private runs(code: () => void): void {
    this.enter();
    try {
      code();
    } catch (error) {
      this.fails(error, 'exception');
    }
    this.endIfIdle();
  }

  /** Kills the environment during its work: none of its code runs any more. */
  kill(): void {
    this.dead = true;
    this.ended = undefined;
    this.timers.clearAll();
    this.scratch.remove();
    this.leftovers.remove();
  }

  /** @returns the code that was entered before in this turn */
  private enter(): CodeUnderTest | undefined {
    this.bundle.packages?.enter(this.externals);
    this.around.enter();
    return enterCode(this);
  }

  private end(ending: InvocationEnding): void {
    const { ended } = this;
    if (this.dead || !ended) return;
    this.ended = undefined;
    this.endsWhenIdle = false;
    this.timers.freeze();
    const polluted = this.bundle.cleaned();
    if (polluted === undefined) ended(ending);
    else ended({ kind: 'threw', name: 'PrototypePolluted', message: `every object has a member ${polluted}` });
  }

  private send(request: HttpRequest, reply: ResponseHandler): void {
    if (this.dead) return;
    this.requests++;
    // `amz-sdk-request: attempt=2; max=3`
    this.triedAgain ||= /attempt=(?!1\b)/.test(request.headers['amz-sdk-request'] ?? '');
    this.askedForKeys ||= /^TrentService\./.test(request.headers['x-amz-target'] ?? '');
    const alive = (tell: () => void): void => {
      if (this.dead) return;
      this.requests--;
      this.runs(tell);
    };
    this.around.send(request, {
      answer: (response) => {
        this.metConflict ||= response.status === 400 && response.body.includes('TransactionConflict');
        alive(() => reply.answer(response));
      },
      fail: (code) => alive(() => reply.fail(code)),
    });
  }
}

/** Tells whether two views are of the same bytes: each call of the generator makes a view of its own. */
const isSame =
  ({ buffer, byteOffset, length }: Uint8Array) =>
  (other: Uint8Array): boolean =>
    other.buffer === buffer && other.byteOffset === byteOffset && other.length === length;
