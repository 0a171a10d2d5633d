import { describe, test } from 'vitest';
import type { ReservationEvent } from '../../../../lambdas/inventory/contract.js';
import { reservationDecider } from '../../../../lambdas/inventory/domain/reservation.js';
import { given } from '../../../../packages/kit/testing/given.js';

const reservation = given(reservationDecider);
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
  test('a cancellation releases a reservation', () => reservation([reserved]).when(release).then([released]));
  test('a reservation that comes after its cancellation can not be made any more', () =>
    reservation([voided]).when(reserve).then([]));
  test('leaves a tombstone where the cancellation comes first', () => reservation([]).when(release).then([voided]));
  test.each([
    ['reserved', [reserved]],
    ['rejected', [rejected]],
    ['released', [reserved, released]],
  ] as const)('a reservation that was %s is not made again', (_, history) =>
    reservation(history).when(reserve).then([]),
  );
  test.each([
    ['rejected', [rejected]],
    ['released', [reserved, released]],
    ['voided', [voided]],
  ] as const)('a reservation that was %s has nothing to release', (_, history) =>
    reservation(history).when(release).then([]),
  );
});

describe('a dispatch', () => {
  const dispatch = { type: 'Dispatch', orderId: 'o1' } as const;
  const dispatched: ReservationEvent = { type: 'StockDispatched', data: { orderId: 'o1', lines } };
  test('takes all that is reserved', () => reservation([reserved]).when(dispatch).then([dispatched]));
  test.each([
    ['nothing', []],
    ['what has left before', [reserved, dispatched]],
    ['what was rejected', [rejected]],
    ['what was released', [reserved, released]],
    ['what was voided', [voided]],
  ] as const)('takes nothing of %s', (_, history) => reservation(history).when(dispatch).then([]));
  test('a dispatch is final: nothing is released or reserved afterwards, and a step is answered', () => {
    const history = [reserved, dispatched];
    const done = (stepId: string): ReservationEvent => ({
      type: 'SagaReplyRequested',
      data: { orderId: 'o1', stepId, outcome: 'DONE' },
    });
    reservation(history).when(release).then([]);
    reservation(history).when(reserve).then([]);
    reservation(history)
      .when({ ...reserve, stepId: 's' })
      .then([done('s')]);
    reservation(history)
      .when({ ...release, stepId: 's' })
      .then([done('s')]);
    reservation(history)
      .when({ ...reserve, lines: [], stepId: 's' })
      .thenRefused('LINES_DIFFER');
  });
});

describe('a step of a saga', () => {
  const [RESERVE, RELEASE] = ['o1/reserve', 'o1/release'];
  const step = { ...reserve, stepId: RESERVE };
  const undo = { ...release, stepId: RELEASE };
  const done = (stepId: string): ReservationEvent => ({
    type: 'SagaReplyRequested',
    data: { orderId: 'o1', stepId, outcome: 'DONE' },
  });
  const refused = (more: { reason: 'OUT_OF_STOCK' | 'RELEASED'; skus?: string[] }): ReservationEvent => ({
    type: 'SagaReplyRequested',
    data: { orderId: 'o1', stepId: RESERVE, outcome: 'REFUSED', ...more },
  });

  test('a step is answered by the fact, which says whose it is', () => {
    reservation([])
      .when(step)
      .then([{ type: 'StockReserved', data: { orderId: 'o1', stepId: RESERVE, lines } }]);
    reservation([])
      .when({ ...step, short: ['CUP-1'] })
      .then([
        { type: 'StockRejected', data: { orderId: 'o1', stepId: RESERVE, reason: 'OUT_OF_STOCK', skus: ['CUP-1'] } },
      ]);
    reservation([reserved])
      .when(undo)
      .then([{ type: 'StockReleased', data: { orderId: 'o1', stepId: RELEASE, lines } }]);
    reservation([])
      .when(undo)
      .then([{ type: 'ReservationVoided', data: { orderId: 'o1', stepId: RELEASE } }]);
  });
  test('a step that comes again, or after an event of the order, gets the present state', () => {
    reservation([reserved])
      .when(step)
      .then([done(RESERVE)]);
    reservation([reserved])
      .when({ ...step, lines: lines.toReversed() })
      .then([done(RESERVE)]);
    reservation([rejected])
      .when(step)
      .then([refused({ reason: 'OUT_OF_STOCK', skus: ['CUP-1'] })]);
    for (const history of [[rejected], [reserved, released], [voided], [voided, done(RELEASE)]]) {
      reservation(history)
        .when(undo)
        .then([done(RELEASE)]);
    }
  });
  test('a step that comes after its release is refused', () => {
    for (const history of [[voided], [reserved, released]]) {
      reservation(history)
        .when(step)
        .then([refused({ reason: 'RELEASED' })]);
    }
  });
  test('a step that names other lines is a contradiction', () => {
    for (const other of [lines.slice(1), [...lines.slice(1), { sku: 'TEA-1', quantity: 3 }]]) {
      reservation([reserved])
        .when({ ...step, lines: other })
        .thenRefused('LINES_DIFFER');
    }
  });
});
