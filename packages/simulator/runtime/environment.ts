import type { Random } from '../world/random.js';
import type { Bundle } from './bundle.js';
import type { HttpRequest, Reply } from './http.js';
import { type Outside, providedBy } from './provided.js';
import { Timers } from './timers.js';

/** Resources that the world provides to an execution environment. */
export interface Surroundings {
  /** Returns the time of its clock: milliseconds since 1970. */
  now(): number;
  /** Start time, by that clock. */
  readonly begun: number;
  /** @returns a function that cancels it */
  after(delay: number, run: () => void): () => void;
  /** Called before its code runs, which may leave pending promises. */
  enter(): void;
  readonly random: Random;
  send(request: HttpRequest, reply: Reply): void;
  log(level: string, line: string): void;
}

export interface InvocationContext {
  readonly requestId: string;
  readonly functionName: string;
  readonly functionArn: string;
  readonly memoryMegabytes: number;
  /** Virtual time at which it times out, milliseconds since 1970. */
  readonly deadline: number;
}

/** Outcome of an invocation: a value as JSON, or an error with its name and message. */
export type Ending =
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly name: string; readonly message: string };

/** An environment whose code runs, in this thread or elsewhere. */
export interface RunningCode {
  /** @param ended called once, unless the environment is killed before */
  invoke(event: unknown, context: InvocationContext, ended: (ending: Ending) => void): void;
  /** Kills the environment during its work: none of its code has an effect any more. */
  kill(): void;
  /** @see Environment.isAsNew */
  readonly isAsNew: boolean;
  /** Whether it was killed, or the thread that ran it ended. */
  readonly isDead: boolean;
}

/** Code that an environment loads. */
export interface Loaded {
  /** Path of its function's construct. */
  readonly label: string;
  readonly bundle: Bundle;
  readonly variables: Readonly<Record<string, string>>;
  /** As in the template: `index.handler`. */
  readonly handler: string;
}

/** Starts environments elsewhere. An invocation of code that can't be loaded ends with what its module threw. */
export interface CodeHost {
  start(code: Loaded, around: Surroundings): RunningCode;
}

type Handler = (event: unknown, context: object) => unknown;

/**
 * One execution environment of a function: the real bundle, with its own module state, environment variables, clock,
 * timers and random numbers. It runs one invocation at a time.
 *
 * AWS, "Understanding the Lambda execution environment lifecycle".
 */
export class Environment implements RunningCode {
  private readonly timers: Timers;
  private readonly outside: Outside;
  private handler: Handler | undefined;
  private dead = false;
  private requests = 0;
  private triedAgain = false;
  private askedForKeys = false;
  private metConflict = false;
  /** Callback of the current invocation; a killed environment calls none. */
  private ended: ((ending: Ending) => void) | undefined;

  constructor(
    private readonly bundle: Bundle,
    variables: Readonly<Record<string, string>>,
    private around: Surroundings,
  ) {
    this.timers = new Timers({
      after: (delay, run) =>
        this.around.after(delay, () => {
          if (this.dead) return;
          this.enter();
          run();
        }),
    });
    const env = { ...variables };
    this.outside = {
      env: () => env,
      random: () => this.around.random,
      now: () => this.around.now(),
      begun: () => this.around.begun,
      log: (level, line) => this.dead || this.around.log(level, line),
      exit: () => this.end({ kind: 'threw', name: 'Runtime.ExitError', message: 'the process ended' }),
      send: (request, reply) => this.send(request, reply),
      timers: this.timers,
    };
  }

  /**
   * Moves the environment into another history, as if it had just been initialised; its module keeps state from the
   * earlier one.
   * @see Recycled
   */
  moveTo(around: Surroundings): void {
    this.around = around;
  }

  /**
   * Whether it may serve another history: it has nothing in progress or planned, and its code has nothing in memory that
   * another history would not have. Clients of the SDK count their retries (retry tokens). Code may keep a key of KMS, or
   * remember that it met another transaction.
   */
  get isAsNew(): boolean {
    const { dead, triedAgain, askedForKeys, metConflict, ended, timers, requests } = this;
    const remembers = triedAgain || askedForKeys || metConflict;
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
    this.enter();
    const { globals, require } = providedBy(this.outside);
    const sources = { now: () => this.around.now(), random: () => this.around.random.fraction() };
    const exported = this.bundle.load(globals, sources, require);
    const found = exported[handler.slice(handler.indexOf('.') + 1)];
    if (typeof found !== 'function')
      throw new Error(`Runtime.HandlerNotFound: ${handler} is undefined or not exported`);
    this.handler = found as Handler;
  }

  /** @param ended called once, unless the environment is killed before */
  invoke(event: unknown, context: InvocationContext, ended: (ending: Ending) => void): void {
    const { handler, around } = this;
    if (!handler || this.ended)
      throw new Error('an environment handles one invocation at a time, once it is initialised');
    this.ended = ended;
    this.enter();
    this.timers.thaw();
    const { requestId, functionName, functionArn, memoryMegabytes, deadline } = context;
    const lambdaContext = {
      awsRequestId: requestId,
      functionName,
      invokedFunctionArn: functionArn,
      functionVersion: '$LATEST',
      memoryLimitInMB: String(memoryMegabytes),
      logGroupName: `/aws/lambda/${functionName}`,
      logStreamName: 'simulated',
      callbackWaitsForEmptyEventLoop: true,
      getRemainingTimeInMillis: () => Math.max(0, deadline - around.now()),
    };
    // A function's input and output are JSON: no object of its realm leaks.
    const input = JSON.parse(JSON.stringify(event));
    new Promise((resolve) => resolve(handler(input, lambdaContext))).then(
      (value) => this.end({ kind: 'returned', value: value === undefined ? null : JSON.parse(JSON.stringify(value)) }),
      (error) =>
        this.end({ kind: 'threw', name: String(error?.name ?? 'Error'), message: String(error?.message ?? error) }),
    );
  }

  /** Kills the environment during its work: none of its code runs any more. */
  kill(): void {
    this.dead = true;
    this.ended = undefined;
    this.timers.clearAll();
  }

  private enter(): void {
    this.bundle.packages?.enter(this.outside);
    this.around.enter();
  }

  private end(ending: Ending): void {
    const { ended } = this;
    if (this.dead || !ended) return;
    this.ended = undefined;
    this.timers.freeze();
    const polluted = this.bundle.cleaned();
    if (polluted === undefined) ended(ending);
    else ended({ kind: 'threw', name: 'PrototypePolluted', message: `every object has a member ${polluted}` });
  }

  private send(request: HttpRequest, reply: Reply): void {
    if (this.dead) return;
    this.requests++;
    // `amz-sdk-request: attempt=2; max=3`
    this.triedAgain ||= /attempt=(?!1\b)/.test(request.headers['amz-sdk-request'] ?? '');
    this.askedForKeys ||= /^TrentService\./.test(request.headers['x-amz-target'] ?? '');
    const alive = (tell: () => void): void => {
      if (this.dead) return;
      this.requests--;
      this.enter();
      tell();
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
