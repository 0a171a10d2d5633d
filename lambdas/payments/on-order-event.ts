import { handleCommand, noEffect, on, type Source } from '@orderly/kit/idempotent-consumer';
import { isLeftToSaga } from '../orders/contract.js';
import type { PaymentStore } from './aggregates.js';
import { commandForCancellation } from './domain/steps.js';
import { orderEnds } from './subscriptions.js';

/**
 * Handles the cancellation of an order after its approval, so that no money is kept for it, and its dispatch, so that an
 * operator can refund goods that come back.
 */
export const onOrderEvent = (paymentStore: PaymentStore): Source =>
  on(orderEnds, {
    OrderCancelled: ({ event: { data }, trace }) => {
      const { orderId, customerId } = data;
      // Orders from before the saga have no customer, and were never charged.
      if (isLeftToSaga(data) || customerId === undefined) return noEffect;
      const command = commandForCancellation({ orderId, customerId });
      return handleCommand(paymentStore, { id: orderId, command, trace });
    },
    OrderDispatched: ({ event: { data }, trace }) =>
      handleCommand(paymentStore, { id: data.orderId, command: { type: 'AllowReturns' }, trace }),
  });
