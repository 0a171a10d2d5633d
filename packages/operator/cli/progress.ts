import { cutToWidth } from './table.js';
import { formatDuration } from './text-format.js';

/**
 * Reports progress to the operator; it is not a part of the result.
 * @param share how much of the work is done, 0 to 1. @default unknown
 */
export type ReportProgress = (line: string, share?: number) => void;

/** A terminal on which a line can be replaced. */
export type Terminal = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>;

/** Goes to the beginning of the line, and clears it (ECMA-48: CR, EL). */
const CLEAR = '\r\u001b[K';
const BAR_WIDTH = 20;
const EVERY = 1_000;

/** Progress of work that takes a while: on a terminal one line, which is replaced; elsewhere a line for each report. */
export class Progress {
  private shown: { readonly line: string; readonly share: number | undefined; readonly since: number } | undefined;
  private ticker: NodeJS.Timeout | undefined;

  /**
   * @param plain prints a line
   * @param terminal @default none
   */
  constructor(
    private readonly plain: (line: string) => void,
    private readonly terminal?: Terminal,
  ) {}

  readonly say: ReportProgress = (line, share) => {
    if (!this.terminal?.isTTY || process.env.TERM === 'dumb') {
      this.plain(line);
      return;
    }
    this.shown = { line, share, since: performance.now() };
    this.draw();
    // A step may take a while: the time moves on.
    this.ticker ??= setInterval(() => this.draw(), EVERY).unref();
  };

  /** Removes the line: a result follows, or an error. */
  end(): void {
    clearInterval(this.ticker);
    this.ticker = undefined;
    if (this.shown) this.terminal?.write(CLEAR);
    this.shown = undefined;
  }

  private draw(): void {
    if (!this.shown) return;
    const { line, share, since } = this.shown;
    const seconds = (performance.now() - since) / 1000;
    const waited = seconds < 2 ? '' : `  (${formatDuration(seconds)})`;
    const text = `${share === undefined ? '' : `${renderBar(share)}  `}${line}${waited}`;
    this.terminal?.write(CLEAR + cutToWidth((this.terminal.columns || 80) - 1, text));
  }
}

/** `[#####---------------]  25 %` */
export function renderBar(share: number): string {
  const part = Math.min(1, Math.max(0, share));
  const filled = Math.floor(part * BAR_WIDTH);
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}] ${String(Math.floor(part * 100)).padStart(3)} %`;
}
