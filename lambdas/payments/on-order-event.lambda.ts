import { clock } from '@orderly/kit/aws';
import { consumer, type Handling, on } from '@orderly/kit/idempotent-consumer';
import type { Trace } from '@orderly/kit/messages';
import { PaymentRefused } from './domain/payment.js';
import { commandForCancellation, handleStep } from './domain/steps.js';
import { paymentStore } from './payment-store.js';
import { cancellations } from './subscriptions.js';

/**
 * Handles the cancellation of an order after its approval, so that no money is kept for it. While the order's saga is
 * in progress, only the saga compensates.
 */
export const handler = consumer(
  [
    on(cancellations, {
      OrderCancelled: ({ event: { data }, trace }) =>
        data.underWay ? { decide: async () => [] } : cancelled(data, trace),
    }),
  ],
  { isRefusal: (error) => error instanceof PaymentRefused },
);

function cancelled(
  { orderId, customerId }: { readonly orderId: string; readonly customerId?: string },
  trace: Trace,
): Handling {
  return {
    decide: async () => {
      // Orders from before the saga were never charged.
      if (customerId === undefined) return [];
      const payment = await paymentStore.load(orderId);
      const command = commandForCancellation({ orderId, customerId });
      return [paymentStore.effect(payment, handleStep(payment.state, command, { now: clock.now() }), trace)];
    },
  };
}
