import type { EventLoop } from '../../packages/simulator/engine/event-loop.js';

/**
 * Lets the time of a simulated world pass for as long as somebody waits for something in it, and only then. Many may wait
 * at once: the world continues once for all of them, and at each moment at which one is served, its code goes first.
 */
export class VirtualTime {
  private readonly waiting = new Set<(error: unknown) => void>();
  private served = 0;
  private passing = false;

  constructor(private readonly world: EventLoop) {}

  /**
   * @param begin plans something and tells when it has come about
   * @throws whatever ends the world
   */
  wait<T>(begin: (done: (result: T) => void) => void): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.waiting.add(reject);
      begin((result) => {
        this.waiting.delete(reject);
        this.served++;
        resolve(result);
      });
      void this.pass();
    });
  }

  private async pass(): Promise<void> {
    if (this.passing) return;
    this.passing = true;
    try {
      while (this.waiting.size > 0) {
        // Whoever was served may have more to begin at this same moment.
        await new Promise((resolve) => setImmediate(resolve));
        const before = this.served;
        await this.world.until(() => this.served > before);
      }
    } catch (error) {
      for (const reject of this.waiting) reject(error);
      this.waiting.clear();
    } finally {
      this.passing = false;
    }
  }
}
