import { expect, test } from 'vitest';
import type { OrderView } from '../../../lambdas/orders/contract.js';
import { redactHistory, viewForRole } from '../../../lambdas/orders/reader.js';
import type { HistoryEntry } from '../../../packages/kit/event-store/event-store.js';

const ids = { orderId: 'o1', customerId: 'bob' };
const order = { ...ids, status: 'UNDER_REVIEW', reviewReasons: ['SUSPECT_USER'] } as unknown as OrderView;
const entry = (type: string, data: object) => ({ type, data: { ...ids, ...data } }) as unknown as HistoryEntry;
const history = [
  entry('OrderReviewStarted', { reasons: ['SUSPECT_USER'] }),
  entry('OrderReviewEnded', { outcome: 'APPROVED', sealedNote: { sealed: 'x' } }),
  entry('OrderCancelled', { sealedReason: { sealed: 'y' } }),
];
const as = (role: 'customer' | 'operator') => ({ role });

test('operators see why an order is reviewed, and what was noted', () => {
  expect(viewForRole(as('operator'), order)).toEqual(order);
  expect(redactHistory(as('operator'), history)).toEqual(history);
});

test('customers see that their order was reviewed, and neither why nor the note', () => {
  expect(viewForRole(as('customer'), order)).toEqual({ ...ids, status: 'UNDER_REVIEW' });
  expect(redactHistory(as('customer'), history)).toEqual([
    entry('OrderReviewStarted', {}),
    entry('OrderReviewEnded', { outcome: 'APPROVED' }),
    history[2],
  ]);
});
