import { stderr, stdout } from 'node:process';

/** Seconds without a line after which a moving line shows that something is still under way. */
const SILENT_FOR = 2;

/** Escape sequences, where a person reads; nothing in a file or with NO_COLOR (https://no-color.org). */
const COLOURS = { bold: '1', dim: '2', green: '32', red: '31', cyan: '36' } as const;

/** The terminal of a command that runs for a while: lines, and a moving one below them while nothing is said. */
export class Terminal {
  private readonly isWatched = stdout.isTTY === true;
  private readonly isColoured = this.isWatched && !process.env.NO_COLOR;
  private last = performance.now();
  private shown = false;
  private ticker: NodeJS.Timeout | undefined;

  /** Prints a line. */
  readonly say = (line: string): void => {
    this.clear();
    this.last = performance.now();
    console.log(line);
  };

  /** Shows a moving line from now on, where a person reads, whenever nothing was said for a while. */
  begin(): void {
    if (!this.isWatched) return;
    this.ticker = setInterval(() => {
      const seconds = Math.floor((performance.now() - this.last) / 1000);
      if (seconds < SILENT_FOR) return;
      stdout.write(`\r\u001b[K${this.colour('dim', `  ... ${seconds} s`)}`);
      this.shown = true;
    }, 1000);
    this.ticker.unref();
  }

  /** Ends the moving line. */
  rest(): void {
    clearInterval(this.ticker);
    this.clear();
  }

  colour(name: keyof typeof COLOURS, text: string): string {
    return this.isColoured ? `\u001b[${COLOURS[name]}m${text}\u001b[0m` : text;
  }

  /** Prints an error beside what was printed so far. */
  complain(line: string): void {
    this.clear();
    stderr.write(`${line}\n`);
  }

  private clear(): void {
    if (this.shown) stdout.write('\r\u001b[K');
    this.shown = false;
  }
}
