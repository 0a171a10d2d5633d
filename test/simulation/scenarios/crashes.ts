import type { Scenario } from '../../../packages/simulator/search/scenario.js';
import { Orderly } from '../../support/simulation/orderly.js';
import { brokenPromises } from '../invariants/broken-promises.js';
import { endedAs } from './sagas.js';
import { MINUTE, orderOf, stocked } from './shop.js';

const ORDERS = 10;

/**
 * The first command of one of ten orders crashes its function each time that it comes, at its first call, so nothing of its
 * batch has committed by then. Those beside it in the batch are unharmed.
 */
export const crashInABatch: Scenario = {
  name: 'crash-in-a-batch',
  faultProbability: 0.002,
  async play(cloud) {
    const { world } = cloud;
    const orderly = new Orderly(cloud);
    await stocked(orderly, { 'TEA-1': 100 });
    const healed = world.now + 25 * MINUTE;
    cloud.calls.interceptor = {
      beforeCall: ({ fn, body }) =>
        world.now < healed && fn.label === 'Accounts/OnCommands' && body.includes('Account#customer-3')
          ? 'killed-before'
          : undefined,
      afterCall: () => undefined,
    };
    for (let number = 0; number < ORDERS; number++) {
      orderly.begin(orderOf(`customer-${number}`, `order-${number}`, ['TEA-1']));
    }
    await orderly.rest();
    const broken = brokenPromises(orderly, () => true);
    const beside = orderly.answered.flatMap(({ key = '' }) => (key.startsWith('order-') ? [[key, 'APPROVED']] : []));
    return [...broken, ...endedAs(orderly, { ...Object.fromEntries(beside), 'order-3': 'REJECTED TIMED_OUT' })];
  },
};
