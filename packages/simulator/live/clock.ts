import type { World } from '../world/world.js';
import { SharedClock } from './messages.js';
import type { Threads } from './threads.js';

/** Longest real time between two looks at the clock: a machine that slept is noticed by the next one. */
const LONGEST_WAIT = 1_000;

/**
 * Longest real time for which time is forwarded without a turn of the event loop. Promises alone would keep signals and requests
 * waiting until the end of the forward, where no function runs in it.
 */
const LONGEST_TURN = 50;

/**
 * Lets a world live by the real clock. The world's events run when they are due; whatever comes from outside (a request, a
 * message of a thread) is taken at the time that it is.
 */
export class RealTime {
  readonly shared = new SharedClock();
  private world: World | undefined;
  private timer: NodeJS.Timeout | undefined;
  private immediate: NodeJS.Immediate | undefined;
  private forwarding = false;

  /** Begins to run a world, in the place of an earlier one. */
  run(world: World): void {
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
   * @throws {Error} if time is being forwarded already
   */
  async forward(milliseconds: number, threads: Threads): Promise<void> {
    const { world } = this;
    if (!world) return;
    if (this.forwarding) throw new Error('time is being forwarded already');
    this.catchUp();
    this.forwarding = true;
    try {
      const end = world.now + milliseconds;
      let turned = performance.now();
      for (;;) {
        if (performance.now() - turned >= LONGEST_TURN) {
          await new Promise((resolve) => setImmediate(resolve));
          turned = performance.now();
        }
        await threads.quiet();
        if (this.world !== world) return;
        const next = world.nextAt;
        if (next === undefined || next > end) break;
        world.advance(Math.max(next, world.now));
        this.shared.set(world.now);
      }
      world.advance(end);
      this.shared.set(world.now);
    } finally {
      this.forwarding = false;
      this.arm();
    }
  }

  private catchUp(): void {
    if (!this.forwarding) this.world?.advance(this.shared.now);
  }

  /** Plans the next look at the clock. */
  private arm(): void {
    const { world } = this;
    if (!world || this.forwarding) return;
    clearTimeout(this.timer);
    const wait = Math.min(LONGEST_WAIT, (world.nextAt ?? Number.POSITIVE_INFINITY) - this.shared.now);
    if (wait > 0) this.timer = setTimeout(() => this.tick(), wait);
    else this.immediate ??= setImmediate(() => this.tick());
  }

  private tick(): void {
    this.immediate = undefined;
    this.catchUp();
    this.arm();
  }
}
