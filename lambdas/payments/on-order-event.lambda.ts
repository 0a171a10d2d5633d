import { commandOn, consumer, noEffect, on } from '@orderly/kit/idempotent-consumer';
import { isLeftToSaga } from '../orders/contract.js';
import { PaymentRefused } from './domain/payment.js';
import { commandForCancellation } from './domain/steps.js';
import { paymentStore } from './payment-store.js';
import { cancellations } from './subscriptions.js';

/** Handles the cancellation of an order after its approval, so that no money is kept for it. */
export const handler = consumer(
  [
    on(cancellations, {
      OrderCancelled: ({ event: { data }, trace }) => {
        const { orderId, customerId } = data;
        // Orders from before the saga have no customer, and were never charged.
        if (isLeftToSaga(data) || customerId === undefined) return noEffect;
        const command = commandForCancellation({ orderId, customerId });
        return commandOn(paymentStore, { id: orderId, command, trace });
      },
    }),
  ],
  { isRefusal: (error) => error instanceof PaymentRefused },
);
