import { describe, expect, test } from 'vitest';
import { deploymentOf } from '../../../packages/simulator/cloud.js';
import { report } from '../../../packages/simulator/search/report.js';
import { playSeed, playWith } from '../../../packages/simulator/search/scenario.js';
import { commandOf, toldOf } from '../cli/replay.js';
import { SCENARIOS } from '../scenarios/all.js';
import { prodAssembly } from '../support/assembly.js';
import { QUICK } from '../support/effort.js';

/** Seeds of each scenario in `npm test`: one, and a few more of the cheapest. determinism.test.ts plays others. */
const SEEDS: Readonly<Record<string, readonly number[]>> = {
  'read-one': [0],
  'audited-one': [0, 1],
  'reject-one': [0],
  keys: [0],
  'twenty-orders': [3],
  'cancel-races': [0],
  counting: [4],
  'relay-fails-26-hours': [1],
  'relay-catches-up': [0],
  'consumer-fails-26-hours': [0],
  'redrive-days-later': [1],
  'redrive-weeks-later': [0],
  'drain-fails-13-days': [0],
  'redelivery-ttl-lags': [0],
  'redelivery-ttl-at-once': [3],
  'redelivery-while-down': [1],
  'window-raised': [0],
  'window-lowered': [0],
  'two-releases': [2],
  'bus-refuses': [1],
  poison: [0],
  'crash-in-a-batch': [6],
  'decline-one': [0, 1],
  'cancel-one': [0, 1],
  'late-approval': [0],
  'steps-refused': [2],
  'dispatch-one': [0],
  'dispatch-races': [0],
  'answers-late': [0],
  'deadlines-pass': [0],
  'participant-fails-26-hours': [1],
  stuck: [0],
  'refund-refused': [0],
  'forget-races': [0],
  'account-one': [0, 1],
  'credit-races': [0],
  bonuses: [0],
  'rewards-in-order': [0],
  'rewards-held-back': [1],
  'daily-reports': [1],
  'price-races': [0],
  'discontinued-races': [0],
  'user-races': [0],
  'basket-races': [0],
  'price-rollout': [0],
  'checkout-refused': [0],
  'hot-orders': [0],
  'charge-one': [0, 1],
  'charge-races': [0],
  'pay-once': [0, 1],
  'pay-trouble': [0],
  'pay-three-days-later': [1],
  'refund-limit': [1],
  'order-limit': [1],
  numbers: [0],
  'numbered-cancellations': [0],
  'rebuild-under-load': [0],
  'rebuild-credit': [0],
  'rebuild-switches': [0],
  'relay-behind-a-day': [0],
  'redrive-once': [0],
  'forget-after-silence': [0],
  'rebuild-behind-feed': [0],
  'deployed-later': [0],
};

/** Scenarios that take five seconds or more. `npm test -- --quick` skips them. */
const LONG = [
  'overload',
  'sold-out',
  'keys-forgotten',
  'twenty-orders',
  'rebuild-under-load',
  'order-limit',
  'two-releases',
];

/** Number of parts. Each file plays one part, so that all cores are used. */
const PARTS = 3;

/**
 * Declares the tests of every third scenario: with its seeds, or without a fault if it has none or the run is quick. A seed
 * plays everything that the history without a fault plays.
 */
export function playPart(part: number): void {
  const deployment = deploymentOf(prodAssembly());
  const scenarios = SCENARIOS.filter(({ name }) => !QUICK || !LONG.includes(name)).filter(
    (_, at) => at % PARTS === part,
  );
  describe.each(scenarios.map((scenario) => [scenario.name, scenario] as const))('%s', (name, scenario) => {
    const seeds = QUICK ? [] : (SEEDS[name] ?? []);
    if (seeds.length === 0) {
      test('keeps every promise without a fault', async () => {
        const history = await playWith(deployment, scenario, 'singles');
        if (history.violations.length > 0) expect.fail(report(history, commandOf(history, 'singles')));
      });
      return;
    }
    test(`keeps every promise with seed ${seeds.join(' and ')}`, async () => {
      for (const seed of seeds) {
        const history = await playSeed(deployment, scenario, String(seed));
        if (history.violations.length > 0) expect.fail(await toldOf(deployment, history));
      }
    });
  });
}
