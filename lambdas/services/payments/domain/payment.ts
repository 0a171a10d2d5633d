import type { Money } from '../../orders/contract.js';
import type { DeclineReason, PaymentEvent, PaymentView, RefundView, RequestPayment } from '../contract.js';

/** A payment, folded from its events. `PREPARED`: the provider's object is known, and may be charged by its id. */
export type Payment =
  | { readonly status: 'NONE' }
  | ({ readonly status: 'REQUESTED' } & Requested)
  | ({ readonly status: 'PREPARED'; readonly providerId: string } & Requested)
  | ({ readonly status: 'CHARGED'; readonly providerId: string; readonly refunds: Refunds } & Requested)
  | ({ readonly status: 'DECLINED'; readonly reason: DeclineReason } & Requested);

type Requested = Extract<PaymentEvent, { type: 'PaymentRequested' }>['data'];

/** By refund id, in the order in which they were asked for. */
type Refunds = Readonly<Record<string, { readonly amount: Money; readonly status: RefundView['status'] }>>;

/** What a customer asks for, and what a provider did. */
export type PaymentCommand =
  | ({ readonly type: 'Request'; readonly paymentId: string; readonly customerId: string } & RequestPayment)
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
  if (payment.status === 'NONE') throw new PaymentRefused('UNKNOWN_PAYMENT');
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
      return [{ type: 'PaymentCharged', data: { paymentId, amount: payment.amount } }];
    case 'Decline':
      if (payment.status === 'DECLINED') return [];
      if (payment.status === 'CHARGED') throw new PaymentRefused('ENDED_OTHERWISE');
      return [{ type: 'PaymentDeclined', data: { paymentId, reason: command.reason } }];
    case 'RequestRefund':
      return requestRefund(payment, command);
    case 'Refund':
      return endRefund(payment, command.refundId, 'PaymentRefunded');
    case 'FailRefund':
      return endRefund(payment, command.refundId, 'RefundFailed');
  }
}

function requestRefund(
  payment: Exclude<Payment, { status: 'NONE' }>,
  { refundId, amount: wanted }: Extract<PaymentCommand, { type: 'RequestRefund' }>,
): readonly PaymentEvent[] {
  if (payment.status !== 'CHARGED') throw new PaymentRefused('NOT_CHARGED');
  const { paymentId, refunds, amount: charged } = payment;
  if (Object.hasOwn(refunds, refundId)) return [];
  const left = charged.amount - sumOf(refunds, ({ status }) => status !== 'FAILED');
  const amount = wanted ?? { amount: left, currency: charged.currency };
  if (amount.currency !== charged.currency) throw new PaymentRefused('CURRENCY_MISMATCH');
  if (left === 0 || amount.amount > left) throw new PaymentRefused('OVER_CHARGED');
  if (Object.keys(refunds).length === MAX_REFUNDS) throw new PaymentRefused('TOO_MANY_REFUNDS');
  return [{ type: 'RefundRequested', data: { paymentId, refundId, amount } }];
}

function endRefund(
  payment: Exclude<Payment, { status: 'NONE' }>,
  refundId: string,
  type: 'PaymentRefunded' | 'RefundFailed',
): readonly PaymentEvent[] {
  const refund = pendingRefund(payment, refundId);
  return refund ? [{ type, data: { paymentId: payment.paymentId, refundId, amount: refund.amount } }] : [];
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
  if (payment.status === 'NONE') return payment;
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

/** The payment as the API shows it; nothing where there is none. */
export function viewOf(payment: Payment, version: number): PaymentView | undefined {
  if (payment.status === 'NONE') return undefined;
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
