import { expect, test } from 'vitest';
import { deploymentOf } from '../simulator/cloud.js';
import { report } from '../simulator/search/report.js';
import { singles } from '../simulator/search/singles.js';
import { commandOf } from './cli/replay.js';
import { payOnce } from './scenarios/payments.js';
import { placeOne } from './scenarios/place-one.js';
import { prodAssembly } from './support/assembly.js';

test('no single fault at a point of placing and cancelling an order breaks a promise', {
  timeout: 600_000,
}, async () => {
  const { runs, broken } = await singles(deploymentOf(prodAssembly()), placeOne);
  const told = broken.slice(0, 3).map((history) => report(history, commandOf(history, 'singles')));
  expect(told.join('\n\n')).toBe('');
  // The search must have had something to search.
  expect(runs).toBeGreaterThan(1_000);
});

// An eighth of them; `npm run simulate -- --singles --scenario pay-once` plays all.
test('no single fault at a point of charging and giving back charges or gives back twice', {
  timeout: 600_000,
}, async () => {
  const { runs, broken } = await singles(deploymentOf(prodAssembly()), payOnce, { share: { part: 0, of: 8 } });
  const told = broken.slice(0, 3).map((history) => report(history, commandOf(history, 'singles')));
  expect(told.join('\n\n')).toBe('');
  expect(runs).toBeGreaterThan(35);
});
