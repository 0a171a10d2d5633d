import { defineConfig } from 'vitest/config';

/** One project per kind of test; `integration` and `acceptance` share a deployment to one LocalStack (test/support). */
const project = (name: string, include: readonly string[], more: object = {}) => ({
  extends: true as const,
  test: { name, include: [...include], ...more },
});

const deployed = {
  globalSetup: ['test/support/global-setup.ts'],
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // One emulator on two cores: files at once would only wait for each other, and share the proxy's faults.
  fileParallelism: false,
};

/** No clock of the simulator's is this one: it only ends what hangs, also where others have the cores (tools/local/test.ts). */
const patient = { testTimeout: 600_000, hookTimeout: 600_000 };

/** The scenarios of `acceptance`, word for word, in the simulator: nothing is deployed, each file has a world of its own. */
const simulated = { env: { ORDERLY_WORLD: 'simulator' }, ...patient };

/**
 * Scenarios that the emulator is spared, since an order takes seconds there: in the simulator they play word for word, and
 * what they need of DynamoDB, queues, bus and API others show on the emulator. `ORDERLY_ACCEPTANCE=all` plays them there, too.
 */
const SPARED = [
  'what-an-order-costs',
  'when-a-cancellation-overtakes-the-reservation',
  'when-a-message-is-poison',
  'when-a-payment-is-given-back',
  'when-a-payment-is-requested',
  'when-a-person-is-forgotten',
  'when-a-request-is-bad',
  'when-a-saga-reserves-stock',
  'when-an-order-is-charged',
  'when-credit-is-asked-for',
  'when-history-is-read',
  'when-prices-are-confirmed',
  'when-requests-are-numbered',
  'when-the-history-of-an-account-is-read',
].map((scenario) => `test/acceptance/${scenario}.test.ts`);
const spared = process.env.ORDERLY_ACCEPTANCE === 'all' || process.env.ORDERLY_ENDPOINT ? [] : SPARED;

export default defineConfig({
  test: {
    // By itself vitest leaves a core alone: on two that means one file at a time.
    maxWorkers: '100%',
    env: { NODE_NO_WARNINGS: '1', POWERTOOLS_LOG_LEVEL: 'SILENT', POWERTOOLS_METRICS_DISABLED: 'true' },
    projects: [
      project('unit', ['test/lambdas/**/*.test.ts', 'test/tools/**/*.test.ts'], {
        isolate: false,
        testTimeout: 60_000,
      }),
      project('infrastructure', ['test/lib/**/*.test.ts'], {
        // The CDK takes seconds to load: once for all files.
        isolate: false,
        testTimeout: 120_000,
        hookTimeout: 120_000,
      }),
      project('simulation', ['test/simulation/**/*.test.ts', 'test/simulator/**/*.test.ts'], patient),
      project('simulated-acceptance', ['test/acceptance/**/*.test.ts'], simulated),
      project('integration', ['test/integration/**/*.test.ts'], deployed),
      project('acceptance', ['test/acceptance/**/*.test.ts'], { ...deployed, exclude: spared }),
    ],
  },
});
