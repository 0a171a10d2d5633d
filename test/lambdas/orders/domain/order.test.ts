import { describe, expect, test } from 'vitest';
import type { OrderEvent, SealedData } from '../../../../lambdas/orders/contract.js';
import {
  evolve,
  initialState,
  isOver,
  type Order,
  orderDecider,
  selectSealedFields,
  toView,
} from '../../../../lambdas/orders/domain/order.js';
import { given } from '../../../../packages/kit/testing/given.js';

/** Nothing here opens it. */
const text = (what: string): SealedData => ({ sealed: what });
const placedAt = '2026-01-01T00:00:00.000Z';
const order = given(orderDecider, { now: placedAt });
const line = { sku: 'TEA-1', quantity: 2, unitPrice: { amount: 350, currency: 'EUR' } };
const cup = { sku: 'CUP-1', quantity: 1, unitPrice: { amount: 900, currency: 'EUR' } };
const place = { type: 'Place', orderId: 'o1', customerId: 'c1', lines: [line] } as const;
const placed: OrderEvent = {
  type: 'OrderPlaced',
  data: { orderId: 'o1', customerId: 'c1', lines: [line], total: { amount: 700, currency: 'EUR' }, placedAt },
};
const ids = { orderId: 'o1', customerId: 'c1' };
const approved: OrderEvent = { type: 'OrderApproved', data: ids };
const rejected: OrderEvent = {
  type: 'OrderRejected',
  data: { orderId: 'o1', reason: 'OUT_OF_STOCK', skus: ['TEA-1'] },
};
const cancelled: OrderEvent = {
  type: 'OrderCancelled',
  data: { ...ids, sealedReason: text('changed my mind'), underWay: true },
};

describe('an order', () => {
  test('an order is placed with the total of its lines', () =>
    order([])
      .when({ ...place, lines: [line, cup], sealedReference: text('r1') })
      .then([
        {
          type: 'OrderPlaced',
          data: {
            ...placed.data,
            lines: [line, cup],
            sealedReference: text('r1'),
            total: { amount: 1600, currency: 'EUR' },
          },
        } as OrderEvent,
      ]));
  test('an order is placed once', () => order([placed]).when(place).thenRefused('ALREADY_PLACED'));
  test('an order has one currency', () =>
    order([])
      .when({ ...place, lines: [line, { ...cup, unitPrice: { amount: 1, currency: 'USD' } }] })
      .thenRefused('MIXED_CURRENCIES'));
  test('an order has lines', () =>
    order([])
      .when({ ...place, lines: [] })
      .thenRefused('MIXED_CURRENCIES'));

  test('an unattended order is placed once, and is rejected with it if a rule forbids it', () => {
    const unattended = { ...place, type: 'PlaceUnattended' } as const;
    order([]).when(unattended).then([placed]);
    for (const history of [[placed], [placed, rejected]]) order(history).when(unattended).then([]);
    const rejection = { reason: 'OVER_LIMIT', limit: 'ORDERS_PER_HOUR', skus: [] } as const;
    order([])
      .when({ ...unattended, rejection })
      .then([placed, { type: 'OrderRejected', data: { orderId: 'o1', ...rejection, skus: [] } }]);
    order([placed])
      .when({ ...unattended, rejection })
      .then([]);
  });

  test('an order is approved at the end of its saga, and says whose it is', () =>
    order([placed]).when({ type: 'Approve' }).then([approved]));
  test('an order is approved once, however often the command comes', () =>
    order([placed, approved]).when({ type: 'Approve' }).then([]));
  test('an order is rejected if stock is short', () =>
    order([placed])
      .when({ type: 'Reject', reason: 'OUT_OF_STOCK', skus: ['TEA-1'] })
      .then([rejected]));
  test('an order is rejected as a whole, too', () =>
    order([placed])
      .when({ type: 'Reject', reason: 'OVER_LIMIT', skus: [] })
      .then([{ type: 'OrderRejected', data: { orderId: 'o1', reason: 'OVER_LIMIT', skus: [] } }]));
  test('an order is rejected for a price that changed, and says which one holds', () => {
    const prices = [{ sku: 'TEA-1', unitPrice: { amount: 400, currency: 'EUR' } }];
    const why = { reason: 'PRICE_CHANGED', skus: ['TEA-1'], prices } as const;
    order([placed])
      .when({ type: 'Reject', ...why })
      .then([{ type: 'OrderRejected', data: { orderId: 'o1', ...why, skus: ['TEA-1'], prices } }]);
  });
  test('an order is rejected for its currency if a line is sold in another one, which is named alone', () => {
    const tea = { sku: 'TEA-1', unitPrice: { amount: 400, currency: 'EUR' } };
    const dollars = { sku: 'CUP-1', unitPrice: { amount: 900, currency: 'USD' } };
    order([placed])
      .when({ type: 'Reject', reason: 'PRICE_CHANGED', skus: ['TEA-1', 'CUP-1'], prices: [tea, dollars] })
      .then([
        {
          type: 'OrderRejected',
          data: { orderId: 'o1', reason: 'CURRENCY_MISMATCH', skus: ['CUP-1'], prices: [dollars] },
        },
      ]);
  });
  test('an approved order is not rejected by a late reply', () =>
    order([placed, approved])
      .when({ type: 'Reject', reason: 'OUT_OF_STOCK', skus: ['TEA-1'] })
      .then([]));

  test('an order is cancelled while it is pending, and says that its saga was under way', () =>
    order([placed])
      .when({ type: 'Cancel', sealedReason: text('changed my mind') })
      .then([cancelled]));
  test('an order is cancelled after its approval, when nothing is under way, without a reason too', () =>
    order([placed, approved])
      .when({ type: 'Cancel' })
      .then([{ type: 'OrderCancelled', data: ids }]));
  test('an order is cancelled once, however often the request comes', () =>
    order([placed, cancelled])
      .when({ type: 'Cancel', sealedReason: text('again') })
      .then([]));
  test('a rejected order has nothing left to cancel', () =>
    order([placed, rejected]).when({ type: 'Cancel' }).thenRefused('TOO_LATE_TO_CANCEL'));
  test('a cancelled order is not approved by a late reply', () =>
    order([placed, cancelled]).when({ type: 'Approve' }).then([]));
  test.each([{ type: 'Approve' }, { type: 'Reject', reason: 'OUT_OF_STOCK', skus: [] }, { type: 'Cancel' }] as const)(
    'an order that was never placed refuses $type',
    (command) => order([]).when(command).thenRefused('UNKNOWN_ORDER'),
  );
});

describe('a dispatch', () => {
  const dispatched: OrderEvent = { type: 'OrderDispatched', data: ids };
  const reviewed: OrderEvent = { type: 'OrderReviewStarted', data: { ...ids, reasons: ['SUSPECT_USER'] } };
  test('an approved order is dispatched', () =>
    order([placed, approved]).when({ type: 'Dispatch' }).then([dispatched]));
  test('happens once', () => order([placed, approved, dispatched]).when({ type: 'Dispatch' }).then([]));
  test.each([
    ['is in progress', [placed]],
    ['was rejected', [placed, rejected]],
    ['was cancelled in time', [placed, cancelled]],
    ['was cancelled after its approval', [placed, approved, { ...cancelled, data: ids }]],
  ] as const)('a dispatch is refused for an order that %s', (_, history) =>
    order(history as readonly OrderEvent[])
      .when({ type: 'Dispatch' })
      .thenRefused('NOT_APPROVED'),
  );
  test.each([
    ['before its payment', [placed, reviewed]],
    ['after its payment', [placed, approved, reviewed]],
    ['while it was charged', [placed, reviewed, approved]],
  ] as const)('a dispatch is refused for an order whose review began %s', (_, history) =>
    order(history as readonly OrderEvent[])
      .when({ type: 'Dispatch' })
      .thenRefused('UNDER_REVIEW'),
  );
  test('a dispatch of an order that was never placed is refused', () =>
    order([]).when({ type: 'Dispatch' }).thenRefused('UNKNOWN_ORDER'));
  test('a dispatch is final: it is not cancelled, and late messages do not change it', () => {
    const history = [placed, approved, dispatched];
    order(history).when({ type: 'Cancel' }).thenRefused('TOO_LATE_TO_CANCEL');
    order(history).when({ type: 'Approve' }).then([]);
    order(history).when({ type: 'Reject', reason: 'TIMED_OUT', skus: [] }).then([]);
  });
  test('a dispatch is shown', () => {
    const state = [placed, approved, dispatched].reduce(evolve, initialState);
    expect(toView(state, 3)).toMatchObject({ status: 'DISPATCHED', version: 3 });
    expect(evolve(initialState, dispatched)).toEqual(initialState);
  });
});

describe('history', () => {
  test('a history from before there were sagas, whose events name no customer, is read as it was', () => {
    const before = [
      placed,
      { type: 'OrderApproved', data: { orderId: 'o1' } },
      { type: 'OrderCancelled', data: { orderId: 'o1' } },
    ] as const;
    const after = [placed, approved, { type: 'OrderCancelled', data: ids }] as const;
    expect(before.reduce<Order>(evolve, initialState)).toEqual(after.reduce<Order>(evolve, initialState));
  });
  test('a history is never refused: any event is folded in any state', () => {
    for (const first of [placed, approved, rejected, cancelled]) {
      for (const second of [placed, approved, rejected, cancelled]) {
        const state = [first, second].reduce<Order>(evolve, initialState);
        expect(['NONE', 'PENDING', 'APPROVED', 'REJECTED', 'CANCELLED']).toContain(state.status);
      }
    }
  });
  test('a rejection is shown with the lines that it is about, and their prices at that time', () => {
    const prices = [{ sku: 'TEA-1', unitPrice: { amount: 400, currency: 'EUR' } }];
    const shown = (data: object) => {
      const event = { type: 'OrderRejected', data: { orderId: 'o1', skus: [], ...data } } as unknown as OrderEvent;
      return toView([placed, event].reduce<Order>(evolve, initialState), 2);
    };
    expect(shown({ reason: 'PRICE_CHANGED', skus: ['TEA-1'], prices })).toMatchObject({
      status: 'REJECTED',
      reason: 'PRICE_CHANGED',
      rejectedLines: prices,
    });
    expect(shown({ reason: 'OUT_OF_STOCK', skus: ['TEA-1'] })).toMatchObject({ rejectedLines: [{ sku: 'TEA-1' }] });
    const overLimit = shown({ reason: 'OVER_LIMIT', limit: 'ORDERS_PER_HOUR' });
    expect(overLimit).toMatchObject({ reason: 'OVER_LIMIT', limit: 'ORDERS_PER_HOUR' });
    expect(overLimit).not.toHaveProperty('rejectedLines');
    expect(overLimit).not.toHaveProperty('skus');
  });
  test('an event is shown with the version that it leads to', () => {
    expect(toView(initialState, 0)).toBeUndefined();
    const state = [placed, cancelled].reduce<Order>(evolve, initialState);
    expect(toView(state, 2)).toEqual({
      ...placed.data,
      status: 'CANCELLED',
      version: 2,
    });
  });
  test('a history from before its texts were sealed is shown as it was', () => {
    const before: OrderEvent[] = [
      { type: 'OrderPlaced', data: { ...placed.data, clientReference: 'r1' } },
      { type: 'OrderCancelled', data: { ...ids, reason: 'changed my mind' } },
    ];
    const state = before.reduce<Order>(evolve, initialState);
    expect(toView(state, 2)).toMatchObject({ clientReference: 'r1', reason: 'changed my mind' });
    expect(selectSealedFields(state)).toEqual({});
  });
  test('says what is sealed in it, and shows none of it', () => {
    const [deliverTo, sealedReference, sealedReason] = ['address', 'r1', 'changed my mind'].map(text);
    const events: OrderEvent[] = [
      { type: 'OrderPlaced', data: { ...placed.data, deliverTo, sealedReference } as never },
      { type: 'OrderCancelled', data: { ...ids, sealedReason } as never },
    ];
    const state = events.reduce<Order>(evolve, initialState);
    expect(selectSealedFields(state)).toEqual({ deliverTo, sealedReference, sealedReason });
    expect(JSON.stringify(toView(state, 2))).not.toMatch(/sealed|address|r1|mind/);
    expect(selectSealedFields(initialState)).toEqual({});
    expect(selectSealedFields([placed].reduce<Order>(evolve, initialState))).toEqual({});
  });
});

describe('a review', () => {
  const started: OrderEvent = { type: 'OrderReviewStarted', data: { ...ids, reasons: ['SUSPECT_USER', 'HIGH_VALUE'] } };
  const ended = (outcome: 'APPROVED' | 'REJECTED' | 'RELEASED'): OrderEvent => ({
    type: 'OrderReviewEnded',
    data: { ...ids, outcome },
  });
  const refused: OrderEvent = { type: 'OrderRejected', data: { orderId: 'o1', reason: 'STEP_REFUSED', skus: [] } };
  const start = { type: 'StartReview', reasons: ['SUSPECT_USER', 'HIGH_VALUE'] } as const;
  const decision = (decision: 'approve' | 'reject') => ({ type: 'Review', decision }) as const;

  const dispatched: OrderEvent = { type: 'OrderDispatched', data: ids };
  const paid = [placed, approved, started];

  test('starts once for an active order, and shows its reasons', () => {
    order([placed]).when(start).then([started]);
    order([placed, approved]).when(start).then([started]);
    for (const events of [
      [placed, started],
      paid,
      [placed, rejected],
      [placed, cancelled],
      [placed, approved, dispatched],
    ]) {
      order(events).when(start).then([]);
    }
    const state = [placed, started].reduce(evolve, initialState);
    expect(toView(state, 2)).toMatchObject({ status: 'UNDER_REVIEW', reviewReasons: ['SUSPECT_USER', 'HIGH_VALUE'] });
    expect(toView(paid.reduce(evolve, initialState), 3)).toMatchObject({ status: 'UNDER_REVIEW' });
  });

  test('a review of a paid order leads back to APPROVED, or to a cancellation that gives everything back', () => {
    const statusAfter = (...events: readonly OrderEvent[]) => events.reduce(evolve, initialState).status;
    order(paid)
      .when({ type: 'Release' })
      .then([ended('RELEASED')]);
    order(paid)
      .when(decision('approve'))
      .then([ended('APPROVED')]);
    expect(statusAfter(...paid, ended('APPROVED'))).toBe('APPROVED');
    expect(statusAfter(...paid, ended('RELEASED'))).toBe('APPROVED');
    // Without `underWay`: no saga compensates any more.
    const cancelledByReview: OrderEvent = { type: 'OrderCancelled', data: ids };
    order(paid)
      .when(decision('reject'))
      .then([ended('REJECTED'), cancelledByReview]);
    expect(statusAfter(...paid, ended('REJECTED'), cancelledByReview)).toBe('CANCELLED');
    order([...paid, ended('REJECTED'), cancelledByReview])
      .when(decision('reject'))
      .then([]);
    order(paid).when({ type: 'Cancel' }).then([cancelledByReview]);
    order(paid).when({ type: 'Reject', reason: 'TIMED_OUT', skus: [] }).then([]);
  });

  test('a review that began while the order was charged stays open when its saga has ended', () => {
    order([placed, started]).when({ type: 'Approve' }).then([approved]);
    const state = [placed, started, approved].reduce(evolve, initialState);
    expect(toView(state, 3)).toMatchObject({ status: 'UNDER_REVIEW', reviewReasons: ['SUSPECT_USER', 'HIGH_VALUE'] });
    expect(isOver(state)).toBe(true);
    expect(evolve(state, ended('APPROVED')).status).toBe('APPROVED');
    // The operator was faster than the saga.
    order([placed, started, ended('APPROVED')])
      .when({ type: 'Approve' })
      .then([approved]);
  });

  test('begins with the approval of an order whose user is suspect by then', () => {
    const approve = { type: 'Approve', reasons: ['SUSPECT_USER', 'HIGH_VALUE'] } as const;
    order([placed]).when(approve).then([approved, started]);
    // It is under review already, or was decided.
    order([placed, started]).when(approve).then([approved]);
    order([placed, started, ended('APPROVED')])
      .when(approve)
      .then([approved]);
  });

  test('an operator decides a review once; the same decision again changes nothing', () => {
    order([placed, started])
      .when(decision('approve'))
      .then([ended('APPROVED')]);
    order([placed, started])
      .when(decision('reject'))
      .then([ended('REJECTED'), refused]);
    order([placed, started, ended('APPROVED')])
      .when(decision('approve'))
      .then([]);
    order([placed, started, ended('APPROVED')])
      .when(decision('reject'))
      .thenRefused('NOT_UNDER_REVIEW');
    order([placed, started, ended('REJECTED'), refused])
      .when(decision('reject'))
      .then([]);
    order([placed]).when(decision('approve')).thenRefused('NOT_UNDER_REVIEW');
  });

  test('holds an order again after a release, and never after an approval', () => {
    order([placed, started])
      .when({ type: 'Release' })
      .then([ended('RELEASED')]);
    order([placed]).when({ type: 'Release' }).then([]);
    order([placed, started, ended('RELEASED')])
      .when(start)
      .then([started]);
    order([placed, started, ended('APPROVED')])
      .when(start)
      .then([]);
  });

  test('ends with a cancellation, or with a rejection by a step', () => {
    order([placed, started])
      .when({ type: 'Cancel' })
      .then([{ type: 'OrderCancelled', data: { ...ids, underWay: true } }]);
    order([placed, started])
      .when({ type: 'Reject', reason: 'OUT_OF_STOCK', skus: ['TEA-1'] })
      .then([rejected]);
    const state = [placed, started, rejected].reduce(evolve, initialState);
    expect(toView(state, 3)).not.toHaveProperty('reviewReasons');
  });
});
