import { expect, test } from 'vitest';
import { loadDeployment as deployedBundles } from '../../packages/simulator/cloud/cloud.js';
import { playSeed } from '../../packages/simulator/search/scenario.js';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { prodAssembly } from '../support/simulation/assembly.js';
import { toldOf } from './cli/replay.js';
import { scenarioCalled } from './scenarios/all.js';
import { rejectOne } from './scenarios/place-one.js';
import { redeliveryWhileDown } from './scenarios/redelivery.js';

const SEEDS = Array.from({ length: 3 }, (_, seed) => String(seed));
/** Seeds that are played a second time. */
const AGAIN = SEEDS.slice(0, 2);
const deployment = loadSharedDeployment(prodAssembly());

test(`${SEEDS.length} seeds break no promise, and ${AGAIN.length} of them give the same histories twice`, async () => {
  const fingerprints = new Map<string, string>();
  for (const seed of SEEDS) {
    const history = await playSeed(deployment, rejectOne, seed);
    if (history.violations.length > 0) expect.fail(await toldOf(deployment, history));
    fingerprints.set(seed, history.fingerprint);
  }
  // Backwards, so that what a recycled environment has seen before is something else.
  for (const seed of AGAIN.toReversed()) {
    const again = await playSeed(deployment, rejectOne, seed);
    expect(again.fingerprint, `seed ${seed}`).toBe(fingerprints.get(seed));
  }
  // And a seed matters: no two histories are the same.
  expect(new Set(fingerprints.values()).size).toBe(SEEDS.length);
});

test.each([
  // In the second one they are idle for so long between two invocations that a later one meets a cold start.
  rejectOne,
  redeliveryWhileDown,
])('a history is the same with reused and with new environments: $name', async (scenario) => {
  const recycled = await playSeed(deployment, scenario, '0');
  const fresh = await playSeed(deployment, scenario, '0', { recycle: false });
  expect(recycled.fingerprint).toBe(fresh.fingerprint);
});

// The account's API, outboxes, projections and sagas; payments of a customer; keys of KMS; objects of S3 that a function reads.
const COMPARED = ['pay-once', 'forget-races', 'batches-overwritten'].map(scenarioCalled);
test.each([rejectOne, redeliveryWhileDown, ...COMPARED])(
  'a history is the same with shared packages and with the bundles as they are deployed: $name',
  async (scenario) => {
    const shared = await playSeed(deployment, scenario, '1');
    const deployed = await playSeed(deployedBundles(prodAssembly()), scenario, '1');
    expect(deployed.fingerprint).toBe(shared.fingerprint);
  },
);
