import { expect, test } from 'vitest';
import { type History, playWithFaults } from '../../packages/simulator/search/scenario.js';
import { playSingleFaults } from '../../packages/simulator/search/singles.js';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { prodAssembly } from '../support/simulation/assembly.js';
import { placeOne } from './scenarios/place-one.js';

/** Returns what must be the same of two histories. */
const told = ({ fingerprint, violations, points, cloud }: History) => ({
  fingerprint,
  violations,
  points,
  log: cloud.log,
  functions: [...cloud.functions.values()].map(({ label, invocations, calls }) => ({ label, invocations, calls })),
});

// A 160th of place-one's: faults anywhere from its first invocations to its last ones.
test('a single-fault history is the same with and without a replayed beginning', async () => {
  const replayed: History[] = [];
  await playSingleFaults(loadSharedDeployment(prodAssembly()), placeOne, {
    share: { part: 0, of: 160 },
    onHistory: (history) => replayed.push(history),
  });
  const deployment = loadSharedDeployment(prodAssembly());
  for (const history of replayed) {
    const { faults, seed } = history;
    expect(told(await playWithFaults(deployment, placeOne, seed, faults)), JSON.stringify(faults)).toEqual(
      told(history),
    );
  }
  expect(replayed.length).toBeGreaterThan(6);
});
