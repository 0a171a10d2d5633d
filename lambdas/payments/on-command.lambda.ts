import { commandOn, consumer, type Message, on } from '@orderly/kit/idempotent-consumer';
import type { StepCommand } from './contract.js';
import { PaymentRefused } from './domain/payment.js';
import { paymentStore } from './payment-store.js';
import { steps } from './subscriptions.js';

/**
 * Handles steps of an order's saga, each once per order. A repeat gets the current outcome as its answer, as soon as
 * that is known.
 */
export const handler = consumer([on(steps, { ChargePayment: step, RefundPayment: step })], {
  isRefusal: (error) => error instanceof PaymentRefused,
});

function step({ event: command, trace }: Message<StepCommand>) {
  return commandOn(paymentStore, { id: command.data.orderId, command, trace });
}
