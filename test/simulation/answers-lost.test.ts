import { expect, test } from 'vitest';
import { renderReport } from '../../packages/simulator/search/report.js';
import { playWithFaults, type Scenario } from '../../packages/simulator/search/scenario.js';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { prodAssembly } from '../support/simulation/assembly.js';
import { Facts } from '../support/simulation/facts.js';
import { Orderly } from '../support/simulation/orderly.js';
import { brokenPromises } from './invariants/broken-promises.js';
import { placed, stocked } from './scenarios/shop.js';

const deployment = loadSharedDeployment(prodAssembly());

const approveOne: Scenario = {
  name: 'approve-one',
  faultProbability: 0,
  async play(cloud) {
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 1 });
    await placed(orderly, 'alice', 'place');
    await orderly.rest();
    return brokenPromises(orderly);
  },
};

const { points } = await playWithFaults(deployment, approveOne, 'singles');
const ANSWERS = points
  .map(({ id }) => id)
  .filter((id) => /^Orders\/Saga\/(Catalog|Accounts|Inventory|Payments)Events delivery/.test(id));

test('an order needs four answers', () => expect(ANSWERS).toHaveLength(4));

test.each(ANSWERS)('approves an order once even if an answer never arrives: %s', async (point) => {
  const history = await playWithFaults(deployment, approveOne, 'singles', [{ point, kind: 'undeliverable' }]);
  if (history.violations.length > 0) expect.fail(renderReport(history, `answers-lost.test.ts, ${point}`));
  const facts = new Facts(new Orderly(history.cloud));
  expect([...facts.orders.keys()].map((id) => facts.order(id)?.status)).toEqual(['APPROVED']);
  const repeats = history.trace.filter((line) => line.includes('of SagaReplyRequested'));
  expect(repeats.length).toBeGreaterThan(0);
});
