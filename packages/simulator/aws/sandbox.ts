import type { Bundle } from '../runtime/bundle.js';
import { type Ending, Environment, type InvocationContext, type Surroundings } from '../runtime/environment.js';
import { type Recorded, Recorder, type Recording, type Replays, replay } from '../runtime/recording.js';
import type { Recycled } from '../runtime/recycled.js';
import type { LambdaFunction } from './lambda.js';

/** Who sends a request: the running environment, which may be killed around it. */
export interface Caller {
  readonly fn: LambdaFunction;
  kill(reason: string): void;
  readonly isDead: boolean;
}

/** Where a sandbox gets what runs in it, and whether it has to run. */
export interface SandboxSettings {
  readonly bundle: () => Bundle;
  readonly variables: Readonly<Record<string, string>>;
  /** As in the template: `index.handler`. */
  readonly handler: string;
  readonly around: Surroundings;
  /** Where environments come from in the place of new ones, as long as there are some. @default none */
  readonly recycled?: Recycled | undefined;
  /** Takes down what its invocations do. @default nobody */
  readonly recording?: Recording | undefined;
  /** What may be replayed in the place of running code. @default nothing */
  readonly replays?: Replays | undefined;
  /** How many points the history has met. */
  readonly points: () => number;
  /** Adds a line about it to the trace. */
  readonly note: (text: string) => void;
}

/** Runs one invocation; `ended` is told once, unless the sandbox is killed before. */
type Run = (event: unknown, context: InvocationContext, ended: (ending: Ending) => void) => void;

/**
 * An execution environment as the function has it: busy, idle or gone. Code is loaded when there is some to run, which a
 * replayed invocation has not.
 */
export class Sandbox implements Caller {
  /** Milliseconds since 1970. */
  idleSince = 0;
  /** Told when it is killed in the middle of an invocation. */
  onKilled: (() => void) | undefined;
  private environment: Environment | undefined;
  private recorder: Recorder | undefined;
  private replayed: Recorded | undefined;
  private dead = false;

  constructor(
    readonly fn: LambdaFunction,
    private readonly settings: SandboxSettings,
  ) {}

  get isDead(): boolean {
    return this.dead;
  }

  /**
   * Makes ready for an invocation.
   * @param invocation its name in the history
   * @returns what runs it
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

  /** It is gone, and nobody is told: its time was up. */
  end(): void {
    this.dead = true;
    this.environment?.kill();
  }

  /** No invocation of this history will meet it again: what it has loaded may serve elsewhere. */
  retire(): void {
    const { environment } = this;
    if (environment && !this.settings.recycled?.give(this.fn.label, environment)) environment.kill();
  }

  private load(): Environment {
    const { bundle, variables, handler, recycled, recording, points } = this.settings;
    const { random } = this.settings.around;
    const around = { ...this.settings.around, random: this.replayed?.left.copy() ?? random };
    this.recorder = recording && new Recorder(recording, around, points);
    const recorded = this.recorder?.around ?? around;
    const used = recycled?.take(this.fn.label);
    // What a module draws while it is loaded must not move what its invocations draw: a used one isn't loaded again.
    const environment = used ?? new Environment(bundle(), variables, { ...recorded, random: random.fork('init') });
    if (!used) environment.init(handler);
    environment.moveTo(recorded);
    return environment;
  }
}
