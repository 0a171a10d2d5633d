import type { EventLoop, Planned } from '../../engine/event-loop.js';

/**
 * The time in which a part of an execution is under way: all that it has planned ends with it, and so do the parts of it. A task that was
 * given up answers nobody.
 */
export class Lifetime {
  private isOver = false;
  private readonly planned = new Set<Planned>();
  private readonly parts = new Set<Lifetime>();
  private readonly listeners: (() => void)[] = [];

  constructor(private readonly world: EventLoop) {}

  /** Begins a part, which ends with the whole or before it. */
  begin(): Lifetime {
    const part = new Lifetime(this.world);
    this.parts.add(part);
    part.onEnd(() => this.parts.delete(part));
    return part;
  }

  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    for (const planned of this.planned) planned.cancel();
    for (const part of [...this.parts]) part.end();
    for (const listener of this.listeners) listener();
  }

  onEnd(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Plans something that doesn't happen once this is over. @param delay milliseconds @param about owner and kind of the work @returns a function that cancels it */
  after(delay: number, run: () => void, about?: string): () => void {
    const happen = (): void => {
      this.planned.delete(planned);
      run();
    };
    const planned = this.world.after(delay, happen, about);
    this.planned.add(planned);
    return () => {
      this.planned.delete(planned);
      planned.cancel();
    };
  }

  /** Returns a listener that does nothing once this is over. */
  guard<T extends readonly unknown[]>(run: (...args: T) => void): (...args: T) => void {
    return (...args) => {
      if (!this.isOver) run(...args);
    };
  }
}
