import { join } from 'node:path';
import { createVitest, type TestUserConfig } from 'vitest/node';
import type {} from './activate-mutant.js';

/** Mutants that one worker runs, in a copy of the tree whose sources hold their switches. */
export interface MutantTask {
  /** Folder of the copy. */
  readonly folder: string;
  /** Parts of the paths of the tests that run. */
  readonly tests: readonly string[];
  /** Ids of the mutants. `''` runs the tests without a mutant. */
  readonly mutants: readonly string[];
}

/** Message of a worker to its parent: it begins a mutant, or the tests have judged it. */
export type MutantMessage =
  | { readonly begun: string }
  | { readonly judged: string; readonly killed: boolean; readonly by: string };

/** Milliseconds after which a test that waits is ended: a mutant may make it wait for ever. */
const WAITS_AT_MOST = 20_000;

/** Options of vitest for the unit tests of the kit. Tests that read the sources are left out: they would see the switches. */
const OPTIONS = {
  config: false as const,
  watch: false,
  bail: 1,
  reporters: [{}],
  include: ['test/kit/**/*.test.ts'],
  exclude: ['**/bundle.test.ts', '**/readme.test.ts', '**/alternatives.test.ts'],
  isolate: false,
  maxWorkers: 1,
  testTimeout: WAITS_AT_MOST,
  hookTimeout: WAITS_AT_MOST,
  env: { NODE_NO_WARNINGS: '1', POWERTOOLS_LOG_LEVEL: 'SILENT', POWERTOOLS_METRICS_DISABLED: 'true' },
} satisfies TestUserConfig;

/** Runs one process of the mutants (`mutant-worker.ts <task as JSON>`). */
async function work({ folder, tests, mutants }: MutantTask): Promise<void> {
  const setupFiles = [join(folder, 'tools/prove/activate-mutant.ts')];
  const vitest = await createVitest('test', { ...OPTIONS, root: folder, setupFiles });
  const specifications = await vitest.globTestSpecifications([...tests]);
  if (specifications.length === 0) throw new Error(`no tests in ${folder} fit ${tests.join(', ')}`);
  const tell = (message: MutantMessage): void => void process.send?.(message);
  for (const mutant of mutants) {
    tell({ begun: mutant });
    for (const project of vitest.projects) project.provide('mutant', mutant);
    // Failed tests of an earlier mutant would end the run of this one at once.
    vitest.state.filesMap.clear();
    vitest.state.idMap.clear();
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications, true);
    const failed = testModules.find((module) => module.state() === 'failed');
    const killed = failed !== undefined || unhandledErrors.length > 0;
    tell({ judged: mutant, killed, by: failed?.moduleId.slice(folder.length + 1) ?? '' });
  }
  await vitest.close();
}

const [task] = process.argv.slice(2);
if (task !== undefined && process.send) {
  process.on('disconnect', () => process.exit(1));
  await work(JSON.parse(task) as MutantTask);
  process.exit(0);
}
