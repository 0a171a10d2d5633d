import type { Decider, Now } from '@orderly/kit/decider';
import type { PaymentEvent, StepCommand } from '../contract.js';
import { createReply, replyToStep } from './answers.js';
import {
  computeRemaining,
  decide,
  evolve,
  initialState,
  isRequested,
  type Payment,
  type PaymentCommand,
  PaymentRefused,
  refundRemaining,
} from './payment.js';

/** Rules of a payment: for its customer's requests, the provider's results and the steps of an order's saga. */
export const paymentDecider: Decider<Payment, PaymentCommand | StepCommand, PaymentEvent> = {
  initialState,
  evolve,
  decide: (payment, command, facts) =>
    command.type === 'ChargePayment' || command.type === 'RefundPayment'
      ? handleStep(payment, command, facts)
      : decide(payment, command, facts),
  stateSchema: 3,
};

/**
 * Returns the events that follow from a step of an order's saga: the start of its work, or the answer if that is known.
 * Returns none while the same step is in progress: its answer comes with the outcome.
 * @throws {PaymentRefused} `AMOUNT_DIFFERS` if the same order comes with another amount; `OTHER_STEP_UNDER_WAY` if
 *   another step waits for the outcome, since only one step can wait
 */
function handleStep(payment: Payment, command: StepCommand, facts: Now): readonly PaymentEvent[] {
  switch (command.type) {
    case 'ChargePayment':
      return charge(payment, command, facts);
    case 'RefundPayment':
      return undo(payment, command);
  }
}

/** Step of an order's cancellation after its approval. No saga waits for its answer. */
const cancellationStepId = (orderId: string): string => `${orderId}/cancelled`;

/** Whether a saga waits for the payment's refund. It reports a failed one itself, since it is stuck then. */
export const isAwaitedBySaga = (payment: Payment): boolean =>
  payment.status === 'CHARGED' &&
  payment.voidFor !== undefined &&
  payment.voidFor !== cancellationStepId(payment.paymentId);

/** Builds the command for an order that is cancelled after its approval: no step waits for the answer. */
export const commandForCancellation = (ids: {
  readonly orderId: string;
  readonly customerId: string;
}): StepCommand => ({
  type: 'RefundPayment',
  data: { ...ids, stepId: cancellationStepId(ids.orderId) },
});

type Command<Type extends StepCommand['type']> = Extract<StepCommand, { type: Type }>;

function charge(payment: Payment, { data }: Command<'ChargePayment'>, { now }: Now): readonly PaymentEvent[] {
  const { customerId, orderId, stepId, amount } = data;
  if (payment.status === 'NONE') {
    const wanted = { paymentId: orderId, customerId, accountId: customerId, amount, stepId, requestedAt: now };
    return [{ type: 'PaymentRequested', data: wanted }];
  }
  if (!isRequested(payment)) return [createReply(data, 'VOIDED')];
  const { amount: before } = payment;
  if (before.amount !== amount.amount || before.currency !== amount.currency) {
    throw new PaymentRefused('AMOUNT_DIFFERS');
  }
  if (payment.status === 'DECLINED') return [createReply(data, payment.reason)];
  if (payment.status !== 'REQUESTED' && payment.voidFor !== undefined) return [createReply(data, 'VOIDED')];
  return payment.status === 'CHARGED' ? [createReply(data)] : checkWaitingStep(payment.stepId, stepId);
}

/**
 * Compensates a payment: ensures that no money is kept, and answers once none is. It depends on the payment's status:
 *
 *     NONE        writes a tombstone, which refuses a charge that comes late
 *     REQUESTED   declines at once: the event that would ask the provider to charge can't be committed any more
 *     PREPARED    the charge may be in progress, and only the provider knows. The provider is asked to cancel its
 *                 object: it cancels it or reports the charge. `VoidRequested` triggers the call, because only the
 *                 consumer of this service's own events calls the provider
 *     CHARGED     refunds all that is left
 *
 * A commit here can't stop a charge that is in progress. A delivery that has read the payment before may even start a
 * charge later. So the provider decides which of the two comes first:
 *
 *     PaymentPrepared             RefundPayment, then VoidRequested
 *     load: PREPARED
 *                                 commit: VoidRequested
 *     confirm -> charged
 *                                 cancel -> refused: it is charged
 *                                 commit: PaymentCharged, RefundRequested
 *     commit: refused, the version is taken; loads again, nothing to do
 *
 *     load: PREPARED
 *                                 commit: VoidRequested
 *                                 cancel -> cancelled
 *                                 commit: PaymentDeclined, and the step is answered: no money is kept
 *     confirm -> refused: it is cancelled
 */
function undo(payment: Payment, { data }: Command<'RefundPayment'>): readonly PaymentEvent[] {
  const { orderId: paymentId, stepId } = data;
  const requested: PaymentEvent = { type: 'VoidRequested', data: { paymentId, stepId } };
  switch (payment.status) {
    case 'NONE':
      return [{ type: 'PaymentVoided', data: { paymentId } }, createReply(data)];
    case 'VOID':
    case 'DECLINED':
      return [createReply(data)];
    case 'REQUESTED':
      return [
        { type: 'PaymentDeclined', data: { paymentId, reason: 'VOIDED' } },
        ...replyToStep(payment, payment.stepId, 'VOIDED'),
        createReply(data),
      ];
    case 'PREPARED':
      if (payment.voidFor !== undefined) return checkWaitingStep(payment.voidFor, stepId);
      return [requested, ...replyToStep(payment, payment.stepId, 'VOIDED')];
    case 'CHARGED':
      if (Object.values(payment.refunds).some(({ status }) => status === 'PENDING')) {
        return checkWaitingStep(payment.voidFor, stepId);
      }
      return computeRemaining(payment) === 0 ? [createReply(data)] : [requested, ...refundRemaining(payment)];
  }
}

/** @throws {PaymentRefused} if another step is waiting */
function checkWaitingStep(waiting: string | undefined, stepId: string): readonly PaymentEvent[] {
  if (waiting !== stepId) throw new PaymentRefused('OTHER_STEP_UNDER_WAY');
  return [];
}
