import { expect, test } from 'vitest';
import { deploymentOf } from '../simulator/cloud.js';
import { playSeed } from '../simulator/search/scenario.js';
import { toldOf } from './cli/replay.js';
import { rejectOne } from './scenarios/place-one.js';
import { prodAssembly } from './support/assembly.js';

const SEEDS = Array.from({ length: 100 }, (_, seed) => String(seed));
const deployment = deploymentOf(prodAssembly());

test('100 seeds, each played twice, give the same histories and break no promise', async () => {
  const fingerprints = new Map<string, string>();
  for (const seed of SEEDS) {
    const history = await playSeed(deployment, rejectOne, seed);
    if (history.violations.length > 0) expect.fail(await toldOf(deployment, history));
    fingerprints.set(seed, history.fingerprint);
  }
  // Backwards, so that what a recycled environment has seen before is something else.
  for (const seed of SEEDS.toReversed()) {
    const again = await playSeed(deployment, rejectOne, seed);
    expect(again.fingerprint, `seed ${seed}`).toBe(fingerprints.get(seed));
  }
  // And a seed matters: no two histories are the same.
  expect(new Set(fingerprints.values()).size).toBe(SEEDS.length);
});

test('a history is the same with environments of earlier ones and with new ones', async () => {
  for (const seed of SEEDS.slice(0, 15)) {
    const recycled = await playSeed(deployment, rejectOne, seed);
    const fresh = await playSeed(deployment, rejectOne, seed, { recycle: false });
    expect(recycled.fingerprint, `seed ${seed}`).toBe(fresh.fingerprint);
  }
});
