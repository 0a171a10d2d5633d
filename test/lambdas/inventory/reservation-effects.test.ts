import type { TransactWriteItem } from '@orderly/kit/aws';
import { beforeEach, expect, test } from 'vitest';
import { type ReservationStore, reservations } from '../../../lambdas/inventory/aggregates.js';
import { createReserveDecision } from '../../../lambdas/inventory/reservation-effects.js';
import { InMemoryService } from '../../../packages/kit/testing/in-memory-service.js';
import { buildTrace } from '../../support/tally.js';

/** Answers of the counters that only a busy table gives: some refuse, while others are in another transaction. */

let store: ReservationStore;
beforeEach(() => {
  store = new InMemoryService('inventory').eventStore(reservations);
});

const LINES = [
  { sku: 'CUP-1', quantity: 1 },
  { sku: 'TEA-1', quantity: 1 },
];
const isOf = (write: TransactWriteItem, sku: string): boolean => write.Update?.Key?.pk === `StockItem#${sku}`;

/** Returns the type of what is committed in the attempt after a refusal. */
async function afterRefusal(short: string, ...conflicts: readonly string[]) {
  const decide = createReserveDecision(store, { orderId: 'o1', stepId: 'o1/reserve' }, LINES, buildTrace('step'));
  await decide(undefined);
  const effect = await decide({
    conditionFailedFor: (write) => isOf(write, short),
    conflictedOn: (write) => conflicts.some((sku) => isOf(write, sku)),
  });
  const { type, data } = effect[0]?.Put?.Item?.events[0] ?? {};
  return [type, JSON.parse(data).skus];
}

test('a rejection names the lines that were short', async () => {
  expect(await afterRefusal('TEA-1')).toEqual(['StockRejected', ['TEA-1']]);
});

test('a reservation is tried again if another transaction has a line, as its stock is unknown', async () => {
  expect(await afterRefusal('TEA-1', 'CUP-1')).toEqual(['StockReserved', undefined]);
});
