import { expect, test } from 'vitest';
import { deploymentOf } from '../../packages/simulator/cloud.js';
import { report } from '../../packages/simulator/search/report.js';
import { singles } from '../../packages/simulator/search/singles.js';
import { commandOf } from './cli/replay.js';
import { rejectOne } from './scenarios/place-one.js';
import { prodAssembly } from './support/assembly.js';

/**
 * Crashes before and after every call while an order is rejected. singles/place-one does the same while an order is
 * placed and cancelled. Together there is a crash between every two writes of placing, cancelling and rejecting.
 */
test('a crash before or after any call while an order is rejected breaks no promise', async () => {
  const { runs, broken } = await singles(deploymentOf(prodAssembly()), rejectOne, {
    kinds: ['killed-before', 'killed-after'],
  });
  const told = broken.slice(0, 3).map((history) => report(history, commandOf(history, 'singles')));
  expect(told.join('\n\n')).toBe('');
  // The search must have had something to search.
  expect(runs).toBeGreaterThan(30);
});
