import { commandOn, noEffect, on, type Source } from '@orderly/kit/idempotent-consumer';
import { isLeftToSaga } from '../orders/contract.js';
import type { PaymentStore } from './aggregates.js';
import { commandForCancellation } from './domain/steps.js';
import { cancellations } from './subscriptions.js';

/** Handles the cancellation of an order after its approval, so that no money is kept for it. */
export const onOrderEvent = (paymentStore: PaymentStore): Source =>
  on(cancellations, {
    OrderCancelled: ({ event: { data }, trace }) => {
      const { orderId, customerId } = data;
      // Orders from before the saga have no customer, and were never charged.
      if (isLeftToSaga(data) || customerId === undefined) return noEffect;
      const command = commandForCancellation({ orderId, customerId });
      return commandOn(paymentStore, { id: orderId, command, trace });
    },
  });
