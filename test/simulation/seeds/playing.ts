import { describe, expect, test } from 'vitest';
import { renderReport } from '../../../packages/simulator/search/report.js';
import { playSeed, playWithFaults } from '../../../packages/simulator/search/scenario.js';
import { loadSharedDeployment } from '../../support/simulation/app-code.js';
import { prodAssembly } from '../../support/simulation/assembly.js';
import { effort, QUICK } from '../../support/simulation/effort.js';
import { commandOf, toldOf } from '../cli/replay.js';
import { SCENARIOS } from '../scenarios/all.js';

/** Seed of each scenario in `npm test`: the cheapest of four that makes faults. determinism.test.ts plays others. */
const SEEDS: Readonly<Record<string, number>> = {
  'read-one': 3,
  'audited-one': 1,
  'reject-one': 2,
  keys: 2,
  'cancel-races': 2,
  counting: 1,
  'relay-fails-26-hours': 0,
  'relay-catches-up': 3,
  'relay-behind-a-day': 2,
  'consumer-fails-26-hours': 1,
  'redrive-once': 2,
  'redrive-days-later': 3,
  'redrive-weeks-later': 2,
  'drain-fails-13-days': 0,
  'redelivery-ttl-lags': 2,
  'redelivery-ttl-at-once': 3,
  'redelivery-while-down': 3,
  'window-raised': 3,
  'window-lowered': 1,
  'bus-refuses': 3,
  poison: 1,
  'crash-in-a-batch': 1,
  'account-one': 1,
  'credit-races': 3,
  'price-races': 1,
  'pay-once': 3,
  'pay-trouble': 1,
  'pay-three-days-later': 3,
  'refund-limit': 3,
  'order-limit': 1,
  'charge-one': 2,
  'charge-races': 0,
  numbers: 0,
  'numbered-cancellations': 3,
  'decline-one': 1,
  'cancel-one': 1,
  'late-approval': 2,
  'steps-refused': 1,
  'dispatch-one': 1,
  'dispatch-races': 1,
  'answers-late': 3,
  'deadlines-pass': 3,
  'participant-fails-26-hours': 1,
  stuck: 1,
  'refund-refused': 1,
  'forget-races': 0,
  'rebuild-under-load': 1,
  'rebuild-credit': 0,
  'rebuild-switches': 3,
  'discontinued-races': 1,
  'review-races': 1,
  bonuses: 0,
  'closed-accounts': 1,
  'basket-races': 3,
  'price-rollout': 1,
  'checkout-refused': 0,
  'hot-orders': 3,
  'rewards-in-order': 1,
  'rewards-held-back': 0,
  'daily-reports': 3,
  'forget-at-once': 3,
  'rebuild-behind-feed': 0,
  'deployed-later': 0,
};

/** `npm test -- --quick` plays one of so many scenarios, the same ones in each run. */
const STRIDE = effort({ whole: 1, quick: 3 });

/**
 * Scenarios of which only `npm run nightly` plays histories: they take longest, and other tests of `npm test` play what they
 * play, on a smaller scale.
 */
const BY_NIGHT = [
  'overload', // small-account.test.ts
  'sold-out', // when-stock-runs-out-under-concurrency.test.ts
  'keys-forgotten', // when-a-person-is-forgotten.test.ts
  'twenty-orders', // determinism.test.ts, live.test.ts
  'two-releases', // releases.test.ts
  'audited-late', // audit.test.ts
  'user-races', // when-a-user-is-suspect.test.ts
];
/** All that restore something: restored-promises.test.ts and restored.test.ts play it. */
const RESTORED = /^restored-/;

/** `npm test -- --quick` plays none of these. */
const LONG = ['rebuild-under-load', 'order-limit'];

/** Number of parts. Each file plays one part, so that all cores are used. */
const PARTS = 3;

/**
 * Declares the tests of a part of the scenarios: each with its seed, or without a fault if it has none or the run is
 * quick. A seed plays everything that the history without a fault plays.
 */
export function playPart(part: number): void {
  const deployment = loadSharedDeployment(prodAssembly());
  const scenarios = SCENARIOS.filter(({ name }) => !RESTORED.test(name) && !BY_NIGHT.includes(name))
    .filter(({ name }) => !QUICK || !LONG.includes(name))
    .filter((_, at) => at % STRIDE === 0)
    .filter((_, at) => at % PARTS === part);
  describe.each(scenarios.map((scenario) => [scenario.name, scenario] as const))('%s', (name, scenario) => {
    const seed = QUICK ? undefined : SEEDS[name];
    if (seed === undefined) {
      test('keeps every promise without a fault', async () => {
        const history = await playWithFaults(deployment, scenario, 'singles');
        if (history.violations.length > 0) expect.fail(renderReport(history, commandOf(history, 'singles')));
      });
      return;
    }
    test(`keeps every promise with seed ${seed}`, async () => {
      const history = await playSeed(deployment, scenario, String(seed));
      if (history.violations.length > 0) expect.fail(await toldOf(deployment, history));
    });
  });
}
