import type { Random } from '../engine/random.js';
import type { EnvironmentHost, InvocationEnding } from './environment.js';
import type { HttpRequest } from './http.js';

/** An action of an invocation, as the world around it saw it. */
type Act =
  | { readonly number: number; readonly request: HttpRequest }
  | { readonly level: string; readonly line: string }
  | { readonly ending: InvocationEnding };

/** An invocation that ran and can be replayed without running its code. */
export interface RecordedInvocation {
  /** Actions by their cause: 0 is the invocation's start, any other number is the reply to that request. */
  readonly acts: readonly (readonly Act[])[];
  /** Number of points that the history had met when it ended. */
  readonly points: number;
  /** Its environment's random numbers after the invocation, including draws after its end. */
  left: Random;
}

/** Looks up an invocation that may be replayed. @param invocation its name in the history */
export type RecordingLookup = (invocation: string) => RecordedInvocation | undefined;

/** A recording of one history's invocations, for other histories that begin in the same way. */
export class Recording {
  private readonly invocations = new Map<string, RecordedInvocation>();

  put(invocation: string, recorded: RecordedInvocation): void {
    this.invocations.set(invocation, recorded);
  }

  forget(invocation: string): void {
    this.invocations.delete(invocation);
  }

  /**
   * Returns the invocations that had ended before a point was met.
   * @param point its index among the history's points, from 0
   */
  until(point: number): RecordingLookup {
    return (invocation) => {
      const recorded = this.invocations.get(invocation);
      return recorded && recorded.points <= point ? recorded : undefined;
    };
  }
}

/**
 * Records the actions of invocations between one environment and its world. All actions of code are caused by its start
 * or by a reply, since nothing else wakes it, with three exceptions: a timer, work that was left running, and a retried
 * request. Recording stops for an environment in which one of these happens, so only the beginning of its life can be
 * replayed.
 */
export class Recorder {
  /** The surroundings that the environment sees. */
  readonly around: EnvironmentHost;
  private invocation = '';
  private acts: Act[][] | undefined;
  private cause = 0;
  private requests = 0;
  private last: RecordedInvocation | undefined;
  private isOver = false;

  /** @param points returns how many points the history has met */
  constructor(
    private readonly recording: Recording,
    around: EnvironmentHost,
    private readonly points: () => number,
  ) {
    this.around = {
      ...around,
      after: (delay, run) =>
        around.after(delay, () => {
          this.giveUp();
          run();
        }),
      log: (level, line) => {
        this.add({ level, line });
        around.log(level, line);
      },
      send: (request, reply) => {
        const number = ++this.requests;
        this.add({ number, request });
        around.send(request, {
          answer: (response) => {
            this.cause = number;
            reply.answer(response);
          },
          fail: (code) => {
            this.cause = number;
            reply.fail(code);
          },
        });
      },
    };
  }

  /** @param invocation its name in the history */
  begin(invocation: string): void {
    if (this.last) this.last.left = this.around.random.copy();
    this.last = undefined;
    this.invocation = invocation;
    this.acts = [];
    this.cause = 0;
    this.requests = 0;
  }

  /** @param isAsNew whether its environment has nothing in progress and has retried nothing */
  end(ending: InvocationEnding, isAsNew: boolean): void {
    this.add({ ending });
    const { acts, points, around } = this;
    this.acts = undefined;
    if (!isAsNew) this.giveUp();
    if (this.isOver || !acts) return;
    this.last = { acts, points: points(), left: around.random };
    this.recording.put(this.invocation, this.last);
  }

  private add(act: Act): void {
    const { acts, cause } = this;
    if (acts) acts[cause] = [...(acts[cause] ?? []), act];
    // This happened after an invocation's end, or before the first one's start.
    else this.giveUp();
  }

  private giveUp(): void {
    this.isOver = true;
    this.recording.forget(this.invocation);
  }
}

/**
 * Replays an invocation: the same requests, lines and end, each after the same cause. It must get the same event and
 * the same replies, so it requires a history that is equal up to the invocation's end.
 */
export function replay(
  { acts }: RecordedInvocation,
  around: EnvironmentHost,
  ended: (ending: InvocationEnding) => void,
): void {
  const cause = (number: number): void => {
    around.enter();
    // Runs after the event that caused it and before the next one, as code would.
    queueMicrotask(() => {
      for (const act of acts[number] ?? []) {
        if ('ending' in act) ended(structuredClone(act.ending));
        else if ('line' in act) around.log(act.level, act.line);
        else around.send(act.request, { answer: () => cause(act.number), fail: () => cause(act.number) });
      }
    });
  };
  cause(0);
}
