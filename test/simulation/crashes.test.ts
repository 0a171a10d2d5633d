import { expect, test } from 'vitest';
import { deploymentOf } from '../../packages/simulator/cloud.js';
import { report } from '../../packages/simulator/search/report.js';
import { singles } from '../../packages/simulator/search/singles.js';
import { commandOf } from './cli/replay.js';
import { rejectOne } from './scenarios/place-one.js';
import { prodAssembly } from './support/assembly.js';

/**
 * A crash before and after every call of a rejected order: with singles/place-one, where the same is done to an order that
 * is placed and cancelled, there is one between every two writes of placing, cancelling and rejecting.
 */
test('no crash before or after any call of rejecting an order breaks a promise', async () => {
  const { runs, broken } = await singles(deploymentOf(prodAssembly()), rejectOne, {
    kinds: ['killed-before', 'killed-after'],
  });
  const told = broken.slice(0, 3).map((history) => report(history, commandOf(history, 'singles')));
  expect(told.join('\n\n')).toBe('');
  // The search must have had something to search.
  expect(runs).toBeGreaterThan(30);
});
