import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyTree } from '../bench/copied-tree.js';
import { atExit } from '../local/at-exit.js';
import { LocalRunError } from '../local/errors.js';
import type { Report } from '../local/test-report.js';
import { type Guard, lineOf, removedText, withoutGuard } from './guard.js';
import { GUARDS } from './guards.js';
import { beginRun, type GuardResult, keepPart, ROOT, type Run, readRecord } from './record.js';

/** Milliseconds for one test: without a guard, a loop may have no end. */
const TEST_LIMIT = 60_000;
/** Milliseconds for the tests of one file. */
const FILE_LIMIT = 10 * 60_000;

/**
 * Removes each guard in a copy of the tree, sees its test fail, and writes that into the record.
 * @param only part of the names of the guards that are removed; the results of the others stay
 * @returns number of guards whose test is not green with it or not red without it
 */
export async function proveGuards(only = ''): Promise<number> {
  const run = beginRun(only);
  const chosen = GUARDS.filter(({ promise, guard }) => `${promise} ${guard}`.includes(only));
  const folder = copyTree(fileURLToPath(ROOT), 'linked');
  const sound = await runTests(folder, [...new Set(chosen.map(({ test }) => test.file))]);
  const others = (readRecord().guards?.results ?? []).filter((one) => !chosen.some(({ guard }) => guard === one.guard));
  const results: GuardResult[] = [];
  for (const guard of chosen) {
    const result = await remove(folder, guard, sound);
    results.push(result);
    keep(run, [...results, ...others]);
    console.log(`${verdict(result)}: ${result.promise} ${result.guard}`);
  }
  return results.filter(({ greenWith, redWithout }) => !greenWith || !redWithout).length;
}

function keep(run: Run, results: readonly GuardResult[]): void {
  const all = GUARDS.flatMap(({ guard }) => results.filter((one) => one.guard === guard));
  const missing = GUARDS.length - all.length;
  const leftOut = missing > 0 ? { leftOut: `${missing} of ${GUARDS.length} guards.` } : {};
  keepPart('guards', { run: { ...run, ...leftOut }, results: all });
}

function verdict({ greenWith, redWithout, test }: GuardResult): string {
  if (!greenWith) return `RED WITH THE GUARD (${test.file}: ${test.name})`;
  return redWithout ? 'red without it' : `STILL GREEN without it (${test.file}: ${test.name})`;
}

/** One test of a report. */
interface Tested {
  readonly file: string;
  readonly name: string;
  readonly isGreen: boolean;
  readonly failure: string;
}

async function remove(folder: string, guard: Guard, sound: readonly Tested[]): Promise<GuardResult> {
  const path = join(folder, guard.file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, withoutGuard(text, guard));
  const tested = await runTests(folder, [guard.test.file]).finally(() => writeFileSync(path, text));
  const failed = testsOf(guard, tested).find(({ isGreen }) => !isGreen);
  if (failed === undefined)
    for (const { name, isGreen } of tested) if (!isGreen) console.log(`    red instead: ${name}`);
  const { promise, guard: does, file, to, test } = guard;
  const greenOnes = testsOf(guard, sound);
  return {
    promise,
    guard: does,
    file,
    line: lineOf(text, guard),
    removed: { from: removedText(text, guard), to },
    test,
    greenWith: greenOnes.length > 0 && greenOnes.every(({ isGreen }) => isGreen),
    redWithout: failed !== undefined,
    ...(failed && { failure: failed.failure }),
  };
}

const testsOf = ({ test }: Guard, tested: readonly Tested[]): readonly Tested[] =>
  tested.filter(({ file, name }) => file === test.file && name.includes(test.name));

/** Runs the tests of some files of a copy. A run that passes its time limit is ended, and has no green test. */
async function runTests(folder: string, files: readonly string[]): Promise<readonly Tested[]> {
  const output = join(folder, '.build-report.json');
  rmSync(output, { force: true });
  const vitest = join(folder, 'node_modules/vitest/vitest.mjs');
  const reports = ['--reporter=json', `--outputFile=${output}`, `--testTimeout=${TEST_LIMIT}`];
  const projects = [...new Set(files.map(projectOf))].map((project) => `--project=${project}`);
  const printed = await runNode([vitest, 'run', ...projects, ...reports, ...files], folder);
  if (!existsSync(output)) throw new LocalRunError(`vitest wrote no report of ${files.join(', ')}:\n${printed}`);
  const { testResults } = JSON.parse(readFileSync(output, 'utf8')) as Report;
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ fullName, status, failureMessages }) => ({
      file: name.slice(folder.length + 1),
      name: fullName,
      isGreen: status === 'passed',
      failure: (failureMessages?.[0] ?? '').split('\n')[0]?.replaceAll(folder, '.') ?? '',
    })),
  );
}

/** Returns the vitest project of a test file (vitest.config.ts). */
function projectOf(file: string): string {
  if (file.startsWith('test/lib/')) return 'infrastructure';
  return /^test\/(acceptance|simulation)\//.test(file) ? 'simulation' : 'unit';
}

/** Runs Node until it ends, at most for the time limit of a file; it ends with this process. @returns what it printed */
function runNode(args: readonly string[], cwd: string): Promise<string> {
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const end = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  };
  const forget = atExit(end);
  const limit = setTimeout(end, FILE_LIMIT);
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (printed += String(data)));
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', () => {
      clearTimeout(limit);
      end();
      forget();
      done(printed);
    });
  });
}
