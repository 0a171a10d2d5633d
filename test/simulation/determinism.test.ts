import { expect, test } from 'vitest';
import { deploymentOf } from '../simulator/cloud.js';
import { report } from '../simulator/search/report.js';
import { playSeed } from '../simulator/search/scenario.js';
import { placeOne } from './scenarios/place-one.js';
import { prodAssembly } from './support/assembly.js';

test('100 seeds, each played twice, give the same histories and break no promise', { timeout: 600_000 }, async () => {
  const deployment = deploymentOf(prodAssembly());
  const fingerprints = new Set<string>();
  for (let seed = 0; seed < 100; seed++) {
    const first = await playSeed(deployment, placeOne, String(seed));
    const second = await playSeed(deployment, placeOne, String(seed));
    expect(second.fingerprint, `seed ${seed}`).toBe(first.fingerprint);
    if (first.violations.length > 0)
      expect.fail(report(first, `npm run simulate -- --scenario place-one --seed ${seed}`));
    fingerprints.add(first.fingerprint);
  }
  // And a seed matters: no two histories are the same.
  expect(fingerprints.size).toBe(100);
});
