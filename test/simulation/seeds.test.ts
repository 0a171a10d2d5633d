import { describe, expect, test } from 'vitest';
import { deploymentOf } from '../simulator/cloud.js';
import { report } from '../simulator/search/report.js';
import { playSeed, playWith } from '../simulator/search/scenario.js';
import { SCENARIOS } from './scenarios/all.js';
import { prodAssembly } from './support/assembly.js';

/** Seeds that `npm test` plays of each scenario: 100 in all; place-one has 100 more of its own (determinism.test.ts). */
const SEEDS: Readonly<Record<string, number>> = {
  'read-one': 20,
  'twenty-orders': 15,
  'cancel-races': 20,
  'sold-out': 3,
  'relay-fails-26-hours': 10,
  'bus-refuses': 2,
  poison: 15,
  'too-old': 15,
};

const deployment = deploymentOf(prodAssembly());

describe.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))('%s', (name, scenario) => {
  test('keeps every promise without a fault', { timeout: 120_000 }, async () => {
    const history = await playWith(deployment, scenario, 'calm');
    if (history.violations.length > 0) expect.fail(report(history, `npm run simulate -- --scenario ${name} --seeds 1`));
  });

  const seeds = SEEDS[name] ?? 0;
  test.runIf(seeds > 0)(`keeps every promise under ${seeds} seeds`, { timeout: 600_000 }, async () => {
    for (let seed = 0; seed < seeds; seed++) {
      const history = await playSeed(deployment, scenario, String(seed));
      if (history.violations.length === 0) continue;
      expect.fail(report(history, `npm run simulate -- --scenario ${name} --seed ${seed}`));
    }
  });
});
