import { expect, test } from 'vitest';
import { deploymentOf } from '../simulator/cloud.js';
import { report } from '../simulator/search/report.js';
import { singles } from '../simulator/search/singles.js';
import { commandOf } from './cli/replay.js';
import { placeOne, rejectOne } from './scenarios/place-one.js';
import { prodAssembly } from './support/assembly.js';

/** A crash before and after every call: there is one between every two writes of placing, cancelling and rejecting. */
test.each([
  ['placing and cancelling', placeOne, 150],
  ['rejecting', rejectOne, 30],
] as const)('no crash before or after any call of %s an order breaks a promise', async (_, scenario, least) => {
  const { runs, broken } = await singles(deploymentOf(prodAssembly()), scenario, {
    kinds: ['killed-before', 'killed-after'],
  });
  const told = broken.slice(0, 3).map((history) => report(history, commandOf(history, 'singles')));
  expect(told.join('\n\n')).toBe('');
  // The search must have had something to search.
  expect(runs).toBeGreaterThan(least);
});
