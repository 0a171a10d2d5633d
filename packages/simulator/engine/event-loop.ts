import type { Happening, Happenings } from './happenings.js';
import { describeEndless, describeTime, NeverSettles } from './never-settles.js';
import { Middle, Random } from './random.js';
import { Trace } from './trace.js';
import { turnEnds } from './turn.js';

/** A planned event, unless it is cancelled before. */
export interface Planned {
  readonly at: number;
  cancel(): void;
}

/** A planned event in the heap. One that was cancelled, or has happened, has nothing to run. */
class Entry implements Planned {
  constructor(
    private readonly cancelled: (entry: Entry) => void,
    readonly at: number,
    readonly order: number,
    readonly background: boolean,
    public run: (() => void) | undefined,
    readonly about: string | undefined,
  ) {}

  cancel(): void {
    if (!this.run) return;
    this.run = undefined;
    this.cancelled(this);
  }
}

/** A wait of the scenario for something. */
interface Wait {
  /** Virtual time at which it began. */
  readonly since: number;
  /** Whether ticks of schedules come less often after an hour. */
  readonly ticks: 'each' | 'seldom';
  /** Number of ticks of each schedule. */
  readonly bySchedule: Map<string, number>;
}

export interface EventLoopOptions {
  readonly seed: string;
  /** Virtual time at the start. @default 2026-01-05T00:00:00Z */
  readonly begins?: number;
  /** Whether lines of the trace are kept, or only hashed. @default true */
  readonly keepTrace?: boolean;
  /** Number of events after which a history counts as endless. @default 2,000,000 */
  readonly limit?: number;
  /**
   * Whether it lives by the real clock and without an end: no latency is added to what the models take, nothing is traced,
   * and records of the past are bounded. @default false: it is a history
   */
  readonly isLive?: boolean;
  /** Whether each latency is the middle of its range, so that a call more or less doesn't change who meets whom. @default false */
  readonly isSteady?: boolean;
  /**
   * Number of records of the past, of each kind, that a live world remembers.
   * @default 10,000 of what somebody at a terminal asks for (events, log lines), and nothing that only invariants look at
   */
  readonly historyLimit?: number;
  /** Receives what happens, for people who watch a live world. @default nobody watches */
  readonly happenings?: Happenings;
}

const REMEMBERED = 10_000;

const ONE_HOUR = 3_600_000;
const ONE_DAY = 24 * ONE_HOUR;
/** Ticks of one schedule after which a wait counts as endless: about fourteen days of minutes, or two years of {@link EventLoop.settle}. */
const MOST_TICKS = { each: 20_000, seldom: 1_000 };
/** Awaited ticks of one schedule, and virtual time, after which each of them awaits the next one, as windows that open one after the other do. */
const CHAINED = { ticks: 100, time: 100 * ONE_DAY };

/** Number of cancelled events in the heap from which it is worth the time to take them out, where they are half of it. */
const WORTH_SWEEPING = 1_000;

/**
 * Virtual time. Events happen one after the other, in the order of their times; at one moment, in the order in which
 * they were planned. It uses no thread, no socket and no real clock.
 *
 * After each event, code that was woken by it (promises, `nextTick`) runs until nothing moves. Since all I/O is
 * answered in process, one turn of the real event loop is enough for that.
 */
export class EventLoop {
  readonly random: Random;
  readonly trace: Trace;
  /** Time at its start, milliseconds since 1970. */
  readonly begins: number;
  private heap: Entry[] = [];
  /** Number of cancelled events in the heap. */
  private cancelledCount = 0;
  private planned = 0;
  private happened = 0;
  private foreground = 0;
  private entered = false;
  private time: number;
  private readonly limit: number;
  private readonly isLive: boolean;
  private readonly latencies: Random;
  private readonly historyLimit: number | undefined;
  private readonly happenings: Happenings | undefined;
  /** The event that happens now, or happened last. */
  private current: Entry | undefined;
  /** The present wait of the scenario. */
  private waiting: Wait | undefined;
  private readonly restListeners: (() => void)[] = [];

  constructor(options: EventLoopOptions) {
    this.random = new Random(options.seed);
    this.trace = new Trace(options.keepTrace ?? true);
    this.begins = options.begins ?? Date.UTC(2026, 0, 5);
    this.time = this.begins;
    this.isLive = options.isLive ?? false;
    this.latencies = options.isSteady ? new Middle(options.seed) : this.random;
    this.historyLimit = options.historyLimit;
    this.happenings = options.happenings;
    this.limit = options.limit ?? (this.isLive ? Number.POSITIVE_INFINITY : 2_000_000);
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
    if (!this.isLive) this.trace.add(this.time, text);
  }

  /** Tells those who watch what has happened. @param describe called only if somebody watches */
  tell(describe: () => Happening): void {
    this.happenings?.add(this.time, describe());
  }

  /** Whether somebody watches. */
  get isWatched(): boolean {
    return this.happenings !== undefined;
  }

  /**
   * Returns a latency of AWS in milliseconds. In a live world the models' own work takes its time, so there is only the
   * least one.
   * @param drawn draws it @param least of a live world. @default 0
   */
  latency(drawn: (random: Random) => number, least = 0): number {
    return this.isLive ? least : drawn(this.latencies);
  }

  /** Number of planned events that are kept in memory, cancelled ones included. */
  get kept(): number {
    return this.heap.length;
  }

  /** Returns a list for records of the past: whole for a history, the newest ones for a live world. */
  records<T>(): T[] {
    return this.isLive ? new Newest<T>(this.historyLimit ?? REMEMBERED) : [];
  }

  /** The same for records that nobody but an invariant looks at: a live world keeps none, unless a number is given. */
  evidence<T>(): T[] {
    return this.isLive ? new Newest<T>(this.historyLimit ?? 0) : [];
  }

  /** Time of the next planned event, milliseconds since 1970; `undefined` if there is none. */
  get nextAt(): number | undefined {
    while (this.heap[0] && !this.heap[0].run) this.happen();
    return this.heap[0]?.at;
  }

  /**
   * Runs the events up to a moment, and advances the time to it: for a world whose code runs elsewhere, so that no event
   * leaves a promise here.
   * @param to milliseconds since 1970; an earlier moment than now does nothing
   */
  advance(to: number): void {
    for (let next = this.nextAt; next !== undefined && next <= to; next = this.nextAt) this.happen();
    this.time = Math.max(this.time, to);
  }

  /**
   * @param delay milliseconds from now, whole
   * @param run called then
   * @param about owner and kind of the work, for the report of a history that never ends: `Shop/Queue: a message comes again`
   */
  after(delay: number, run: () => void, about?: string): Planned {
    return this.plan(delay, run, false, about);
  }

  /**
   * Runs what the world does when code under test calls it back. Its errors end the history in an event of their own: the code would take
   * them for errors of itself.
   */
  react(reaction: () => void): void {
    try {
      reaction();
    } catch (error) {
      this.after(0, () => {
        throw error;
      });
    }
  }

  /** Plans like `after`, for background events (retention, idle pollers): they don't keep `settle` from ending. */
  afterInBackground(delay: number, run: () => void): Planned {
    return this.plan(delay, run, true, undefined);
  }

  /** Must be called whenever code of an execution environment is entered: it may have left pending promises. */
  enter(): void {
    this.entered = true;
  }

  /**
   * Runs until only background work is planned. Each tick of a schedule comes in the first hour of the wait; then one an hour comes, and
   * one a day after a week: a wait of days would have tens of thousands of ticks that find nothing.
   * @throws {NeverSettles} names what is still awaited
   */
  async settle(): Promise<void> {
    await this.wait('seldom', () => this.foreground === 0);
    for (const listen of this.restListeners) listen();
  }

  /** Calls a listener after each {@link settle}: ticks come as often as before. */
  onRest(listen: () => void): void {
    this.restListeners.push(listen);
  }

  /** Least milliseconds between two ticks of a schedule which nobody awaits. */
  get tickSpacing(): number {
    const { waiting, time } = this;
    if (waiting?.ticks !== 'seldom' || time - waiting.since < ONE_HOUR) return 0;
    return time - waiting.since < 7 * ONE_DAY ? ONE_HOUR : ONE_DAY;
  }

  /**
   * Must be called whenever a schedule ticks.
   * @param schedule path of its construct
   * @param isAwaited whether the end of the history waits for this tick
   * @throws {NeverSettles} if somebody waits, and ticks have come for so long that they would come for ever
   */
  countTick(schedule: string, isAwaited: boolean): void {
    const { waiting } = this;
    if (!waiting || this.isLive) return;
    const count = (waiting.bySchedule.get(schedule) ?? 0) + 1;
    waiting.bySchedule.set(schedule, count);
    const waited = this.time - waiting.since;
    const isChained = isAwaited && count > CHAINED.ticks && waited > CHAINED.time;
    if (isChained || count > MOST_TICKS[isAwaited ? 'each' : waiting.ticks])
      throw this.neverSettles(`after ${describeTime(waited)} there is still something to do`);
  }

  private neverSettles(reason: string): NeverSettles {
    const planned = this.heap.filter(({ run }) => run);
    const awaited = [...(this.current ? [this.current] : []), ...planned].filter(({ background }) => !background);
    const { time: now, waiting, trace } = this;
    const ticks = waiting?.bySchedule ?? new Map<string, number>();
    return new NeverSettles(describeEndless(reason, { now, awaited, ticks, lines: trace.lines }));
  }

  /**
   * Runs until a condition holds, or until nothing is planned.
   * @returns whether it holds
   * @throws {NeverSettles} if schedules tick without end meanwhile
   */
  async until(condition: () => boolean): Promise<boolean> {
    await this.wait('each', () => condition() || this.heap.length === 0);
    return condition();
  }

  private async wait(ticks: Wait['ticks'], isOver: () => boolean): Promise<void> {
    const { waiting } = this;
    this.waiting = { since: this.time, ticks, bySchedule: new Map() };
    try {
      while (!isOver()) await this.step();
    } finally {
      this.waiting = waiting;
    }
  }

  /** Runs all events of the next `milliseconds`, and advances the time by them. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.time + milliseconds;
    while ((this.heap[0]?.at ?? Number.POSITIVE_INFINITY) <= end) await this.step();
    this.time = end;
  }

  private plan(delay: number, run: () => void, background: boolean, about: string | undefined): Planned {
    const at = this.time + Math.max(0, Math.round(delay));
    const entry = new Entry(this.cancelled, at, this.planned++, background, run, about);
    if (!background) this.foreground++;
    this.push(entry);
    return entry;
  }

  /**
   * Most events are timeouts of something that ends long before. Cancelled, they would stay until their time comes, which is hours
   * or days in a live world. Their order is total, so those that stay happen as before.
   */
  private readonly cancelled = ({ background }: Entry): void => {
    if (!background) this.foreground--;
    this.cancelledCount++;
    if (this.cancelledCount < WORTH_SWEEPING || this.cancelledCount < this.heap.length / 2) return;
    this.cancelledCount = 0;
    const left = this.heap.filter(({ run }) => run);
    this.heap = [];
    for (const entry of left) this.push(entry);
  };

  private async step(): Promise<void> {
    this.happen();
    if (this.entered) {
      this.entered = false;
      await turnEnds();
    }
  }

  private happen(): void {
    const next = this.pop();
    if (!next?.run) {
      if (next) this.cancelledCount--;
      return;
    }
    this.current = next;
    if (++this.happened > this.limit) throw this.neverSettles(`${this.limit} events, and still something to do`);
    this.time = Math.max(this.time, next.at);
    const { run } = next;
    next.run = undefined;
    if (!next.background) this.foreground--;
    run();
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

/** A list that forgets its oldest half when it is full. */
class Newest<T> extends Array<T> {
  private readonly most: number;

  constructor(most: number) {
    super();
    this.most = most;
  }

  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  override push(...added: T[]): number {
    const length = super.push(...added);
    if (length > this.most) this.splice(0, length - this.most / 2);
    return this.length;
  }
}

const isBefore = (one: Entry, other: Entry): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order);
