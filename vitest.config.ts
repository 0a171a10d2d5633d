import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Ends what hangs. It is no measure: no test takes a twentieth of it, so a busy machine doesn't reach it. */
const HANGS_AFTER = 30 * 60_000;

/** One project per kind of test; `integration` and `acceptance` share a deployment to one LocalStack (test/support). */
const project = (name: string, include: readonly string[], more: object = {}) => ({
  extends: true as const,
  test: { name, include: [...include], ...more },
});

/**
 * Files of a worker share their modules: the CDK is loaded once, and V8 has optimised what simulated functions run. What
 * they allocate mostly dies young, so V8 has more room for it than the default of 16 MB.
 */
const shared = { isolate: false, execArgv: ['--max-semi-space-size=64'] };

/**
 * Stacks that tests make themselves are not validated: it takes six seconds in each process and half of every synth. What is
 * deployed is validated when its assembly is made (tools/local/assembly.ts).
 */
const unvalidated = { env: { CDK_VALIDATION: 'false' } };

/** Files share no modules here: some set a function's environment before they import its code. */
const deployed = {
  setupFiles: ['test/support/begin-world.ts'],
  globalSetup: ['test/support/global-setup.ts'],
  // One emulator on two cores: files at once would only wait for each other, and share the proxy's faults.
  fileParallelism: false,
};

/**
 * The scenarios play in the simulator, word for word as on an emulator; test/integration shows there what only a deployment
 * can. `ORDERLY_ACCEPTANCE=all` plays every scenario on the emulator too. At an endpoint of one's own they always play.
 */
const acceptance =
  process.env.ORDERLY_ACCEPTANCE === 'all' || process.env.ORDERLY_ENDPOINT
    ? [project('acceptance', ['test/acceptance/**/*.test.ts'], deployed)]
    : [];

/**
 * Scenarios that also play in a local cloud, over HTTP: those with crashes, poison, days that pass, and what people see.
 * `ORDERLY_ACCEPTANCE=local` (or `all`) plays every scenario there.
 */
const OVER_HTTP = /^(local|all)$/.test(process.env.ORDERLY_ACCEPTANCE ?? '')
  ? ['test/acceptance/**/*.test.ts']
  : ['when-a-payment-is-requested', 'when-a-message-is-poison', 'when-a-day-is-reported'].map(
      (name) => `test/acceptance/${name}.test.ts`,
    );

/** Tests in a browser that `npm test` leaves to `npm run nightly`, which sets the variable. */
const ONLY_AT_NIGHT = process.env.ORDERLY_NIGHTLY === '1' ? [] : ['**/test/local-cloud/nightly/*.test.ts'];

/** Searches and large histories that `npm test -- --quick` leaves to `npm test`. */
const NOT_QUICK = [
  'lib/another-app',
  'lib/environments',
  'lib/rule-packs',
  'local/interrupted',
  'local/orderly-local',
  'local/other-nodes',
  'local/start',
  'local/watch',
  'packages/client',
  'packages/tickets',
  'dynamodb/differential',
  'search/singles',
  'cli/replay',
  'inboxes/batch',
  'inboxes/sequential',
  'inboxes/single',
  'singles/pay-once',
  'singles/place-one-2',
  'simulation/audit',
  'simulation/cancellations',
  'simulation/cors',
  'simulation/cost',
  'simulation/crashes',
  'simulation/determinism',
  'simulation/failure-groups',
  'simulation/found',
  'simulation/live',
  'simulation/operator-at-a-glance',
  'simulation/operator-json',
  'simulation/releases',
  'simulation/replay',
  'simulation/replayed',
  'simulation/restored',
  'simulation/restored-promises',
  'simulation/rights',
  'simulation/simulator-world',
  'simulation/stripe',
  'simulation/synthetic-orders',
  'simulation/timers',
  'simulation/undoings',
  'acceptance/when-a-customer-reaches-a-limit',
  'acceptance/when-a-person-is-forgotten',
  'acceptance/when-stock-runs-out-under-concurrency',
];

/** Order of the projects of one run: what takes longest begins first, and small files come last. */
const PROJECTS = ['infrastructure', 'unit', 'packages', 'simulation'];

/** Longest files of each project, which begin first: so no core is idle at the end. */
const LONGEST = [
  '/lib/rule-packs',
  '/lib/environments',
  'simulation/live',
  'seeds/',
  'planted/found',
  'releases',
  'inboxes/',
  'found',
  'determinism',
  'fuzz/',
  'simulator-world',
  'cancellations',
  'singles/',
  'when-a-customer-reaches-a-limit',
  'when-stock-runs-out-under-concurrency',
  'when-a-person-is-forgotten',
  'when-a-user-is-suspect',
  'when-requests-are-numbered',
];

/**
 * Runs one project after the other, the longest files of each first. A worker ends as soon as the next file is of another
 * project, and with it go its modules, its bundles and the environments that V8 has warmed up to.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = (all: readonly string[], fits: (one: string) => boolean): number => {
      const at = all.findIndex(fits);
      return at < 0 ? all.length : at;
    };
    const rank = ({ moduleId, project: { name } }: TestSpecification): readonly [number, number] => [
      place(PROJECTS, (one) => one === name),
      place(LONGEST, (part) => moduleId.includes(part)),
    ];
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => {
      const [[project, length], [itsProject, itsLength]] = [rank(one), rank(other)];
      return project - itsProject || length - itsLength;
    });
  }
}

export default defineConfig({
  test: {
    // By itself vitest leaves a core alone: on two that means one file at a time.
    maxWorkers: '100%',
    testTimeout: HANGS_AFTER,
    hookTimeout: HANGS_AFTER,
    teardownTimeout: HANGS_AFTER,
    exclude: [
      ...configDefaults.exclude,
      ...ONLY_AT_NIGHT,
      ...(process.env.ORDERLY_QUICK === '1' ? NOT_QUICK.map((file) => `**/${file}.test.ts`) : []),
    ],
    sequence: { sequencer: LongestFirst },
    env: { NODE_NO_WARNINGS: '1', POWERTOOLS_LOG_LEVEL: 'SILENT', POWERTOOLS_METRICS_DISABLED: 'true' },
    projects: [
      project(
        'unit',
        [
          'test/kit/**/*.test.ts',
          'test/operator/**/*.test.ts',
          'test/lambdas/**/*.test.ts',
          'test/client/**/*.test.ts',
          'test/console/**/*.test.ts',
          'test/tools/**/*.test.ts',
          'test/docs/**/*.test.ts',
          'packages/console/**/*.test.ts',
        ],
        shared,
      ),
      project('infrastructure', ['test/lib/**/*.test.ts'], { ...shared, ...unvalidated }),
      // Nothing is deployed, and each file has a world of its own. The scenarios of test/acceptance are in the same project as
      // the searches, so that they find environments that are warm.
      project(
        'simulation',
        ['test/simulation/**/*.test.ts', 'packages/simulator/**/*.test.ts', 'test/acceptance/**/*.test.ts'],
        {
          ...shared,
          env: { ...unvalidated.env, ORDERLY_WORLD: 'simulator' },
          setupFiles: ['test/support/begin-world.ts'],
        },
      ),
      // The same scenarios over HTTP, in a local cloud as `npm start` runs it, and the demos of `npm run demo`.
      project('local-cloud', [...OVER_HTTP, 'test/local-cloud/**/*.test.ts'], {
        ...shared,
        env: { ORDERLY_WORLD: 'local-cloud' },
        setupFiles: ['test/support/begin-world.ts'],
      }),
      // `npm start` as a process, in copies of this tree. One file at a time: each has processes of its own to wait for.
      project('local', ['test/local/**/*.test.ts'], { fileParallelism: false }),
      // The packages, installed from their tarballs.
      project('packages', ['test/packages/**/*.test.ts'], shared),
      project('integration', ['test/integration/**/*.test.ts'], deployed),
      ...acceptance,
    ],
  },
});
