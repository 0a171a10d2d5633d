import type { Random } from '../world/random.js';
import type { Ending, Surroundings } from './environment.js';
import type { HttpRequest } from './http.js';

/** Something that an invocation did, as the world around it saw it. */
type Act =
  | { readonly number: number; readonly request: HttpRequest }
  | { readonly level: string; readonly line: string }
  | { readonly ending: Ending };

/** An invocation that was played, to be played again without running its code. */
export interface Recorded {
  /** By what caused them: 0 is its start, any other the reply to its request of that number. */
  readonly acts: readonly (readonly Act[])[];
  /** Points of the history that had been met when it ended. */
  readonly points: number;
  /** Its environment's random numbers as it left them, what it drew after its end included. */
  left: Random;
}

/** Looks up what may be replayed. @param invocation its name in the history */
export type Replays = (invocation: string) => Recorded | undefined;

/** What the invocations of one history did: for others that begin as it did. */
export class Recording {
  private readonly invocations = new Map<string, Recorded>();

  put(invocation: string, recorded: Recorded): void {
    this.invocations.set(invocation, recorded);
  }

  forget(invocation: string): void {
    this.invocations.delete(invocation);
  }

  /** Those that were over before a point was met. @param point its index among the history's points, from 0 */
  until(point: number): Replays {
    return (invocation) => {
      const recorded = this.invocations.get(invocation);
      return recorded && recorded.points <= point ? recorded : undefined;
    };
  }
}

/**
 * Stands between one environment and its world, and writes down what its invocations do. All that code does is caused by
 * its start or by a reply, since nothing else wakes it; but for a timer, what was left running, and what was tried again.
 * An environment in which one of these happens is recorded no further: what can be replayed is the beginning of its life.
 */
export class Recorder {
  /** For the environment. */
  readonly around: Surroundings;
  private invocation = '';
  private acts: Act[][] | undefined;
  private cause = 0;
  private requests = 0;
  private last: Recorded | undefined;
  private isOver = false;

  /** @param points how many the history has met */
  constructor(
    private readonly recording: Recording,
    around: Surroundings,
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

  /** @param isAsNew whether its environment has nothing under way, and tried nothing again */
  end(ending: Ending, isAsNew: boolean): void {
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
    // After its end, or before the first one's start.
    else this.giveUp();
  }

  private giveUp(): void {
    this.isOver = true;
    this.recording.forget(this.invocation);
  }
}

/**
 * Does again what an invocation did: the same requests, lines and end, each where the same thing caused it. It must get
 * the same event and the same replies: only what is equal up to its end has such an invocation.
 */
export function replay({ acts }: Recorded, around: Surroundings, ended: (ending: Ending) => void): void {
  const cause = (number: number): void => {
    around.enter();
    // Behind the event that caused it and before the next one, as code would.
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
