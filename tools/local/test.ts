import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atExit } from './at-exit.js';
import { checkTools, MissingToolError } from './localstack/install.js';
import { type Progress, step } from './progress.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Quick tests that need nothing but Node. */
const UNDEPLOYED = ['unit', 'infrastructure'];
/** Tests that compute, and know no time but their own. */
const SIMULATED = ['simulation', 'simulated-acceptance'];
/** Tests that deploy: they share one emulator, so they run in one go. */
const DEPLOYED = ['integration', 'acceptance'];
/** As nice as can be: what else is to run goes first. */
const LOWEST_PRIORITY = 19;

export interface Count {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const NOTHING: Count = { passed: 0, failed: 0, skipped: 0 };
const FAILED: Count = { ...NOTHING, failed: 1 };

/**
 * `npm test`: types, lint and every test; the last line counts them all. The emulator waits for a third of its time: the
 * simulation computes in there, and tells of itself when the other is through.
 */
export async function main(): Promise<number> {
  const progress: Progress = console.log;
  const counts: Count[] = [];
  counts.push(await step(progress, 'types', () => check('typescript/bin/tsc', ['--noEmit'])));
  counts.push(await step(progress, 'lint', () => check('@biomejs/biome/bin/biome', ['check', '.'])));
  for (const project of UNDEPLOYED) counts.push(await step(progress, project, () => tests([project])));
  const simulation = step(progress, SIMULATED.join(' and '), () => quietly(SIMULATED));
  counts.push(
    await step(progress, DEPLOYED.join(' and '), () => (canDeploy(progress) ? tests(DEPLOYED) : withoutEmulator())),
  );
  const { count, output } = await simulation;
  console.log(output);
  counts.push(count);
  const { passed, failed, skipped } = sum(counts);
  console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`);
  return failed ? 1 : 0;
}

export const sum = (counts: readonly Count[]): Count =>
  counts.reduce(
    (all, one) => ({
      passed: all.passed + one.passed,
      failed: all.failed + one.failed,
      skipped: all.skipped + one.skipped,
    }),
    NOTHING,
  );

/** A check counts as one failure, or as nothing. */
async function check(bin: string, args: readonly string[]): Promise<Count> {
  return (await run(bin, args)) === 0 ? NOTHING : FAILED;
}

/** What vitest's JSON report adds up to, with a file that didn't even load as one failure. */
export function countOf(report: {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: readonly { status: string; assertionResults: readonly { status: string }[] }[];
}): Count {
  const notLoaded = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((one) => one.status === 'failed'),
  ).length;
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + notLoaded,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

const tests = (projects: readonly string[]): Promise<Count> =>
  counted(projects, (args) => run('vitest/vitest.mjs', args));

/** Beside others: what it prints is kept for later, and it takes the time that they leave. */
async function quietly(projects: readonly string[]): Promise<{ readonly count: Count; readonly output: string }> {
  const printed: Buffer[] = [];
  const count = await counted(projects, (args) =>
    run('vitest/vitest.mjs', args, ({ pid, stdout, stderr }) => {
      if (pid !== undefined) setPriority(pid, LOWEST_PRIORITY);
      for (const stream of [stdout, stderr]) stream?.on('data', (text: Buffer) => printed.push(text));
    }),
  );
  return { count, output: Buffer.concat(printed).toString() };
}

async function counted(
  projects: readonly string[],
  vitest: (args: readonly string[]) => Promise<number>,
): Promise<Count> {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-test-'));
  const file = join(folder, 'report.json');
  try {
    const chosen = projects.flatMap((project) => ['--project', project]);
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
    const code = await vitest(['run', '--passWithNoTests', ...chosen, ...reporters]);
    const count = existsSync(file) ? countOf(JSON.parse(readFileSync(file, 'utf8'))) : NOTHING;
    // A failed set-up or an unhandled error fails no test, and must not pass for a success.
    return code !== 0 && count.failed === 0 ? { ...count, failed: 1 } : count;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function canDeploy(progress: Progress): boolean {
  if (process.env.ORDERLY_ENDPOINT) return true;
  try {
    checkTools();
    return true;
  } catch (error) {
    if (!(error instanceof MissingToolError)) throw error;
    progress(`${DEPLOYED.join(' and ')}: NOT RUN. ${error.message.replace('npm start', 'npm test')}`);
    return false;
  }
}

/** One skipped at a desk, so that the last line tells of it; a failure where nobody reads along. */
async function withoutEmulator(): Promise<Count> {
  return process.env.CI ? FAILED : { ...NOTHING, skipped: 1 };
}

/** @param begun given the process, whose output is then the caller's; without it, it prints by itself */
function run(bin: string, args: readonly string[], begun?: (child: ChildProcess) => void): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(ROOT, 'node_modules', bin), ...args], {
      cwd: ROOT,
      stdio: begun ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    });
    begun?.(child);
    const forget = atExit(() => child.kill());
    child.on('error', reject);
    child.on('close', (code) => {
      forget();
      resolve(code ?? 1);
    });
  });
}
