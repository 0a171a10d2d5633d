import { describe, test } from 'vitest';
import type { ReservationEvent } from '../../../../../lambdas/services/inventory/contract.js';
import { decide, evolve, initialState } from '../../../../../lambdas/services/inventory/domain/reservation.js';
import { given } from '../../../../support/decider.js';

const reservation = given({ decide, evolve, initialState }, undefined);
const lines = [
  { sku: 'TEA-1', quantity: 2 },
  { sku: 'CUP-1', quantity: 1 },
];
const reserve = { type: 'Reserve', orderId: 'o1', lines, short: [] } as const;
const release = { type: 'Release', orderId: 'o1' } as const;
const reserved: ReservationEvent = { type: 'StockReserved', data: { orderId: 'o1', lines } };
const rejected: ReservationEvent = {
  type: 'StockRejected',
  data: { orderId: 'o1', reason: 'OUT_OF_STOCK', skus: ['CUP-1'] },
};
const released: ReservationEvent = { type: 'StockReleased', data: { orderId: 'o1', lines } };
const voided: ReservationEvent = { type: 'ReservationVoided', data: { orderId: 'o1' } };

describe('a reservation', () => {
  test('takes all lines of its order', () => reservation([]).when(reserve).then([reserved]));
  test('takes none where one was short', () =>
    reservation([])
      .when({ ...reserve, short: ['CUP-1'] })
      .then([rejected]));
  test('is released by the cancellation', () => reservation([reserved]).when(release).then([released]));
  test('that comes after its cancellation can not be made any more', () =>
    reservation([voided]).when(reserve).then([]));
  test('leaves a tombstone where the cancellation comes first', () => reservation([]).when(release).then([voided]));
  test.each([
    ['reserved', [reserved]],
    ['rejected', [rejected]],
    ['released', [reserved, released]],
  ] as const)('that was %s is not made again', (_, history) => reservation(history).when(reserve).then([]));
  test.each([
    ['rejected', [rejected]],
    ['released', [reserved, released]],
    ['voided', [voided]],
  ] as const)('that was %s has nothing to release', (_, history) => reservation(history).when(release).then([]));
});
