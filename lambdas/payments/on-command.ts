import { handleCommand, type Message, on, type Source } from '@orderly/kit/idempotent-consumer';
import type { PaymentStore } from './aggregates.js';
import type { StepCommand } from './contract.js';
import { stepCommands } from './subscriptions.js';

/**
 * Handles steps of an order's saga, each once per order. A repeat gets the current outcome as its answer, as soon as
 * that is known.
 */
export function onCommand(paymentStore: PaymentStore): Source {
  const step = ({ event: command, trace }: Message<StepCommand>) =>
    handleCommand(paymentStore, { id: command.data.orderId, command, trace });
  return on(stepCommands, { ChargePayment: step, RefundPayment: step });
}
