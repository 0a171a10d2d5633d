import { expect, test } from 'vitest';
import { createDeployment, LANE, MAX_CALL_RATIO, MIN_SPEEDUP, play, powertoolsWay } from '../../tools/bench/hot-key.js';
import { prodAssembly } from '../support/simulation/assembly.js';

/** The goals of `npm run bench:hot-key` at fewer orders. Calls and virtual seconds are the same on any machine. */

const SALE = { duplicates: 0.1, reservations: 200 };

test('the lane reaches its goals at one SKU of a sale, and the stock is exact', async () => {
  const lane = await play(createDeployment(prodAssembly(), LANE), SALE);
  const powertools = await play(createDeployment(prodAssembly(), powertoolsWay()), SALE);
  expect([lane.isExact, powertools.isExact]).toEqual([true, true]);
  expect(lane.calls).toBeLessThanOrEqual(MAX_CALL_RATIO);
  expect(lane.rate).toBeGreaterThanOrEqual(MIN_SPEEDUP * powertools.rate);
});
