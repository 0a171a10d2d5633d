import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { runs } from '../../local/installing.js';
import type { Check } from '../check.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** Folder with `go.mod` and `go.sum`, which pin actionlint and all that it is built from by hashes. */
const MODULE = fileURLToPath(new URL('.', import.meta.url));

/** Checks the workflows of GitHub Actions by actionlint: keys, expressions, needs, contexts. Go builds it when it is missing. */
export async function checkWorkflows(): Promise<Check> {
  if (!runs('go', ['version'])) return notDone('no Go');
  const [code, output] = await run('go', ['tool', '-n', 'actionlint'], MODULE);
  if (code !== 0) return notDone(output.trim());
  const [status, said] = await run(output.trim(), ['-no-color', '-shellcheck=', '-pyflakes='], ROOT);
  if (status === 0) return { verdict: 'clean', text: 'actionlint: the workflows are correct.' };
  // 1: it found something. Others: it could not run.
  return { verdict: 'refused', text: `actionlint: refused.\n${said.trimEnd()}` };
}

const notDone = (why: string): Check => ({
  verdict: 'unknown',
  text: `actionlint: NOT DONE (${why}). Run it where Go 1.25 or newer and its module proxy are.`,
});

const run = (command: string, args: readonly string[], cwd: string): Promise<readonly [number, string]> =>
  new Promise((resolve) => {
    execFile(command, args, { cwd, maxBuffer: 2 ** 24 }, (error, stdout, stderr) => {
      const code = error ? (typeof error.code === 'number' ? error.code : -1) : 0;
      resolve([code, code === 0 ? stdout : `${stdout}${stderr || (error?.message ?? '')}`]);
    });
  });
