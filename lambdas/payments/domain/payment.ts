import type { Money } from '../../orders/contract.js';
import type { DeclineReason, PaymentEvent, PaymentView, RefundView } from '../contract.js';
import { answerTo } from './answers.js';

/**
 * A payment, folded from its events. `PREPARED`: the provider's object is known, and may be charged by its id. `VOID` is
 * the tombstone of an order whose payment was undone before it was asked for.
 */
export type Payment =
  | { readonly status: 'NONE' | 'VOID' }
  | ({ readonly status: 'REQUESTED' } & Requested)
  | ({ readonly status: 'PREPARED'; readonly providerId: string } & Undoable & Requested)
  | ({ readonly status: 'CHARGED'; readonly providerId: string; readonly refunds: Refunds } & Undoable & Requested)
  | ({ readonly status: 'DECLINED'; readonly reason: DeclineReason } & Requested);

type Requested = Extract<PaymentEvent, { type: 'PaymentRequested' }>['data'];

interface Undoable {
  /** The step that waits until no money is kept; there is none as long as nobody undoes it. */
  readonly voidFor?: string;
}

/** By refund id, in the order in which they were asked for. */
type Refunds = Readonly<Record<string, { readonly amount: Money; readonly status: RefundView['status'] }>>;

/** What a customer asks for, and what a provider did. */
export type PaymentCommand =
  | ({ readonly type: 'Request' } & Pick<
      Requested,
      'paymentId' | 'customerId' | 'accountId' | 'amount' | 'sealedReference'
    >)
  | { readonly type: 'Prepare'; readonly providerId: string }
  | { readonly type: 'Charge' }
  | { readonly type: 'Decline'; readonly reason: DeclineReason }
  | { readonly type: 'RequestRefund'; readonly refundId: string; readonly amount?: Money }
  | { readonly type: 'Refund' | 'FailRefund'; readonly refundId: string };

/** Everything that isn't in the state or the command. */
export interface Context {
  /** ISO 8601, UTC. */
  readonly now: string;
}

/** A command that the business forbids. Nothing was changed; asking again gives the same answer. */
export class PaymentRefused extends Error {
  override readonly name = 'PaymentRefused';
  constructor(
    readonly code:
      | 'ALREADY_REQUESTED'
      | 'UNKNOWN_PAYMENT'
      | 'AMOUNT_DIFFERS'
      | 'OTHER_STEP_UNDER_WAY'
      | 'PAYS_AN_ORDER'
      | 'UNKNOWN_REFUND'
      | 'ENDED_OTHERWISE'
      | 'NOT_CHARGED'
      | 'CURRENCY_MISMATCH'
      | 'OVER_CHARGED'
      | 'TOO_MANY_REFUNDS',
  ) {
    super(code);
  }
}

export const initialState: Payment = { status: 'NONE' };

/** Refunds of one payment: all of them are in its state, which has a limit. */
const MAX_REFUNDS = 100;

/**
 * Which events follow from a command; none where it was carried out before.
 * @throws {PaymentRefused} where the business forbids it, or it contradicts what the provider did
 */
export function decide(payment: Payment, command: PaymentCommand, { now }: Context): readonly PaymentEvent[] {
  if (command.type === 'Request') {
    if (payment.status !== 'NONE') throw new PaymentRefused('ALREADY_REQUESTED');
    const { type: _, ...data } = command;
    return [{ type: 'PaymentRequested', data: { ...data, requestedAt: now } }];
  }
  if (!isRequested(payment)) throw new PaymentRefused('UNKNOWN_PAYMENT');
  const { paymentId } = payment;
  switch (command.type) {
    case 'Prepare':
      // The first object counts. Another one is never charged: nobody knows its id.
      return payment.status === 'REQUESTED'
        ? [{ type: 'PaymentPrepared', data: { paymentId, providerId: command.providerId } }]
        : [];
    case 'Charge':
      if (payment.status === 'CHARGED') return [];
      if (payment.status !== 'PREPARED') throw new PaymentRefused('ENDED_OTHERWISE');
      return charge(payment);
    case 'Decline':
      if (payment.status === 'DECLINED') return [];
      if (payment.status === 'CHARGED') throw new PaymentRefused('ENDED_OTHERWISE');
      return decline(payment, command.reason);
    case 'RequestRefund':
      // Who has their order's money back by this would still get the goods.
      if (payment.stepId !== undefined) throw new PaymentRefused('PAYS_AN_ORDER');
      return requestRefund(payment, command);
    case 'Refund':
      return endRefund(payment, command.refundId, 'PaymentRefunded');
    case 'FailRefund':
      return endRefund(payment, command.refundId, 'RefundFailed');
  }
}

/** What was asked for: neither nothing at all nor a tombstone. */
export type RequestedPayment = Exclude<Payment, { readonly status: 'NONE' | 'VOID' }>;

export const isRequested = (payment: Payment): payment is RequestedPayment =>
  payment.status !== 'NONE' && payment.status !== 'VOID';

/** Its step is done, unless it is undone meanwhile: then the money goes back at once, and the undoing step waits for that. */
function charge(payment: Extract<Payment, { status: 'PREPARED' }>): readonly PaymentEvent[] {
  const { paymentId, amount, stepId, voidFor } = payment;
  const charged: PaymentEvent = { type: 'PaymentCharged', data: { paymentId, amount } };
  if (voidFor === undefined) return [charged, ...answerTo(payment, stepId)];
  return [charged, ...giveAllBack({ ...payment, status: 'CHARGED', refunds: {} })];
}

/** No money is kept: what a charging step is refused for, an undoing one has waited for. */
function decline(
  payment: Extract<Payment, { status: 'REQUESTED' | 'PREPARED' }>,
  reason: DeclineReason,
): readonly PaymentEvent[] {
  const { paymentId, stepId } = payment;
  if (payment.status === 'PREPARED' && payment.voidFor !== undefined) {
    // The charging step has its answer since the void was requested, whatever the provider says now.
    return [{ type: 'PaymentDeclined', data: { paymentId, reason: 'VOIDED' } }, ...answerTo(payment, payment.voidFor)];
  }
  return [{ type: 'PaymentDeclined', data: { paymentId, reason } }, ...answerTo(payment, stepId, reason)];
}

type Charged = Extract<Payment, { status: 'CHARGED' }>;

/** What was charged and neither given back nor set aside for it. */
export const leftOf = ({ amount, refunds }: Charged): number =>
  amount.amount - sumOf(refunds, ({ status }) => status !== 'FAILED');

/** Under an id of its own: one that failed stays failed at the provider. */
export const giveAllBack = (payment: Charged): readonly PaymentEvent[] =>
  requestRefund(payment, { refundId: `void-${Object.keys(payment.refunds).length + 1}` });

function requestRefund(
  payment: RequestedPayment,
  { refundId, amount: wanted }: { readonly refundId: string; readonly amount?: Money },
): readonly PaymentEvent[] {
  if (payment.status !== 'CHARGED') throw new PaymentRefused('NOT_CHARGED');
  const { paymentId, refunds, amount: charged } = payment;
  if (Object.hasOwn(refunds, refundId)) return [];
  const left = leftOf(payment);
  const amount = wanted ?? { amount: left, currency: charged.currency };
  if (amount.currency !== charged.currency) throw new PaymentRefused('CURRENCY_MISMATCH');
  if (left === 0 || amount.amount > left) throw new PaymentRefused('OVER_CHARGED');
  if (Object.keys(refunds).length === MAX_REFUNDS) throw new PaymentRefused('TOO_MANY_REFUNDS');
  return [{ type: 'RefundRequested', data: { paymentId, refundId, amount } }];
}

function endRefund(
  payment: RequestedPayment,
  refundId: string,
  type: 'PaymentRefunded' | 'RefundFailed',
): readonly PaymentEvent[] {
  const refund = pendingRefund(payment, refundId);
  if (!refund) return [];
  const voidFor = payment.status === 'CHARGED' ? payment.voidFor : undefined;
  return [
    { type, data: { paymentId: payment.paymentId, refundId, amount: refund.amount } },
    ...answerTo(payment, voidFor, type === 'RefundFailed' ? 'REFUND_FAILED' : undefined),
  ];
}

/**
 * A refund that the provider still has to make, and where; nothing where it is through.
 * @throws {PaymentRefused} where it was never asked for
 */
export function pendingRefund(
  payment: Payment,
  refundId: string,
): { readonly providerId: string; readonly amount: Money } | undefined {
  if (payment.status !== 'CHARGED') throw new PaymentRefused('NOT_CHARGED');
  const { providerId, refunds } = payment;
  const refund = Object.hasOwn(refunds, refundId) ? refunds[refundId] : undefined;
  if (!refund) throw new PaymentRefused('UNKNOWN_REFUND');
  return refund.status === 'PENDING' ? { providerId, amount: refund.amount } : undefined;
}

/** Total: any event in any state; history is never refused. */
export function evolve(payment: Payment, event: PaymentEvent): Payment {
  if (event.type === 'PaymentRequested') return { status: 'REQUESTED', ...event.data };
  if (event.type === 'PaymentVoided') return { status: 'VOID' };
  if (!isRequested(payment)) return payment;
  switch (event.type) {
    case 'PaymentPrepared':
      return { ...payment, status: 'PREPARED', providerId: event.data.providerId };
    case 'PaymentCharged':
      return payment.status === 'PREPARED' ? { ...payment, status: 'CHARGED', refunds: {} } : payment;
    case 'PaymentDeclined':
      return { ...payment, status: 'DECLINED', reason: event.data.reason };
    case 'RefundRequested':
      return withRefund(payment, event.data, 'PENDING');
    case 'PaymentRefunded':
      return withRefund(payment, event.data, 'REFUNDED');
    case 'RefundFailed':
      return withRefund(payment, event.data, 'FAILED');
    case 'VoidRequested':
      return payment.status === 'PREPARED' || payment.status === 'CHARGED'
        ? { ...payment, voidFor: event.data.stepId }
        : payment;
    case 'SagaReplyRequested':
      return payment;
  }
}

function withRefund(
  payment: Payment,
  { refundId, amount }: { readonly refundId: string; readonly amount: Money },
  status: RefundView['status'],
): Payment {
  if (payment.status !== 'CHARGED') return payment;
  return { ...payment, refunds: { ...payment.refunds, [refundId]: { amount, status } } };
}

/** The payment as the API shows it, without what is sealed in it; nothing where there is none. */
export function viewOf(payment: Payment, version: number): PaymentView | undefined {
  if (!isRequested(payment)) return undefined;
  const { paymentId, customerId, accountId, amount, clientReference, requestedAt } = payment;
  const refunds = payment.status === 'CHARGED' ? payment.refunds : {};
  return {
    paymentId,
    customerId,
    accountId,
    amount,
    status: payment.status === 'CHARGED' || payment.status === 'DECLINED' ? payment.status : 'PENDING',
    ...(payment.status === 'DECLINED' ? { reason: payment.reason } : {}),
    ...(clientReference === undefined ? {} : { clientReference }),
    refunded: { amount: sumOf(refunds, ({ status }) => status === 'REFUNDED'), currency: amount.currency },
    refunds: Object.entries(refunds).map(([refundId, refund]) => ({ refundId, ...refund })),
    version,
    requestedAt,
  };
}

const sumOf = (refunds: Refunds, which: (refund: Refunds[string]) => boolean): number =>
  Object.values(refunds)
    .filter(which)
    .reduce((sum, { amount }) => sum + amount.amount, 0);
