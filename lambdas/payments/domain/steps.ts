import type { PaymentEvent, StepCommand } from '../contract.js';
import { answerTo, replyOf } from './answers.js';
import { type Context, giveAllBack, isRequested, leftOf, type Payment, PaymentRefused } from './payment.js';

/**
 * Which events follow from a step of an order's saga: what it begins, or the answer where that is known. None where the
 * same step is under way: its answer comes with the outcome.
 * @throws {PaymentRefused} `AMOUNT_DIFFERS` where the same order comes with another amount; `OTHER_STEP_UNDER_WAY` where
 *   another step waits for the outcome, which has room for one
 */
export function carryOut(payment: Payment, command: StepCommand, context: Context): readonly PaymentEvent[] {
  switch (command.type) {
    case 'ChargePayment':
      return charge(payment, command, context);
    case 'RefundPayment':
      return undo(payment, command);
  }
}

/** What an order's cancellation after its approval asks for: nobody waits for the answer. */
export const cancelling = (ids: { readonly orderId: string; readonly customerId: string }): StepCommand => ({
  type: 'RefundPayment',
  data: { ...ids, stepId: `${ids.orderId}/cancelled` },
});

type Command<Type extends StepCommand['type']> = Extract<StepCommand, { type: Type }>;

function charge(payment: Payment, { data }: Command<'ChargePayment'>, { now }: Context): readonly PaymentEvent[] {
  const { customerId, orderId, stepId, amount } = data;
  if (payment.status === 'NONE') {
    const wanted = { paymentId: orderId, customerId, accountId: customerId, amount, stepId, requestedAt: now };
    return [{ type: 'PaymentRequested', data: wanted }];
  }
  if (!isRequested(payment)) return [replyOf(data, 'VOIDED')];
  const { amount: before } = payment;
  if (before.amount !== amount.amount || before.currency !== amount.currency) {
    throw new PaymentRefused('AMOUNT_DIFFERS');
  }
  if (payment.status === 'DECLINED') return [replyOf(data, payment.reason)];
  if (payment.status !== 'REQUESTED' && payment.voidFor !== undefined) return [replyOf(data, 'VOIDED')];
  return payment.status === 'CHARGED' ? [replyOf(data)] : waitsFor(payment.stepId, stepId);
}

/**
 * Sees to it that no money is kept, and answers when none is. What it meets:
 *
 *     nothing     a tombstone, which refuses the charge that comes late
 *     REQUESTED   declined at once: the provider is told to charge by an event that can't be committed any more
 *     PREPARED    the charge may be under way, and nobody but the provider knows: it is asked to cancel its object, which
 *                 it does or has charged; by `VoidRequested`, since it is called by the consumer of our own events only
 *     CHARGED     all that is left is given back
 *
 * A charge that is under way can't be stopped by what is committed here, and may even be asked for by a delivery that has
 * read the payment before. So the provider itself decides which of the two is first:
 *
 *     PaymentPrepared             RefundPayment, then VoidRequested
 *     load: PREPARED
 *                                 commit: VoidRequested
 *     confirm -> charged
 *                                 cancel -> refused: it is charged
 *                                 commit: PaymentCharged, RefundRequested
 *     commit: refused, the version is taken; loaded again, nothing is to do
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
      return [{ type: 'PaymentVoided', data: { paymentId } }, replyOf(data)];
    case 'VOID':
    case 'DECLINED':
      return [replyOf(data)];
    case 'REQUESTED':
      return [
        { type: 'PaymentDeclined', data: { paymentId, reason: 'VOIDED' } },
        ...answerTo(payment, payment.stepId, 'VOIDED'),
        replyOf(data),
      ];
    case 'PREPARED':
      if (payment.voidFor !== undefined) return waitsFor(payment.voidFor, stepId);
      return [requested, ...answerTo(payment, payment.stepId, 'VOIDED')];
    case 'CHARGED':
      if (Object.values(payment.refunds).some(({ status }) => status === 'PENDING')) {
        return waitsFor(payment.voidFor, stepId);
      }
      return leftOf(payment) === 0 ? [replyOf(data)] : [requested, ...giveAllBack(payment)];
  }
}

/** @throws {PaymentRefused} where it isn't this step that waits */
function waitsFor(waiting: string | undefined, stepId: string): readonly PaymentEvent[] {
  if (waiting !== stepId) throw new PaymentRefused('OTHER_STEP_UNDER_WAY');
  return [];
}
