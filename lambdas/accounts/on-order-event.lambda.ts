import { consumer, type Handling, noEffect, on } from '@orderly/kit/idempotent-consumer';
import type { Trace } from '@orderly/kit/messages';
import { isLeftToSaga } from '../orders/contract.js';
import { commandOnOrder } from './command-on-order.js';
import { AccountRefused } from './domain/account.js';
import { commandForOrderEnd } from './domain/authorization.js';
import { orderEnds } from './subscriptions.js';

/**
 * Captures the held amount when an order is approved, and releases or refunds it when the order is cancelled
 * afterwards. Either event may come first.
 */
export const handler = consumer(
  [
    on(orderEnds, {
      OrderApproved: ({ event: { data }, trace }) => ended(data, 'APPROVED', trace),
      OrderCancelled: ({ event: { data }, trace }) => (isLeftToSaga(data) ? noEffect : ended(data, 'CANCELLED', trace)),
    }),
  ],
  { isRefusal: (error) => error instanceof AccountRefused },
);

function ended(
  { orderId, customerId }: { readonly orderId: string; readonly customerId?: string },
  how: 'APPROVED' | 'CANCELLED',
  trace: Trace,
): Handling {
  // Orders from before the saga have no customer, and nothing was ever held for them.
  if (customerId === undefined) return noEffect;
  const ids = { orderId, customerId };
  return commandOnOrder(ids, (authorization) => commandForOrderEnd(authorization, { ...ids, how }), trace);
}
