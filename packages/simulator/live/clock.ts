import type { EventLoop } from '../engine/event-loop.js';
import { SharedClock } from './messages.js';

/** Longest real time between two looks at the clock: a machine that slept is noticed by the next one. */
const MAX_WAIT_MS = 1_000;

/**
 * Longest real time for which time is forwarded without a turn of the event loop. Promises alone would keep signals and requests
 * waiting until the end of the forward, where no function runs in it.
 */
const MAX_TURN_MS = 50;

/** Real milliseconds between two reports of how far time has passed. */
const TOLD_AFTER = 250;

/**
 * Lets a world live by the real clock. The world's events run when they are due; whatever comes from outside (a request, a
 * message of a thread) is taken at the time that it is.
 */
export class RealTime {
  readonly shared = new SharedClock();
  private world: EventLoop | undefined;
  private timer: NodeJS.Timeout | undefined;
  private immediate: NodeJS.Immediate | undefined;
  private forwarding = false;

  /** @param failed called for an event that ended by an error: no event may end the process */
  constructor(private readonly failed: (error: Error) => void = () => undefined) {}

  /** Begins to run a world, in the place of an earlier one. */
  run(world: EventLoop): void {
    this.world = world;
    this.shared.set(world.now);
    this.arm();
  }

  stop(): void {
    this.world = undefined;
    clearTimeout(this.timer);
    clearImmediate(this.immediate);
  }

  /** Takes something from outside, at the current time. */
  take(something: () => void): void {
    this.catchUp();
    something();
    this.arm();
  }

  /**
   * Lets time pass at once: all that would happen in it happens, in order, each event after the code that it follows has
   * run.
   * @param milliseconds from now on
   * @param quiet waits until no code runs
   * @param passed called now and then, with the milliseconds that have passed so far. @default nobody waits for it
   * @throws {Error} if time is being forwarded already
   */
  async forward(
    milliseconds: number,
    quiet: () => Promise<void>,
    passed: (milliseconds: number) => void = () => undefined,
  ): Promise<void> {
    const { world } = this;
    if (!world) return;
    if (this.forwarding) throw new Error('time is being forwarded already');
    this.catchUp();
    this.forwarding = true;
    try {
      const begun = world.now;
      const end = begun + milliseconds;
      let turned = performance.now();
      let told = turned;
      for (;;) {
        if (performance.now() - turned >= MAX_TURN_MS) {
          await new Promise((resolve) => setImmediate(resolve));
          turned = performance.now();
        }
        if (performance.now() - told >= TOLD_AFTER) {
          passed(world.now - begun);
          told = performance.now();
        }
        await quiet();
        if (this.world !== world) return;
        const next = world.nextAt;
        if (next === undefined || next > end) break;
        this.advance(world, Math.max(next, world.now));
        this.shared.set(world.now);
      }
      this.advance(world, end);
      this.shared.set(world.now);
    } finally {
      this.forwarding = false;
      this.arm();
    }
  }

  private catchUp(): void {
    if (!this.forwarding && this.world) this.advance(this.world, this.shared.now);
  }

  /** Runs the events up to a moment, also behind one that failed. */
  private advance(world: EventLoop, to: number): void {
    for (;;) {
      try {
        world.advance(to);
        return;
      } catch (error) {
        this.failed(error as Error);
      }
    }
  }

  /** Plans the next look at the clock. */
  private arm(): void {
    const { world } = this;
    if (!world || this.forwarding) return;
    clearTimeout(this.timer);
    const wait = Math.min(MAX_WAIT_MS, (world.nextAt ?? Number.POSITIVE_INFINITY) - this.shared.now);
    if (wait > 0) this.timer = setTimeout(() => this.tick(), wait);
    else this.immediate ??= setImmediate(() => this.tick());
  }

  private tick(): void {
    this.immediate = undefined;
    this.catchUp();
    this.arm();
  }
}
