import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';

/** What decides whether a text is paged, and by what. */
export interface PagerSettings {
  /** Name of the variable that an application has for itself: `SHOP_PAGER`. It counts before `PAGER`. */
  readonly variable: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly stdout?: Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'rows'>;
}

/** `less` as git starts it: it ends by itself with a short text, keeps colours, and leaves the text on the screen. */
const LESS = 'FRX';

/**
 * Returns the command of the pager for a text, or undefined: the text fits the terminal, there is no terminal, or nobody wants
 * a pager.
 */
export function pagerFor(
  text: string,
  { variable, env = process.env, stdout = process.stdout }: PagerSettings,
): string | undefined {
  const { isTTY, columns = 80, rows = 24 } = stdout;
  if (!isTTY || env.NO_PAGER || env.TERM === 'dumb') return undefined;
  const command = (env[variable] ?? env.PAGER ?? 'less').trim();
  if (command === '' || command === 'cat') return undefined;
  const lines = stripVTControlCharacters(text).split('\n');
  const height = lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 0);
  // The last row has the prompt of the shell.
  return height < rows ? undefined : command;
}

/**
 * Shows a text in a pager, and waits until the operator closes it. Ctrl-C is for the pager; when this process ends, the pager
 * does too.
 * @param command of the shell, with its options
 * @returns false if it can't be started: then nothing was shown
 */
export function showInPager(command: string, text: string): Promise<boolean> {
  const others = process.listeners('SIGINT');
  const ignored = (): void => undefined;
  process.on('SIGINT', ignored);
  for (const other of others) process.off('SIGINT', other);
  const pager = spawn(command, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env: { LESS, ...process.env } });
  const end = (): void => void pager.kill();
  process.once('exit', end);
  // It may be closed before it has read everything.
  pager.stdin.on('error', () => undefined);
  pager.stdin.end(`${text}\n`);
  return new Promise<boolean>((resolve) => {
    pager.once('error', () => resolve(false));
    // A shell's codes for a command that isn't there, or can't be run.
    pager.once('close', (code) => resolve(code !== 127 && code !== 126));
  }).finally(() => {
    process.off('exit', end);
    for (const other of others) process.on('SIGINT', other);
    process.off('SIGINT', ignored);
  });
}
