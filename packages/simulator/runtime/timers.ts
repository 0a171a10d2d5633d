/** Schedules a callback at a virtual time: all that a timer needs from outside. */
export interface Alarms {
  /** @returns a function that cancels it */
  after(delay: number, run: () => void): () => void;
}

interface Timer {
  readonly id: number;
  readonly [Symbol.toPrimitive]: () => number;
  ref(): Timer;
  unref(): Timer;
  hasRef(): boolean;
  refresh(): Timer;
  close(): void;
}

type Callback = (...args: unknown[]) => void;

/**
 * Timers of one environment, by virtual time. Code may clear them by the object as well as by its number, as in Node. A
 * frozen environment's timers fire when it is thawed, as on Lambda.
 */
export class Timers {
  private readonly running = new Map<number, () => void>();
  private readonly late: (() => void)[] = [];
  private next = 1;
  private frozen = false;

  constructor(private readonly alarms: Alarms) {}

  readonly setTimeout = (callback: Callback, delay = 0, ...args: unknown[]): Timer =>
    this.start(callback, delay, args, false);
  readonly setInterval = (callback: Callback, delay = 0, ...args: unknown[]): Timer =>
    this.start(callback, delay, args, true);
  readonly setImmediate = (callback: Callback, ...args: unknown[]): Timer => this.start(callback, 0, args, false);
  readonly clear = (timer: unknown): void => {
    const id = Number(timer);
    this.running.get(id)?.();
    this.running.delete(id);
  };

  /** Number of running timers. */
  get pending(): number {
    return this.running.size;
  }

  freeze(): void {
    this.frozen = true;
  }

  thaw(): void {
    this.frozen = false;
    for (const fire of this.late.splice(0)) fire();
  }

  /** Clears all timers of an environment that was killed. */
  clearAll(): void {
    for (const cancel of this.running.values()) cancel();
    this.running.clear();
    this.late.length = 0;
  }

  private start(callback: Callback, delay: number, args: unknown[], repeats: boolean): Timer {
    const id = this.next++;
    const wait = Number.isFinite(delay) ? Math.max(repeats ? 1 : 0, Math.ceil(delay)) : 1;
    const timer: Timer = {
      id,
      [Symbol.toPrimitive]: () => id,
      ref: () => timer,
      unref: () => timer,
      hasRef: () => true,
      refresh: () => {
        this.clear(id);
        plan();
        return timer;
      },
      close: () => this.clear(id),
    };
    const fire = (): void => {
      if (this.frozen) {
        this.late.push(() => this.running.has(id) && fire());
        return;
      }
      if (repeats) plan();
      else this.running.delete(id);
      callback(...args);
    };
    const plan = (): void => {
      this.running.set(id, this.alarms.after(wait, fire));
    };
    plan();
    return timer;
  }
}
