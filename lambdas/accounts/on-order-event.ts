import { type Handling, noEffect, on, type Source } from '@orderly/kit/idempotent-consumer';
import type { Trace } from '@orderly/kit/messages';
import { isLeftToSaga } from '../orders/contract.js';
import { commandForOrderEnd } from './domain/authorization.js';
import { type AccountsContext, handleOrderCommand } from './handle-order-command.js';
import { orderEnds } from './subscriptions.js';

/**
 * Captures the held amount when an order is approved, and releases or refunds it when the order is cancelled
 * afterwards. Either event may come first.
 */
export const onOrderEvent = (context: AccountsContext): Source =>
  on(orderEnds, {
    OrderApproved: ({ event: { data }, trace }) => handleOrderEnd(context, data, 'APPROVED', trace),
    OrderCancelled: ({ event: { data }, trace }) =>
      isLeftToSaga(data) ? noEffect : handleOrderEnd(context, data, 'CANCELLED', trace),
  });

function handleOrderEnd(
  context: AccountsContext,
  { orderId, customerId }: { readonly orderId: string; readonly customerId?: string },
  how: 'APPROVED' | 'CANCELLED',
  trace: Trace,
): Handling {
  // Orders from before the saga have no customer, and nothing was ever held for them.
  if (customerId === undefined) return noEffect;
  const ids = { orderId, customerId };
  return handleOrderCommand(context, ids, (authorization) => commandForOrderEnd(authorization, { ...ids, how }), trace);
}
