import { describe, expect, test } from 'vitest';
import { deploymentOf } from '../simulator/cloud.js';
import { report } from '../simulator/search/report.js';
import { playSeed, playWith } from '../simulator/search/scenario.js';
import { commandOf, toldOf } from './cli/replay.js';
import { SCENARIOS } from './scenarios/all.js';
import { prodAssembly } from './support/assembly.js';

/** Seeds that `npm test` plays of each scenario: about 200 in all, most of the cheap ones; determinism.test.ts has 100 more. */
const SEEDS: Readonly<Record<string, number>> = {
  'read-one': 24,
  'reject-one': 16,
  keys: 20,
  'twenty-orders': 3,
  'cancel-races': 8,
  'sold-out': 1,
  counting: 4,
  'relay-fails-26-hours': 5,
  'relay-catches-up': 1,
  'consumer-fails-26-hours': 5,
  'redrive-days-later': 4,
  'redrive-weeks-later': 4,
  'drain-fails-13-days': 2,
  'redelivery-ttl-lags': 2,
  'redelivery-ttl-at-once': 2,
  'redelivery-while-down': 2,
  'bus-refuses': 1,
  poison: 8,
  'decline-one': 8,
  'cancel-one': 8,
  'steps-refused': 3,
  'answers-late': 2,
  'deadlines-pass': 1,
  'participant-fails-26-hours': 2,
  'keys-forgotten': 1,
  stuck: 2,
  'forget-races': 5,
  'account-one': 20,
  'credit-races': 5,
  'price-races': 5,
  'charge-one': 10,
  'charge-races': 4,
  'pay-once': 20,
  'pay-trouble': 5,
  'pay-three-days-later': 5,
  numbers: 5,
  'rebuild-under-load': 3,
  'rebuild-credit': 3,
};

const deployment = deploymentOf(prodAssembly());

describe.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))('%s', (name, scenario) => {
  test('keeps every promise without a fault', async () => {
    const history = await playWith(deployment, scenario, 'singles');
    if (history.violations.length > 0) expect.fail(report(history, commandOf(history, 'singles')));
  });

  const seeds = SEEDS[name] ?? 0;
  test.runIf(seeds > 0)(`keeps every promise under ${seeds} seeds`, async () => {
    for (let seed = 0; seed < seeds; seed++) {
      const history = await playSeed(deployment, scenario, String(seed));
      if (history.violations.length > 0) expect.fail(await toldOf(deployment, history));
    }
  });
});
