import { describe, expect, test } from 'vitest';
import { deploymentOf } from '../../../packages/simulator/cloud.js';
import { report } from '../../../packages/simulator/search/report.js';
import { playSeed, playWith } from '../../../packages/simulator/search/scenario.js';
import { commandOf, toldOf } from '../cli/replay.js';
import { SCENARIOS } from '../scenarios/all.js';
import { prodAssembly } from '../support/assembly.js';
import { QUICK } from '../support/effort.js';

/** Number of seeds of each scenario in `npm test`: one, and a few more of the cheapest. determinism.test.ts plays others. */
const SEEDS: Readonly<Record<string, number>> = {
  'read-one': 1,
  'reject-one': 1,
  keys: 1,
  'twenty-orders': 1,
  'cancel-races': 1,
  counting: 1,
  'relay-fails-26-hours': 1,
  'relay-catches-up': 1,
  'consumer-fails-26-hours': 1,
  'redrive-days-later': 1,
  'redrive-weeks-later': 1,
  'drain-fails-13-days': 1,
  'redelivery-ttl-lags': 1,
  'redelivery-ttl-at-once': 1,
  'redelivery-while-down': 1,
  'bus-refuses': 1,
  poison: 1,
  'decline-one': 2,
  'cancel-one': 2,
  'late-approval': 1,
  'steps-refused': 1,
  'answers-late': 1,
  'deadlines-pass': 1,
  'participant-fails-26-hours': 1,
  stuck: 1,
  'refund-refused': 1,
  'forget-races': 1,
  'account-one': 2,
  'credit-races': 1,
  bonuses: 1,
  'rewards-in-order': 1,
  'rewards-held-back': 1,
  'daily-reports': 1,
  'price-races': 1,
  'discontinued-races': 1,
  'user-races': 1,
  'basket-races': 1,
  'price-rollout': 1,
  'checkout-refused': 1,
  'charge-one': 2,
  'charge-races': 1,
  'pay-once': 2,
  'pay-trouble': 1,
  'pay-three-days-later': 1,
  'refund-limit': 1,
  'order-limit': 1,
  numbers: 1,
  'numbered-cancellations': 1,
  'rebuild-under-load': 1,
  'rebuild-credit': 1,
};

/** Scenarios that take five seconds or more. `npm test -- --quick` skips them. */
const LONG = ['sold-out', 'keys-forgotten', 'twenty-orders', 'rebuild-under-load', 'order-limit'];

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
    const seeds = QUICK ? 0 : (SEEDS[name] ?? 0);
    if (seeds === 0) {
      test('keeps every promise without a fault', async () => {
        const history = await playWith(deployment, scenario, 'singles');
        if (history.violations.length > 0) expect.fail(report(history, commandOf(history, 'singles')));
      });
      return;
    }
    test(`keeps every promise under ${seeds} seeds`, async () => {
      for (let seed = 0; seed < seeds; seed++) {
        const history = await playSeed(deployment, scenario, String(seed));
        if (history.violations.length > 0) expect.fail(await toldOf(deployment, history));
      }
    });
  });
}
