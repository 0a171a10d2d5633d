import type { Resource } from '../../assembly/assembly.js';
import { countByMinute } from '../../engine/count-by-minute.js';
import type { EventLoop } from '../../engine/event-loop.js';
import { type FaultPlan, INVOCATION_FAULTS, type InvocationTrouble } from '../../engine/faults.js';
import type { Bundle } from '../../runtime/bundle.js';
import type { CodeHost, EnvironmentHost, InvocationEnding } from '../../runtime/environment.js';
import type { HttpRequest, ResponseHandler } from '../../runtime/http.js';
import type { Recording, RecordingLookup } from '../../runtime/recording.js';
import { EnvironmentPool } from '../../runtime/recycled.js';
import type { Concurrency, SharedConcurrency } from './concurrency.js';
import { type Caller, Sandbox } from './sandbox.js';
import { traceHeader } from './tracing.js';

/** Outcome of an invocation for its caller. */
export type InvocationResult =
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly name: string; readonly message: string }
  | { readonly kind: 'throttled' };

/** Names of the errors by which Lambda ends an invocation itself. */
const CUT_OFF: ReadonlySet<string> = new Set(['Sandbox.Timedout', 'Runtime.ExitError']);

/** A log line of a function. */
export interface LogLine {
  readonly at: number;
  readonly fn: string;
  readonly level: string;
  readonly text: string;
}

/** Limits of one function's environments on a machine of few cores. Times are in milliseconds. */
export interface EnvironmentLimits {
  readonly most: number;
  readonly patience: number;
  readonly spare: number;
}

/** An invocation that has ended. */
export interface Invocation {
  readonly fn: string;
  /** Milliseconds since 1970, as `ended`. */
  readonly began: number;
  readonly ended: number;
  readonly result: InvocationResult;
  /** The last line that the function logged in it, except metrics. */
  readonly logged: string | undefined;
}

export interface LambdaSettings {
  readonly world: EventLoop;
  readonly faults: FaultPlan;
  /** Answers the requests of functions. */
  readonly send: (caller: Caller, request: HttpRequest, reply: ResponseHandler) => void;
  readonly log: (line: LogLine) => void;
  /** Concurrency shared by all functions that have reserved none. */
  readonly shared: SharedConcurrency;
  /** Maximum difference between an environment's clock and the world's, milliseconds. @default 0 */
  readonly clockSkew?: number;
  /** Probability of a new environment although an idle one is available. @default 0 */
  readonly coldness?: number;
  /** Environments to use instead of new ones, as long as there are some. @default none */
  readonly recycled?: EnvironmentPool;
  /** Called with each invocation that has ended. @default nobody */
  readonly onInvocationEnd?: ((invocation: Invocation) => void) | undefined;
  /** Runs the code elsewhere. @default in this thread */
  readonly host?: CodeHost | undefined;
  /**
   * Number of environments at once, how long (milliseconds) an invocation waits for a busy one before another is started, and
   * how long an idle one is kept beside another. @default any number, at once, as on AWS
   */
  readonly environments?: EnvironmentLimits | undefined;
  /** Records what invocations do. @default no recording */
  readonly recording?: Recording | undefined;
  /** Recorded invocations that may be replayed instead of running code. @default none */
  readonly replays?: RecordingLookup | undefined;
}

/** Parts of a function that a deployment changes. */
export interface FunctionUpdate {
  /** @default the code stays */
  readonly bundle?: Bundle;
  /** All environment variables that its template sets. @default they stay */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Milliseconds from the beginning of an invocation to a crash; consumers need about as long for a message. */
const MAX_MS_BEFORE_CRASH = 40;

/** Environments of bundles that histories deploy by updates. */
const environmentsOf = new WeakMap<Bundle, EnvironmentPool>();

/** AWS doesn't document how long an idle environment is kept; observers report minutes to hours. */
const KEPT_IDLE = 15 * 60_000;

/**
 * A function with its execution environments. AWS, "Understanding the Lambda execution environment lifecycle" and
 * "Understanding Lambda function scaling".
 */
export class LambdaFunction {
  readonly timeout: number;
  readonly role: string;
  /** End of an outage (milliseconds since 1970), such as a bad deployment: until then all invocations fail. */
  failsUntil = 0;
  invocations = 0;
  /** Invocations that have begun and not ended. */
  running = 0;
  /** Invocations by the minute (milliseconds since 1970) in which they began, for three hours. */
  readonly invokedAt = new Map<number, number>();
  /** The same for those that ended with an error: of the code, a timeout or an exit. Not for those that were throttled. */
  readonly failedAt = new Map<number, number>();
  calls = 0;
  private readonly idle: Sandbox[] = [];
  private concurrency: Concurrency;
  private own: Readonly<Record<string, string>>;
  /** Code of its newest update; nothing before that. */
  private updated: Bundle | undefined;
  /** Whether its variables are still the deployment's: only then its environments fit other histories. */
  private hasOwnVariables = true;
  private environments = 0;
  private isReserved: boolean;
  private logged: string | undefined;
  private readonly lineListeners = new Set<(text: string) => void>();
  private generation = 0;
  private busy = 0;
  /** Invocations that wait for an environment. */
  private readonly waiting: (() => void)[] = [];

  constructor(
    readonly resource: Resource,
    /** Called when there is code to run: most functions of a history never run. */
    private bundle: () => Bundle,
    private readonly settings: LambdaSettings,
  ) {
    const { properties } = resource;
    this.timeout = Number(properties.Timeout ?? 3) * 1000;
    this.role = String(properties.Role);
    const { ReservedConcurrentExecutions: reserved } = properties;
    this.concurrency = reserved === undefined ? settings.shared : { limit: Number(reserved), running: 0 };
    this.isReserved = reserved !== undefined;
    const { Variables = {} } = (properties.Environment ?? {}) as { Variables?: Record<string, string> };
    this.own = Variables;
  }

  /** Number of invocations that can run at once. Beyond that number, an invocation only waits. */
  get maxConcurrency(): number {
    return this.settings.environments?.most ?? Number.POSITIVE_INFINITY;
  }

  /** Concurrency that is reserved for it; `undefined` if none is. */
  get reserved(): number | undefined {
    return this.isReserved ? this.concurrency.limit : undefined;
  }

  /**
   * Reserves concurrency for it, or none: 0 stops it. What runs runs to its end, and counts where it began.
   * @returns false, if too little would be left for other functions
   */
  reserve(limit: number | undefined): boolean {
    const { shared } = this.settings;
    const left = shared.limit + (this.reserved ?? 0) - (limit ?? 0);
    if (left < shared.leastUnreserved) return false;
    shared.limit = left;
    this.isReserved = limit !== undefined;
    this.concurrency = limit === undefined ? shared : { limit, running: 0 };
    return true;
  }

  /** Tells who has signed an address for others. */
  get sessionToken(): string {
    return Buffer.from(this.label).toString('base64url');
  }

  /** Environment variables that its template, or a later update, sets. */
  get variables(): Readonly<Record<string, string>> {
    return this.own;
  }

  /** All environment variables, with those that AWS sets. */
  private environmentVariables(): Readonly<Record<string, string>> {
    const { properties, ref, arn } = this.resource;
    const region = arn.split(':')[3] ?? '';
    return {
      ...this.own,
      AWS_REGION: region,
      AWS_DEFAULT_REGION: region,
      AWS_ACCESS_KEY_ID: 'ASIASIMULATED',
      AWS_SECRET_ACCESS_KEY: 'simulated',
      AWS_SESSION_TOKEN: this.sessionToken,
      AWS_LAMBDA_FUNCTION_NAME: ref,
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(properties.MemorySize ?? 128),
      AWS_LAMBDA_LOG_GROUP_NAME: this.logGroup,
      AWS_LAMBDA_LOG_STREAM_NAME: this.logStream,
      AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
      AWS_EXECUTION_ENV: `AWS_Lambda_${String(properties.Runtime)}`,
      LAMBDA_TASK_ROOT: '/var/task',
      _HANDLER: String(properties.Handler),
      TZ: ':UTC',
    };
  }

  /** AWS Lambda Developer Guide, "Configuring CloudWatch log groups". */
  get logGroup(): string {
    const { LogGroup } = (this.resource.properties.LoggingConfig ?? {}) as { LogGroup?: string };
    return LogGroup ?? `/aws/lambda/${this.resource.ref}`;
  }

  /**
   * Name of the stream of all its environments, without a day. In AWS, each environment has a stream, and the name of a stream in a
   * group that the template chooses contains the function's name: functions may share the group. "Configuring CloudWatch log groups".
   */
  get logStream(): string {
    const { LogGroup } = (this.resource.properties.LoggingConfig ?? {}) as { LogGroup?: string };
    return LogGroup === undefined ? '[$LATEST]simulated' : `/${this.resource.ref}[$LATEST]simulated`;
  }

  /** Path of the function's construct. */
  get label(): string {
    return this.resource.label.replace(/\/Function$/, '');
  }

  /** Name of the next invocation that is not throttled. */
  get nextInvocation(): string {
    return `${this.label} invocation ${this.invocations + 1}`;
  }

  /** @param listener called with each line that it logs @returns a function that ends this */
  onLine(listener: (text: string) => void): () => void {
    this.lineListeners.add(listener);
    return () => this.lineListeners.delete(listener);
  }

  /**
   * Invokes the function; `done` is called once, however the invocation ends.
   * @param trouble that the event brings with it. @default none
   */
  invoke(event: unknown, done: (result: InvocationResult) => void, trouble?: InvocationTrouble): void {
    const { world, faults } = this.settings;
    const { concurrency } = this;
    if (concurrency.running >= concurrency.limit) {
      world.note(`${this.label} throttled`);
      world.tell(() => ({
        kind: 'invocation',
        owner: this.label,
        id: `${this.label} throttled`,
        outcome: 'throttled',
      }));
      world.after(1, () => done({ kind: 'throttled' }));
      return;
    }
    const number = ++this.invocations;
    const name = `${this.label} invocation ${number}`;
    const fault = faults.faultAt({ id: name, kinds: INVOCATION_FAULTS });
    concurrency.running++;
    this.running++;
    const began = world.now;
    countByMinute(this.invokedAt, began);
    const end = (result: InvocationResult): void => {
      concurrency.running--;
      this.running--;
      if (result.kind === 'failed') countByMinute(this.failedAt, began);
      this.settings.onInvocationEnd?.({ fn: this.label, began, ended: world.now, result, logged: this.logged });
      this.logged = undefined;
      this.logEnd(name, result);
      world.tell(() => ({
        kind: 'invocation',
        owner: this.label,
        id: name,
        outcome: fault === 'result-lost' ? 'answer lost' : result.kind,
        ms: world.now - began,
        ...(fault && { fault }),
        ...(result.kind === 'failed' && { error: `${result.name}: ${result.message}` }),
      }));
      world.note(`${name} ${result.kind}${result.kind === 'failed' ? ` ${result.name}: ${result.message}` : ''}`);
      done(fault === 'result-lost' ? { kind: 'failed', name: 'Sandbox.Lost', message: 'the result was lost' } : result);
    };
    world.note(`${name} begins${fault ? ` FAULT ${fault}` : ''}`);
    world.tell(() => ({ kind: 'invocation', owner: this.label, id: name, outcome: 'began' }));
    if (fault === 'crashed' || world.now < this.failsUntil) {
      world.after(20, () =>
        end({ kind: 'failed', name: 'Runtime.ExitError', message: 'exited before its handler ran' }),
      );
      return;
    }
    this.start(name, event, end, trouble);
  }

  /**
   * Logs what Lambda itself writes of an invocation that a timeout or the end of its process cut off, at every system log level
   * (AWS Lambda Developer Guide, "Log-level filtering" and "Telemetry API schema reference", platform.report).
   */
  private logEnd(requestId: string, result: InvocationResult): void {
    if (result.kind !== 'failed' || !CUT_OFF.has(result.name)) return;
    const { world, log } = this.settings;
    const { LogFormat } = (this.resource.properties.LoggingConfig ?? {}) as { LogFormat?: string };
    const status = result.name === 'Sandbox.Timedout' ? 'timeout' : 'error';
    const record = { requestId, status, ...(status === 'error' && { errorType: result.name }) };
    const line = { time: new Date(world.now).toISOString(), type: 'platform.report', record };
    const text = LogFormat === 'JSON' ? JSON.stringify(line) : `RequestId: ${requestId} Error: ${result.message}`;
    log({ at: world.now, fn: this.label, level: 'warn', text });
  }

  private start(
    name: string,
    event: unknown,
    end: (result: InvocationResult) => void,
    trouble: InvocationTrouble | undefined,
  ): void {
    const { environments } = this.settings;
    if (environments && this.busy > 0 && this.idle.length === 0) {
      this.wait(environments, () => this.run(name, event, end, trouble));
      return;
    }
    this.run(name, event, end, trouble);
  }

  /** Waits for a busy environment; after a while another one is started, unless there are enough. */
  private wait({ most, patience }: EnvironmentLimits, run: () => void): void {
    this.waiting.push(run);
    this.settings.world.after(patience, () => {
      const at = this.waiting.indexOf(run);
      if (at < 0 || this.busy >= most) return;
      this.waiting.splice(at, 1);
      run();
    });
  }

  private run(
    name: string,
    event: unknown,
    end: (result: InvocationResult) => void,
    trouble: InvocationTrouble | undefined,
  ): void {
    const { world } = this.settings;
    this.busy++;
    const free = (): void => {
      this.busy--;
      this.waiting.shift()?.();
    };
    const { generation } = this;
    const warm = this.takeIdle();
    const sandbox = warm ?? this.coldStart();
    const run = this.prepared(sandbox, name);
    if ('kind' in run) {
      world.after(100, () => {
        end(run);
        free();
      });
      return;
    }
    const begins = world.latency((random) => (warm ? 1 : random.between(150, 400)));
    world.after(begins, () => {
      const deadline = world.now + this.timeout;
      let over = false;
      const finish = (result: InvocationResult): void => {
        if (over) return;
        over = true;
        cutOff.cancel();
        sandbox.onKilled = undefined;
        sandbox.writesAreThrottled = false;
        sandbox.idleSince = world.now;
        if (generation !== this.generation) sandbox.end();
        else if (!sandbox.isDead) this.rest(sandbox);
        end(result);
        free();
      };
      const timeOut = (): void => {
        sandbox.end();
        const seconds = (this.timeout / 1000).toFixed(2);
        finish({ kind: 'failed', name: 'Sandbox.Timedout', message: `Task timed out after ${seconds} seconds` });
      };
      const cutOff = world.after(this.timeout, timeOut, `${this.label}: the timeout of an invocation that runs`);
      sandbox.onKilled = () => finish({ kind: 'failed', name: 'Runtime.ExitError', message: 'signal: killed' });
      if (trouble) world.note(`${name} FAULT ${trouble}`);
      sandbox.writesAreThrottled = trouble === 'writes are throttled';
      if (trouble === 'crashes') {
        const crashes = world.random.fork(`crash of ${name}`).between(0, MAX_MS_BEFORE_CRASH);
        world.after(crashes, () => {
          if (!over) sandbox.kill(`in ${name}`);
        });
      }
      const ended = (result: InvocationResult): void => {
        // It was faster than its crash, which then comes right behind its work.
        if (trouble === 'crashes' && !over) sandbox.kill(`behind ${name}`);
        else finish(result);
      };
      const { ref, arn, properties } = this.resource;
      const requestId = world.random.id();
      run(
        event,
        {
          requestId,
          trace: traceHeader(properties, requestId, world.now),
          functionName: ref,
          functionArn: arn,
          memoryMegabytes: Number(properties.MemorySize ?? 128),
          deadline,
        },
        (ending: InvocationEnding) =>
          world.react(() =>
            ended(ending.kind === 'returned' ? ending : { kind: 'failed', name: ending.name, message: ending.message }),
          ),
      );
    });
  }

  /**
   * Changes its code or its variables in the middle of a history, as a deployment does. Invocations that are running end with
   * what they began with.
   */
  update({ bundle, variables }: FunctionUpdate): void {
    if (bundle) {
      this.updated = bundle;
      this.bundle = () => bundle;
    }
    if (variables) {
      this.own = variables;
      this.hasOwnVariables = false;
    }
    this.settings.world.note(`${this.label} is updated`);
    this.generation++;
    this.recycle();
  }

  /** Returns where environments of its present code and variables come from and go to. */
  private recycled(): EnvironmentPool | undefined {
    const { recycled } = this.settings;
    if (!recycled || !this.hasOwnVariables) return undefined;
    if (!this.updated) return recycled;
    const ofBundle = environmentsOf.get(this.updated) ?? new EnvironmentPool();
    environmentsOf.set(this.updated, ofBundle);
    return ofBundle;
  }

  /** Lets its environments end: idle ones now, busy ones after their invocation. The next invocation loads the code again. */
  retire(): void {
    this.generation++;
    for (const sandbox of this.idle.splice(0)) sandbox.end();
  }

  /** Hands over its idle environments, at the end of the history or when an update replaces them. */
  recycle(): void {
    for (const sandbox of this.idle.splice(0)) sandbox.retire();
  }

  /** Keeps an idle environment; where there are others, for a while only. */
  private rest(sandbox: Sandbox): void {
    const { world, environments } = this.settings;
    this.idle.push(sandbox);
    if (!environments || this.idle.length === 1) return;
    world.afterInBackground(environments.spare, () => {
      const oldest = this.idle.length > 1 && world.now - (this.idle[0]?.idleSince ?? world.now) >= environments.spare;
      if (oldest) this.idle.shift()?.end();
    });
  }

  private takeIdle(): Sandbox | undefined {
    const { world, coldness = 0 } = this.settings;
    while (this.idle[0] && world.now - this.idle[0].idleSince > KEPT_IDLE) this.idle.shift()?.retire();
    if (this.idle.length === 0 || (coldness > 0 && world.random.chance(coldness))) return undefined;
    for (let sandbox = this.idle.pop(); sandbox; sandbox = this.idle.pop()) if (!sandbox.isDead) return sandbox;
    return undefined;
  }

  private coldStart(): Sandbox {
    const { world, faults, send, log, clockSkew = 0, host, recording, replays } = this.settings;
    const name = `${this.label} environment ${++this.environments}`;
    const random = world.random.fork(name);
    const skew = clockSkew > 0 ? random.between(-clockSkew, clockSkew) : 0;
    const around: EnvironmentHost = {
      now: () => world.now + skew,
      begun: world.now + skew,
      after: (delay, run) => {
        const planned = world.after(delay, run, `${this.label}: a timer of its code`);
        return () => planned.cancel();
      },
      enter: () => world.enter(),
      random,
      send: (request, reply) => send(sandbox, request, reply),
      log: (level, text) => {
        if (!text.includes('"_aws":') || text.includes('"message":')) this.logged = text;
        for (const listener of this.lineListeners) listener(text);
        log({ at: world.now, fn: this.label, level, text });
      },
      onDeath: (reason) => world.note(`${name} died: ${reason}`),
    };
    const { bundle } = this;
    const sandbox = new Sandbox(this, {
      bundle,
      variables: this.environmentVariables(),
      handler: String(this.resource.properties.Handler),
      around,
      host,
      recycled: this.recycled(),
      recording,
      replays,
      points: () => faults.points.length,
      note: (text) => world.note(`${name} ${text}`),
    });
    return sandbox;
  }

  /** @returns a function that runs the invocation, or the failure that prevented its start */
  private prepared(sandbox: Sandbox, invocation: string): ReturnType<Sandbox['prepare']> | InvocationResult {
    try {
      return sandbox.prepare(invocation);
    } catch (error) {
      const { name, message } = error as Error;
      const { world, log } = this.settings;
      log({ at: world.now, fn: this.label, level: 'error', text: `${name}: ${message}` });
      return { kind: 'failed', name, message };
    }
  }
}
