import type { Resource } from '../assembly/assembly.js';
import { REGION } from '../assembly/identity.js';
import type { Bundle } from '../runtime/bundle.js';
import { type Ending, Environment, type Surroundings } from '../runtime/environment.js';
import type { HttpRequest, Reply } from '../runtime/http.js';
import type { Recycled } from '../runtime/recycled.js';
import type { World } from '../world/world.js';
import type { Concurrency } from './concurrency.js';
import { type FaultPlan, INVOCATION_FAULTS } from './faults.js';

/** What an invocation came to, for whoever asked for it. */
export type Result =
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly name: string; readonly message: string }
  | { readonly kind: 'throttled' };

/** One line that a function wrote. */
export interface LogLine {
  readonly at: number;
  readonly fn: string;
  readonly level: string;
  readonly text: string;
}

/** Who sends a request: the running environment, which may be killed around it. */
export interface Caller {
  readonly fn: LambdaFunction;
  kill(reason: string): void;
  readonly isDead: boolean;
}

export interface LambdaSettings {
  readonly world: World;
  readonly faults: FaultPlan;
  /** Answers what functions send. */
  readonly send: (caller: Caller, request: HttpRequest, reply: Reply) => void;
  readonly log: (line: LogLine) => void;
  /** What all functions share that have reserved nothing. */
  readonly shared: Concurrency;
  /** Largest difference of an environment's clock from the world's, milliseconds. @default 0 */
  readonly clockSkew?: number;
  /** How often a new environment is used although an idle one is there. @default 0 */
  readonly coldness?: number;
  /** Where environments come from in the place of new ones, as long as there are some. @default none */
  readonly recycled?: Recycled;
}

/** AWS doesn't say how long an idle environment is kept; minutes to hours are seen. */
const KEPT_IDLE = 15 * 60_000;

interface Slot {
  readonly environment: Environment;
  idleSince: number;
}

/**
 * A function with its execution environments. AWS, "Understanding the Lambda execution environment lifecycle" and
 * "Understanding Lambda function scaling".
 */
export class LambdaFunction {
  readonly timeout: number;
  readonly role: string;
  /** Failing for as long as this time (milliseconds since 1970) isn't reached: a bad deployment, an outage. */
  failsUntil = 0;
  invocations = 0;
  calls = 0;
  private readonly idle: Slot[] = [];
  private readonly concurrency: Concurrency;
  private readonly variables: Readonly<Record<string, string>>;
  private environments = 0;

  constructor(
    readonly resource: Resource,
    /** Asked for when there is something to run: most functions of a history never are. */
    private readonly bundle: () => Bundle,
    private readonly settings: LambdaSettings,
  ) {
    const { properties, ref } = resource;
    this.timeout = Number(properties.Timeout ?? 3) * 1000;
    this.role = String(properties.Role);
    const { ReservedConcurrentExecutions: reserved } = properties;
    this.concurrency = reserved === undefined ? settings.shared : { limit: Number(reserved), running: 0 };
    const { Variables = {} } = (properties.Environment ?? {}) as { Variables?: Record<string, string> };
    this.variables = {
      ...Variables,
      AWS_REGION: REGION,
      AWS_DEFAULT_REGION: REGION,
      AWS_ACCESS_KEY_ID: 'ASIASIMULATED',
      AWS_SECRET_ACCESS_KEY: 'simulated',
      AWS_SESSION_TOKEN: 'simulated',
      AWS_LAMBDA_FUNCTION_NAME: ref,
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(properties.MemorySize ?? 128),
      AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${ref}`,
      AWS_LAMBDA_LOG_STREAM_NAME: 'simulated',
      AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
      AWS_EXECUTION_ENV: `AWS_Lambda_${String(properties.Runtime)}`,
      LAMBDA_TASK_ROOT: '/var/task',
      _HANDLER: String(properties.Handler),
      TZ: ':UTC',
    };
  }

  /** Path of the function's construct. */
  get label(): string {
    return this.resource.label.replace(/\/Function$/, '');
  }

  /** One invocation; `done` is told once, however it ends. */
  invoke(event: unknown, done: (result: Result) => void): void {
    const { world, faults } = this.settings;
    const { concurrency } = this;
    if (concurrency.running >= concurrency.limit) {
      world.note(`${this.label} throttled`);
      world.after(1, () => done({ kind: 'throttled' }));
      return;
    }
    const number = ++this.invocations;
    const name = `${this.label} invocation ${number}`;
    const fault = faults.at({ id: name, kinds: INVOCATION_FAULTS });
    concurrency.running++;
    const end = (result: Result): void => {
      concurrency.running--;
      world.note(`${name} ${result.kind}${result.kind === 'failed' ? ` ${result.name}` : ''}`);
      done(fault === 'result-lost' ? { kind: 'failed', name: 'Sandbox.Lost', message: 'the result was lost' } : result);
    };
    world.note(`${name} begins${fault ? ` FAULT ${fault}` : ''}`);
    if (fault === 'crashed' || world.now < this.failsUntil) {
      world.after(20, () =>
        end({ kind: 'failed', name: 'Runtime.ExitError', message: 'exited before its handler ran' }),
      );
      return;
    }
    this.start(event, end);
  }

  private start(event: unknown, end: (result: Result) => void): void {
    const { world } = this.settings;
    const warm = this.takeIdle();
    const cold = warm ? undefined : this.coldStart();
    if (cold && 'kind' in cold) {
      world.after(100, () => end(cold));
      return;
    }
    const { environment, caller } = warm ?? (cold as Started);
    world.after(cold ? world.random.between(150, 400) : 1, () => {
      const deadline = world.now + this.timeout;
      let over = false;
      const finish = (result: Result): void => {
        if (over) return;
        over = true;
        cutOff.cancel();
        caller.onKilled = undefined;
        if (!environment.isDead) this.idle.push({ environment, idleSince: world.now });
        end(result);
      };
      const cutOff = world.after(this.timeout, () => {
        environment.kill();
        const seconds = (this.timeout / 1000).toFixed(2);
        finish({ kind: 'failed', name: 'Sandbox.Timedout', message: `Task timed out after ${seconds} seconds` });
      });
      caller.onKilled = () => finish({ kind: 'failed', name: 'Runtime.ExitError', message: 'signal: killed' });
      const { ref, arn, properties } = this.resource;
      environment.invoke(
        event,
        {
          requestId: world.random.id(),
          functionName: ref,
          functionArn: arn,
          memoryMegabytes: Number(properties.MemorySize ?? 128),
          deadline,
        },
        (ending: Ending) =>
          finish(ending.kind === 'returned' ? ending : { kind: 'failed', name: ending.name, message: ending.message }),
      );
    });
  }

  /** Hands its idle environments over; for when the history is over. */
  recycle(): void {
    for (const { environment } of this.idle.splice(0)) this.retire(environment);
  }

  /** No invocation of this history will meet it again. */
  private retire(environment: Environment): void {
    if (!this.settings.recycled?.give(this.label, environment)) environment.kill();
  }

  private takeIdle(): Started | undefined {
    const { world, coldness = 0 } = this.settings;
    while (this.idle[0] && world.now - this.idle[0].idleSince > KEPT_IDLE)
      this.retire((this.idle.shift() as Slot).environment);
    if (this.idle.length === 0 || (coldness > 0 && world.random.chance(coldness))) return undefined;
    const slot = this.idle.pop();
    return slot && { environment: slot.environment, caller: this.callers.get(slot.environment) as EnvironmentCaller };
  }

  private readonly callers = new WeakMap<Environment, EnvironmentCaller>();

  private coldStart(): Started | Result {
    const { world, send, log, clockSkew = 0, recycled } = this.settings;
    const name = `${this.label} environment ${++this.environments}`;
    const random = world.random.fork(name);
    const skew = clockSkew > 0 ? random.between(-clockSkew, clockSkew) : 0;
    const around: Surroundings = {
      now: () => world.now + skew,
      after: (delay, run) => {
        const planned = world.after(delay, run);
        return () => planned.cancel();
      },
      enter: () => world.enter(),
      random,
      send: (request, reply) => send(caller, request, reply),
      log: (level, text) => log({ at: world.now, fn: this.label, level, text }),
    };
    const used = recycled?.take(this.label);
    // What a module draws while it is loaded must not move what its invocations draw: a used one isn't loaded again.
    const environment =
      used ?? new Environment(this.bundle(), this.variables, { ...around, random: random.fork('init') });
    const caller = new EnvironmentCaller(this, environment, (reason) => world.note(`${name} killed: ${reason}`));
    this.callers.set(environment, caller);
    try {
      if (!used) environment.init(String(this.resource.properties.Handler));
      environment.moveTo(around);
    } catch (error) {
      const { name: kind, message } = error as Error;
      log({ at: world.now, fn: this.label, level: 'error', text: `${kind}: ${message}` });
      return { kind: 'failed', name: kind, message };
    }
    return { environment, caller };
  }
}

interface Started {
  readonly environment: Environment;
  readonly caller: EnvironmentCaller;
}

class EnvironmentCaller implements Caller {
  onKilled: (() => void) | undefined;

  constructor(
    readonly fn: LambdaFunction,
    private readonly environment: Environment,
    private readonly note: (reason: string) => void,
  ) {}

  get isDead(): boolean {
    return this.environment.isDead;
  }

  kill(reason: string): void {
    if (this.environment.isDead) return;
    this.note(reason);
    this.environment.kill();
    this.onKilled?.();
  }
}
