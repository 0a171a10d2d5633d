import { type Handling, noEffect, on, type Source } from '@orderly/kit/idempotent-consumer';
import type { Trace } from '@orderly/kit/messages';
import type { PaymentCommand } from './domain/authorization.js';
import { type AccountsContext, handleOrderCommand } from './handle-order-command.js';
import { paymentEvents } from './subscriptions.js';

/**
 * Settles an order's amount when its payment is charged: a customer who pays keeps their credit. The amount may be held
 * or captured by then. When an operator has refunded returned goods, the order is refunded here too. A payment that pays
 * no order changes nothing, nor does the refund of a cancelled order: the cancellation itself is heard.
 */
export const onPaymentEvent = (context: AccountsContext): Source =>
  on(paymentEvents, {
    PaymentCharged: ({ event: { data }, trace }) =>
      handlePayment(context, data, (ids) => ({ type: 'SettleOrder', data: ids }), trace),
    PaymentRefunded: ({ event: { data }, trace }) => {
      const { refundId, amount } = data;
      return handlePayment(
        context,
        data,
        (ids) => ({ type: 'ReturnOrder', data: { ...ids, refundId, amount } }),
        trace,
      );
    },
  });

interface Ids {
  readonly orderId: string;
  readonly customerId: string;
}

function handlePayment(
  context: AccountsContext,
  { orderId, customerId }: Partial<Ids>,
  buildCommand: (ids: Ids) => PaymentCommand,
  trace: Trace,
): Handling {
  if (orderId === undefined || customerId === undefined) return noEffect;
  const ids = { orderId, customerId };
  return handleOrderCommand(context, ids, () => buildCommand(ids), trace);
}
