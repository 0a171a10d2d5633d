import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { waitUntil } from '../../../tools/local/progress.js';
import { listeningBelow } from '../listening.js';

/** Variables that would lead a start elsewhere, or colour what it says. */
const UNSET = /^(ORDERLY_|AWS_|VITEST|NODE_ENV$|FORCE_COLOR$|npm_)/;

/** It is silent while it synthesizes: longer than this only if it hangs. */
const SILENT_MS = 10 * 60_000;

/** A process that a test started, in a process group of its own as a terminal has it. */
export class Started {
  private readonly child: ChildProcess;
  private said = '';
  private code: number | null | undefined;
  private readonly closed: Promise<void>;

  constructor(program: string, args: readonly string[], cwd: string) {
    const kept = Object.entries(process.env).filter(([name]) => !UNSET.test(name));
    // tools/run.mjs then ends with whoever started it, as below npm: no test leaves a process behind.
    const env = { ...Object.fromEntries(kept), npm_lifecycle_event: 'test', NO_COLOR: '1' };
    this.child = spawn(program, args, { cwd, env, detached: true, stdio: 'pipe' });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.said += text;
      });
    this.closed = new Promise((resolve) => {
      this.child.on('close', (code) => {
        this.code = code;
        resolve();
      });
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Output until now, of both streams. */
  get output(): string {
    return this.said;
  }

  /**
   * Waits for a text in its output.
   * @param from only what comes after this position counts
   * @returns what the expression found. @throws {Error} with the output, if the process ends without it
   */
  async says(pattern: RegExp | string, from = 0): Promise<RegExpExecArray> {
    const expression = typeof pattern === 'string' ? new RegExp(escaped(pattern)) : pattern;
    return waitUntil(
      async () => {
        // Whether it has ended is asked first: what it said last is there then.
        const { code } = this;
        const found = expression.exec(this.said.slice(from));
        if (found) return found;
        if (code !== undefined) throw new Error(`it ended with ${code} and never said ${expression}:\n${this.said}`);
        return undefined;
      },
      { missing: () => `${expression} in:\n${this.said}`, everyMs: 20, idleMs: SILENT_MS },
    );
  }

  /** Waits for its end. @returns its exit code, and what it printed */
  async ended(): Promise<{ readonly code: number | null; readonly output: string }> {
    await this.closed;
    return { code: this.code ?? null, output: this.said };
  }

  /** Presses Ctrl-C: everything in the foreground gets the signal. */
  interrupt(): this {
    process.kill(-this.pid, 'SIGINT');
    return this;
  }

  /** Returns the ports that it and its children listen on. */
  ports(): readonly number[] {
    return listeningBelow(this.pid).map(({ port }) => port);
  }

  /** Checks whether any process of its group is alive. One that has ended, and that nobody has asked about, is not. */
  get isAlive(): boolean {
    return this.processes !== '';
  }

  /** The living processes of its group, a line each, with their arguments. */
  get processes(): string {
    const { stdout } = spawnSync('ps', ['-A', '-o', 'pgid=,stat=,args='], { encoding: 'utf8' });
    const ours = new RegExp(`^ *${this.pid} +[^Z]`);
    return stdout
      .split('\n')
      .filter((line) => ours.test(line))
      .join('\n');
  }

  async kill(): Promise<void> {
    if (this.isAlive) process.kill(-this.pid, 'SIGKILL');
    await this.closed;
  }
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
