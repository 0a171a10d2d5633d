import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { atExit } from '../at-exit.js';

/**
 * Runs a program to its end. It ends with this process.
 * @returns its output
 * @throws {Error} with its output, if it fails
 */
export function runProgram(
  program: string,
  args: readonly string[],
  { cwd = tmpdir(), env = {} }: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd, env: { ...process.env, ...env } });
    const forget = atExit(() => child.kill());
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      forget();
      if (code === 0) resolve(output);
      else reject(new Error(`${program} ${args.join(' ')} ended with ${code}:\n${output}`));
    });
  });
}
