import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atExit } from './at-exit.js';
import { checkTools, MissingToolError } from './localstack/install.js';
import { type Progress, runStep } from './progress.js';
import { addOutcomes, failed, NOTHING, type Outcome, readOutcome, SKIPPED, slowest } from './test-report.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Tests that deploy. They share one emulator, so they run together. `acceptance` exists only if vitest.config.ts
 * defines it.
 */
const DEPLOYED = ['integration', 'acceptance'];

/**
 * Arguments of the compiler. More threads would only repeat work, while lint and synth use the cores. What it found for unchanged
 * files, it keeps for the next run.
 */
const TYPES = ['--noEmit', '--singleThreaded', '--incremental', '--tsBuildInfoFile', '.build/types.tsbuildinfo'];

/** The console's page has a browser's types. */
const PAGE_TYPES = ['--noEmit', '--singleThreaded', '-p', 'packages/console'];

interface Options {
  /** Deploys nothing, and searches only a part of the histories. */
  readonly quick: boolean;
  /** Parts of file names. Empty means all files. */
  readonly files: readonly string[];
}

/** Runs `npm test [-- --quick] [-- <part of a file's name> ...]`. The last line of the output counts all tests. */
export async function main(args: readonly string[]): Promise<number> {
  const unknown = args.find((arg) => arg.startsWith('-') && arg !== '--quick');
  if (unknown !== undefined) {
    console.error(`'${unknown}' is unknown: npm test [-- --quick] [-- <part of a file's name> ...]`);
    return 2;
  }
  const options = { quick: args.includes('--quick'), files: args.filter((arg) => arg !== '--quick') };
  if (options.quick) process.env.ORDERLY_QUICK = '1';
  const began = performance.now();
  const { count, times, failures } = addOutcomes(await (options.files.length > 0 ? some(options) : all(options)));
  console.log(`\nThe slowest tests:\n${slowest(times)}`);
  console.log(`\nTotal time: ${((performance.now() - began) / 1000).toFixed(0)} s.`);
  if (failures.length > 0) console.log(`\nFailures:\n${failures.map((failure) => `  ${failure}`).join('\n')}\n`);
  const { passed, skipped } = count;
  console.log(`${passed} passed, ${count.failed} failed${skipped ? `, ${skipped} skipped` : ''}`);
  return count.failed ? 1 : 0;
}

/** Runs the tests of the named files, in any project. */
async function some(options: Options): Promise<readonly Outcome[]> {
  const { files } = options;
  return [await runStep(console.log, files.join(', '), () => tests(chooseProjects(options), files))];
}

/** Returns the projects of which a part of a file's name chooses: all of them, or those that deploy nothing. */
export const chooseProjects = ({ quick }: Pick<Options, 'quick'>): readonly string[] =>
  quick ? DEPLOYED.map((name) => `!${name}`) : [];

/**
 * Runs everything, the quick checks first. The emulator's tests begin as soon as there is something to deploy; everything else
 * computes meanwhile. Those that start processes begin when either has ended, so that no core is idle at the end.
 */
async function all({ quick }: Options): Promise<readonly Outcome[]> {
  const progress: Progress = console.log;
  const one = (...projects: string[]) => runStep(progress, projects.join(' and '), () => tests(projects));
  // The simulator plays these assemblies, and one of them is deployed. Making them takes as long as the quick tests.
  const synth = runStep(progress, 'synth', () => check('synth', 'tsx/dist/cli.mjs', ['test/support/synthesize.ts']));
  const checks = Promise.all([
    runStep(progress, 'types', () => check('types', 'typescript/bin/tsc', TYPES)),
    runStep(progress, "types of the console's page", () =>
      check('types of the page', 'typescript/bin/tsc', PAGE_TYPES),
    ),
    runStep(progress, 'lint', () => check('lint', '@biomejs/biome/bin/biome', ['check', '.'])),
    runStep(progress, 'words', () => check('words', '../tools/words.mjs')),
  ]);
  const unit = checks.then(() => one('unit'));
  const computing = Promise.all([unit, synth]).then(() =>
    one('infrastructure', 'packages', 'simulation', ...(quick ? [] : ['local-cloud'])),
  );
  const integration = synth.then(() => (quick ? NOTHING : runStep(progress, 'integration', () => deployed(progress))));
  const local = Promise.race([computing, Promise.all([unit, integration])]).then(() => one('local'));
  return (await Promise.all([checks, synth, unit, computing, integration, local])).flat();
}

/** Runs a check. It counts as one failure or as nothing. */
async function check(name: string, bin: string, args: readonly string[] = []): Promise<Outcome> {
  return (await run(bin, args)) === 0 ? NOTHING : failed(name);
}

/**
 * Runs the tests that deploy. If a tool for the emulator is missing, they count as one skipped test, so that the last
 * line mentions it; with `CI` set they count as a failure.
 */
async function deployed(progress: Progress): Promise<Outcome> {
  try {
    if (!process.env.ORDERLY_ENDPOINT) checkTools();
  } catch (error) {
    if (!(error instanceof MissingToolError)) throw error;
    progress(`integration: NOT RUN. ${error.message.replace('npm start', 'npm test')}`);
    return process.env.CI ? failed('integration') : SKIPPED;
  }
  return tests(DEPLOYED);
}

/**
 * Runs the tests of some projects.
 * @param files parts of file names. @default all files of the projects
 */
async function tests(projects: readonly string[], files: readonly string[] = []): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-test-'));
  const file = join(folder, 'report.json');
  try {
    const code = await run('vitest/vitest.mjs', [...vitestArguments(projects, files), `--outputFile.json=${file}`]);
    const outcome = existsSync(file) ? readOutcome(JSON.parse(readFileSync(file, 'utf8')), ROOT) : NOTHING;
    // A failed set-up or an unhandled error fails no test. It must not count as a success.
    return code !== 0 && outcome.count.failed === 0
      ? addOutcomes([outcome, failed(projects.join(' and ') || files.join(', '))])
      : outcome;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns vitest's arguments for some projects (`!<name>`: all but that one) and parts of file names. None means all of them. */
export function vitestArguments(projects: readonly string[], files: readonly string[]): readonly string[] {
  const chosen = projects.flatMap((project) => ['--project', project]);
  const reporters = ['default', 'json', 'test/support/progress-reporter.ts'].map((name) => `--reporter=${name}`);
  return ['run', ...files, ...chosen, ...reporters];
}

function run(bin: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(ROOT, 'node_modules', bin), ...args], {
      cwd: ROOT,
      stdio: 'inherit',
      // The compiler and esbuild are written in Go. They take less time when they collect garbage less often.
      env: { GOGC: '400', ...process.env },
    });
    const forget = atExit(() => child.kill());
    child.on('error', reject);
    child.on('close', (code) => {
      forget();
      resolve(code ?? 1);
    });
  });
}
