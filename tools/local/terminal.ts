import { stdout } from 'node:process';
import { atExit } from './at-exit.js';

/** Seconds without a line after which a moving line shows that something is still under way. */
const SILENT_FOR = 2;

/** Escape sequences, where a person reads; nothing in a file or with NO_COLOR (https://no-color.org). */
const COLOURS = { bold: '1', dim: '2', green: '32', red: '31', cyan: '36' } as const;

/** The part of a stream that a terminal writes to. */
export interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** The terminal of a command that runs for a while: lines, and a moving one below them while nothing is said. */
export class Terminal {
  private readonly isWatched: boolean;
  private readonly isColoured: boolean;
  private last = 0;
  private shown = false;
  private ticker: NodeJS.Timeout | undefined;

  constructor(
    private readonly out: Output = stdout,
    environment: NodeJS.ProcessEnv = process.env,
  ) {
    this.isWatched = out.isTTY === true;
    this.isColoured = this.isWatched && !environment.NO_COLOR;
  }

  /** Prints a line. */
  readonly say = (line: string): void => {
    this.clear();
    this.last = performance.now();
    this.out.write(`${line}\n`);
  };

  /** Shows a moving line during the work, where a person reads, whenever nothing was said for a while. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    if (!this.isWatched || this.ticker) return work();
    this.last = performance.now();
    this.ticker = setInterval(() => this.move(), 1000);
    this.ticker.unref();
    // A signal or an error ends the process in the middle of the work, and the shell's prompt takes the line.
    const forget = atExit(() => this.clear());
    try {
      return await work();
    } finally {
      clearInterval(this.ticker);
      this.ticker = undefined;
      forget();
      this.clear();
    }
  }

  colour(name: keyof typeof COLOURS, text: string): string {
    return this.isColoured ? `\u001b[${COLOURS[name]}m${text}\u001b[0m` : text;
  }

  private move(): void {
    const seconds = Math.floor((performance.now() - this.last) / 1000);
    if (seconds < SILENT_FOR) return;
    this.out.write(`\r\u001b[K${this.colour('dim', `  ... ${seconds} s`)}`);
    this.shown = true;
  }

  private clear(): void {
    if (this.shown) this.out.write('\r\u001b[K');
    this.shown = false;
  }
}
