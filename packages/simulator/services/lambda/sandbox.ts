import type { Resource } from '../../assembly/assembly.js';
import type { Bundle } from '../../runtime/bundle.js';
import {
  type CodeHost,
  Environment,
  type EnvironmentHost,
  type InvocationContext,
  type InvocationEnding,
  type RunningCode,
} from '../../runtime/environment.js';
import {
  type RecordedInvocation,
  Recorder,
  type Recording,
  type RecordingLookup,
  replay,
} from '../../runtime/recording.js';
import type { EnvironmentPool } from '../../runtime/recycled.js';

/** A function, as far as its environments and its calls know it. */
export interface CallingFunction {
  readonly label: string;
  /** ARN of its role. */
  readonly role: string;
  readonly resource: Resource;
  /** Number of calls so far. */
  calls: number;
}

/** Sender of a request: the running environment, which may be killed before or after the request. */
export interface Caller {
  readonly fn: CallingFunction;
  kill(reason: string): void;
  /** Whether DynamoDB throttles every write of its invocation. */
  readonly writesAreThrottled: boolean;
}

/** Source of a sandbox's code, and whether the code has to run. */
export interface SandboxSettings {
  readonly bundle: () => Bundle;
  readonly variables: Readonly<Record<string, string>>;
  /** As in the template: `index.handler`. */
  readonly handler: string;
  readonly around: EnvironmentHost;
  /** Runs the code elsewhere. @default in this thread */
  readonly host?: CodeHost | undefined;
  /** Environments to use instead of new ones, as long as there are some. @default none */
  readonly recycled?: EnvironmentPool | undefined;
  /** Records what its invocations do. @default no recording */
  readonly recording?: Recording | undefined;
  /** Recorded invocations that may be replayed instead of running code. @default none */
  readonly replays?: RecordingLookup | undefined;
  /** Number of points that the history has met. */
  readonly points: () => number;
  /** Adds a line about the sandbox to the trace. */
  readonly note: (text: string) => void;
}

/** Runs one invocation; `ended` is called once, unless the sandbox is killed before. */
type Run = (event: unknown, context: InvocationContext, ended: (ending: InvocationEnding) => void) => void;

/**
 * An execution environment as the function sees it: busy, idle or gone. It loads code only when there is some to run,
 * which a replayed invocation doesn't need.
 */
export class Sandbox implements Caller {
  /** Start of the idle time, milliseconds since 1970. */
  idleSince = 0;
  /** Called if the sandbox is killed during an invocation. */
  onKilled: (() => void) | undefined;
  writesAreThrottled = false;
  private environment: RunningCode | undefined;
  private recorder: Recorder | undefined;
  private replayed: RecordedInvocation | undefined;
  private dead = false;

  constructor(
    readonly fn: CallingFunction,
    private readonly settings: SandboxSettings,
  ) {}

  get isDead(): boolean {
    return this.dead || this.environment?.isDead === true;
  }

  /**
   * Prepares the sandbox for an invocation.
   * @param invocation its name in the history
   * @returns a function that runs it
   * @throws what the module throws while it is loaded
   */
  prepare(invocation: string): Run {
    const { around, replays } = this.settings;
    const recorded = replays?.(invocation);
    if (recorded) {
      this.replayed = recorded;
      return (_event, _context, ended) => replay(recorded, around, ended);
    }
    this.environment ??= this.load();
    const { environment, recorder } = this;
    return (event, context, ended) => {
      recorder?.begin(invocation);
      environment.invoke(event, context, (ending) => {
        recorder?.end(ending, environment.isAsNew);
        ended(ending);
      });
    };
  }

  kill(reason: string): void {
    if (this.dead) return;
    this.settings.note(`killed: ${reason}`);
    this.end();
    this.onKilled?.();
  }

  /** Ends an environment whose lifetime is over, without a notification. */
  end(): void {
    this.dead = true;
    this.environment?.kill();
  }

  /** Retires the environment from this history: the code that it has loaded may serve another one. */
  retire(): void {
    const { environment } = this;
    const { recycled } = this.settings;
    if (environment instanceof Environment && recycled?.give(this.fn.label, environment)) return;
    environment?.kill();
  }

  private load(): RunningCode {
    const { bundle, variables, handler, host, recycled, recording, points } = this.settings;
    const { random } = this.settings.around;
    if (host) return host.start({ label: this.fn.label, bundle: bundle(), variables, handler }, this.settings.around);
    const around = { ...this.settings.around, random: this.replayed?.left.copy() ?? random };
    this.recorder = recording && new Recorder(recording, around, points);
    const recorded = this.recorder?.around ?? around;
    const used = recycled?.take(this.fn.label);
    // Random numbers drawn while a module is loaded must not change those of its invocations, because a recycled
    // environment doesn't load its module again.
    const environment = used ?? new Environment(bundle(), variables, { ...recorded, random: random.fork('init') });
    if (!used) environment.init(handler);
    environment.moveTo(recorded);
    return environment;
  }
}
