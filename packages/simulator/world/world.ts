import { Random } from './random.js';
import { Trace } from './trace.js';

/** A planned event, unless it is cancelled before. */
export interface Planned {
  readonly at: number;
  cancel(): void;
}

interface Entry extends Planned {
  readonly order: number;
  readonly background: boolean;
  run: (() => void) | undefined;
}

/** A history without an end: an infinite loop, or work that never settles. */
export class NeverSettles extends Error {
  override readonly name = 'NeverSettles';
}

export interface WorldOptions {
  readonly seed: string;
  /** Virtual time at the start. @default 2026-01-05T00:00:00Z */
  readonly begins?: number;
  /** Whether lines of the trace are kept, or only hashed. @default true */
  readonly keepTrace?: boolean;
  /** Number of events after which a history counts as endless. @default 2,000,000 */
  readonly limit?: number;
}

/**
 * Virtual time. Events happen one after the other, in the order of their times; at one moment, in the order in which
 * they were planned. It uses no thread, no socket and no real clock.
 *
 * After each event, code that was woken by it (promises, `nextTick`) runs until nothing moves. Since all I/O is
 * answered in process, one turn of the real event loop is enough for that.
 */
export class World {
  readonly random: Random;
  readonly trace: Trace;
  private readonly heap: Entry[] = [];
  private planned = 0;
  private happened = 0;
  private foreground = 0;
  private entered = false;
  private time: number;
  private readonly limit: number;

  constructor(options: WorldOptions) {
    this.random = new Random(options.seed);
    this.trace = new Trace(options.keepTrace ?? true);
    this.time = options.begins ?? Date.UTC(2026, 0, 5);
    this.limit = options.limit ?? 2_000_000;
  }

  /** Milliseconds since 1970, whole. */
  get now(): number {
    return this.time;
  }

  get events(): number {
    return this.happened;
  }

  /** Adds a line to the trace. */
  note(text: string): void {
    this.trace.add(this.time, text);
  }

  /** @param delay milliseconds from now, whole @param run called then */
  after(delay: number, run: () => void): Planned {
    return this.plan(delay, run, false);
  }

  /** Plans like `after`, for background events (retention, idle pollers): they don't keep `settle` from ending. */
  afterInBackground(delay: number, run: () => void): Planned {
    return this.plan(delay, run, true);
  }

  /** Must be called whenever code of an execution environment is entered: it may have left pending promises. */
  enter(): void {
    this.entered = true;
  }

  /** Runs until only background work is planned. @throws {NeverSettles} */
  async settle(): Promise<void> {
    while (this.foreground > 0) await this.step();
  }

  /** Runs until a condition holds, or until nothing is planned. @returns whether it holds */
  async until(condition: () => boolean): Promise<boolean> {
    while (!condition() && this.heap.length > 0) await this.step();
    return condition();
  }

  /** Runs all events of the next `milliseconds`, and advances the time by them. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.time + milliseconds;
    while ((this.heap[0]?.at ?? Number.POSITIVE_INFINITY) <= end) await this.step();
    this.time = end;
  }

  private plan(delay: number, run: () => void, background: boolean): Planned {
    const world = this;
    const entry: Entry = {
      at: this.time + Math.max(0, Math.round(delay)),
      order: this.planned++,
      background,
      run,
      cancel(): void {
        if (!entry.run) return;
        entry.run = undefined;
        if (!background) world.foreground--;
      },
    };
    if (!background) this.foreground++;
    this.push(entry);
    return entry;
  }

  private async step(): Promise<void> {
    const next = this.pop();
    if (!next?.run) return;
    if (++this.happened > this.limit) throw new NeverSettles(`${this.limit} events, and still something to do`);
    this.time = Math.max(this.time, next.at);
    const { run } = next;
    next.run = undefined;
    if (!next.background) this.foreground--;
    run();
    if (this.entered) {
      this.entered = false;
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  private push(entry: Entry): void {
    const { heap } = this;
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as Entry;
      if (!isBefore(entry, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = entry;
  }

  private pop(): Entry | undefined {
    const { heap } = this;
    const top = heap[0];
    const last = heap.pop();
    if (!last || heap.length === 0) return top;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Entry, heap[child] as Entry)) child++;
      if (!isBefore(heap[child] as Entry, last)) break;
      heap[at] = heap[child] as Entry;
      at = child;
    }
    heap[at] = last;
    return top;
  }
}

const isBefore = (one: Entry, other: Entry): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order);
