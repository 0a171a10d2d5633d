import { expect, test } from 'vitest';
import { playWithFaults } from '../../../packages/simulator/search/scenario.js';
import { listOf, MISSING, partsOfOrders } from './collecting.js';
import { deployment, keepPromises } from './playing.js';

/** Several events of one thing before the work begins: the example of the inbox's README, as it is deployed. */

test('the work on an order begins once without a fault, with all events or after the longest wait', async () => {
  const { violations, cloud } = await playWithFaults(deployment, partsOfOrders, 'singles');
  expect(violations).toEqual([]);
  for (const [orderId, missing] of Object.entries(MISSING)) {
    expect(listOf(cloud, orderId)).toMatchObject({ times: 1, label: `${orderId}-1`, packing: { missing } });
  }
  expect(listOf(cloud, 'reversed')?.packing.parts).toEqual({
    OrderPlaced: { orderId: 'reversed', lines: ['TEA-1'] },
    PaymentCharged: { orderId: 'reversed', amount: 350 },
    StockReserved: { orderId: 'reversed', shelf: 'A7' },
  });
});

keepPromises([partsOfOrders], 800);
