import type { Now } from '@orderly/kit/decider';
import type { Money } from '../../orders/contract.js';
import type { DeclineReason, PaymentEvent, PaymentView, RefundView } from '../contract.js';
import { replyToStep } from './answers.js';

/**
 * A payment, folded from its events. `PREPARED`: the id of the provider's object is known, and the object may be
 * charged. `VOID` is the tombstone of an order whose payment was compensated before it was requested.
 */
export type Payment =
  | { readonly status: 'NONE' | 'VOID' }
  | ({ readonly status: 'REQUESTED' } & Requested)
  | ({ readonly status: 'PREPARED'; readonly providerId: string } & Undoable & Requested)
  | ({ readonly status: 'CHARGED'; readonly providerId: string; readonly refunds: Refunds } & Returnable &
      Undoable &
      Requested)
  | ({ readonly status: 'DECLINED'; readonly reason: DeclineReason } & Requested);

type Requested = Extract<PaymentEvent, { type: 'PaymentRequested' }>['data'];

interface Undoable {
  /** Step that waits until no money is kept; absent unless a compensation was requested. */
  readonly voidFor?: string;
}

interface Returnable {
  /** Whether the order of the payment was dispatched. An operator may refund it then, for goods that come back. */
  readonly returnable?: true;
}

/** Refunds by id, in the order of their requests. */
type Refunds = Readonly<Record<string, { readonly amount: Money; readonly status: RefundView['status'] }>>;

/** Requests of a customer, and results of a provider. */
export type PaymentCommand =
  | ({ readonly type: 'Request' } & Pick<
      Requested,
      'paymentId' | 'customerId' | 'accountId' | 'amount' | 'sealedReference'
    >)
  | { readonly type: 'Prepare'; readonly providerId: string }
  | { readonly type: 'Charge'; readonly fee?: Money }
  | { readonly type: 'Decline'; readonly reason: DeclineReason }
  /** The order of the payment was dispatched. */
  | { readonly type: 'AllowReturns' }
  | {
      readonly type: 'RequestRefund';
      readonly refundId: string;
      readonly amount?: Money;
      /** Whether an operator requests the refund, for example for goods that came back; otherwise, the customer does. */
      readonly byOperator?: boolean;
    }
  | { readonly type: 'Refund' | 'FailRefund'; readonly refundId: string }
  /** An operator asks the provider again for a refund that it refused. */
  | { readonly type: 'RefundAgain'; readonly refundId: string };

/** A command that a business rule forbids. Nothing was changed; asking again gives the same answer. */
export class PaymentRefused extends Error {
  override readonly name = 'PaymentRefused';
  constructor(
    readonly code:
      | 'ALREADY_REQUESTED'
      | 'UNKNOWN_PAYMENT'
      | 'AMOUNT_DIFFERS'
      | 'OTHER_STEP_UNDER_WAY'
      | 'PAYS_AN_ORDER'
      | 'NOT_DISPATCHED'
      | 'DISPATCHED'
      | 'UNKNOWN_REFUND'
      | 'ENDED_OTHERWISE'
      | 'NOT_CHARGED'
      | 'CURRENCY_MISMATCH'
      | 'OVER_CHARGED'
      | 'TOO_MANY_REFUNDS'
      | 'REFUNDED_SINCE',
  ) {
    super(code);
  }
}

export const initialState: Payment = { status: 'NONE' };

/** Maximum number of refunds of one payment. The state contains all of them, and its size is limited. */
const MAX_REFUNDS = 100;

/**
 * Returns the events that follow from a command; none if it was carried out before.
 * @throws {PaymentRefused} if a business rule forbids it, or if it contradicts what the provider did
 */
export function decide(payment: Payment, command: PaymentCommand, { now }: Now): readonly PaymentEvent[] {
  if (command.type === 'Request') {
    if (payment.status !== 'NONE') throw new PaymentRefused('ALREADY_REQUESTED');
    const { type: _, ...data } = command;
    return [{ type: 'PaymentRequested', data: { ...data, requestedAt: now } }];
  }
  // An order that costs nothing has no payment.
  if (command.type === 'AllowReturns') return allowReturns(payment);
  if (!isRequested(payment)) throw new PaymentRefused('UNKNOWN_PAYMENT');
  const { paymentId } = payment;
  switch (command.type) {
    case 'Prepare':
      // The first object counts. A second one is never charged, because its id is not stored.
      return payment.status === 'REQUESTED'
        ? [{ type: 'PaymentPrepared', data: { paymentId, providerId: command.providerId } }]
        : [];
    case 'Charge':
      if (payment.status === 'CHARGED') return [];
      if (payment.status !== 'PREPARED') throw new PaymentRefused('ENDED_OTHERWISE');
      return charge(payment, command.fee);
    case 'Decline':
      if (payment.status === 'DECLINED') return [];
      if (payment.status === 'CHARGED') throw new PaymentRefused('ENDED_OTHERWISE');
      return decline(payment, command.reason);
    case 'RequestRefund':
      checkWhoRefunds(payment, command.byOperator === true);
      return requestRefund(payment, command);
    case 'Refund':
      return endRefund(payment, command.refundId, 'PaymentRefunded');
    case 'FailRefund':
      return endRefund(payment, command.refundId, 'RefundFailed');
    case 'RefundAgain':
      return refundAgain(payment, command.refundId);
  }
}

/** Allows returns once. An order is dispatched after its approval, and so after its charge. */
const allowReturns = (payment: Payment): readonly PaymentEvent[] =>
  payment.status === 'CHARGED' && payment.returnable === undefined
    ? [{ type: 'ReturnsAllowed', data: { paymentId: payment.paymentId } }]
    : [];

/**
 * Checks that the payment of an order is refunded by operators only, and after its dispatch. A customer who could refund it
 * would get the money back and keep the goods; before the dispatch the order is cancelled instead. A payment of no order is
 * refunded by its customer or an operator.
 * @throws {PaymentRefused}
 */
function checkWhoRefunds(payment: RequestedPayment, byOperator: boolean): void {
  if (payment.stepId === undefined) return;
  const isReturnable = payment.status === 'CHARGED' && payment.returnable === true;
  if (!byOperator) throw new PaymentRefused(isReturnable ? 'DISPATCHED' : 'PAYS_AN_ORDER');
  if (!isReturnable) throw new PaymentRefused('NOT_DISPATCHED');
}

/** A payment that was requested: it exists and is no tombstone. */
export type RequestedPayment = Exclude<Payment, { readonly status: 'NONE' | 'VOID' }>;

export const isRequested = (payment: Payment): payment is RequestedPayment =>
  payment.status !== 'NONE' && payment.status !== 'VOID';

/**
 * Completes the charging step. If a compensation was requested meanwhile, it refunds the money at once, and the
 * compensating step waits for that.
 */
function charge(payment: Extract<Payment, { status: 'PREPARED' }>, fee: Money | undefined): readonly PaymentEvent[] {
  const { paymentId, customerId, amount, stepId, voidFor } = payment;
  // Only steps of sagas request payments of orders.
  const order = stepId === undefined ? {} : { orderId: paymentId, customerId };
  const charged: PaymentEvent = { type: 'PaymentCharged', data: { paymentId, amount, ...(fee && { fee }), ...order } };
  if (voidFor === undefined) return [charged, ...replyToStep(payment, stepId)];
  return [charged, ...refundRemaining({ ...payment, status: 'CHARGED', refunds: {} })];
}

/**
 * Records that no money is kept: it refuses the charging step, and answers the compensating step that waits for this.
 */
function decline(
  payment: Extract<Payment, { status: 'REQUESTED' | 'PREPARED' }>,
  reason: DeclineReason,
): readonly PaymentEvent[] {
  const { paymentId, stepId } = payment;
  if (payment.status === 'PREPARED' && payment.voidFor !== undefined) {
    // The charging step was answered when the void was requested, so the provider's answer no longer matters to it.
    return [
      { type: 'PaymentDeclined', data: { paymentId, reason: 'VOIDED' } },
      ...replyToStep(payment, payment.voidFor),
    ];
  }
  return [{ type: 'PaymentDeclined', data: { paymentId, reason } }, ...replyToStep(payment, stepId, reason)];
}

type Charged = Extract<Payment, { status: 'CHARGED' }>;

/** Charged amount minus refunds, including pending ones. */
export const computeRemaining = ({ amount, refunds }: Charged): number =>
  amount.amount - sumRefunds(refunds, ({ status }) => status !== 'FAILED');

/** Requests a refund of all that is left, under a new id: a failed refund stays failed at the provider. */
export const refundRemaining = (payment: Charged): readonly PaymentEvent[] =>
  requestRefund(payment, { refundId: `void-${Object.keys(payment.refunds).length + 1}` });

function requestRefund(
  payment: RequestedPayment,
  { refundId, amount: wanted }: { readonly refundId: string; readonly amount?: Money },
): readonly PaymentEvent[] {
  if (payment.status !== 'CHARGED') throw new PaymentRefused('NOT_CHARGED');
  const { paymentId, refunds, amount: charged } = payment;
  if (Object.hasOwn(refunds, refundId)) return [];
  const left = computeRemaining(payment);
  const amount = wanted ?? { amount: left, currency: charged.currency };
  if (amount.currency !== charged.currency) throw new PaymentRefused('CURRENCY_MISMATCH');
  if (left === 0 || amount.amount > left) throw new PaymentRefused('OVER_CHARGED');
  if (Object.keys(refunds).length === MAX_REFUNDS) throw new PaymentRefused('TOO_MANY_REFUNDS');
  return [{ type: 'RefundRequested', data: { paymentId, refundId, amount } }];
}

/**
 * Requests the amount of a failed refund again, under a new id: the provider repeats its answer under the old one.
 *
 * The customer may have asked again meanwhile, and nothing tells which refund such a request stands for. So the retry is
 * refused once a later refund is pending or made. Whoever may request a refund of the payment can still do so.
 * @throws {PaymentRefused} `REFUNDED_SINCE`; `UNKNOWN_REFUND` if no such refund has failed; as for any other refund
 */
function refundAgain(payment: RequestedPayment, refundId: string): readonly PaymentEvent[] {
  if (payment.status !== 'CHARGED') throw new PaymentRefused('NOT_CHARGED');
  const refunds = Object.entries(payment.refunds);
  const at = refunds.findIndex(([id, { status }]) => id === refundId && status === 'FAILED');
  const [failed, ...later] = refunds.slice(at).map(([, refund]) => refund);
  if (at < 0 || failed === undefined) throw new PaymentRefused('UNKNOWN_REFUND');
  if (later.some(({ status }) => status !== 'FAILED')) throw new PaymentRefused('REFUNDED_SINCE');
  const again = `again-${refunds.length + 1}`;
  return requestRefund(payment, { refundId: again, amount: failed.amount });
}

function endRefund(
  payment: RequestedPayment,
  refundId: string,
  type: 'PaymentRefunded' | 'RefundFailed',
): readonly PaymentEvent[] {
  const refund = findPendingRefund(payment, refundId);
  if (!refund) return [];
  const { paymentId, customerId } = payment;
  const { voidFor, returnable } = payment.status === 'CHARGED' ? payment : {};
  const order = returnable && type === 'PaymentRefunded' ? { orderId: paymentId, customerId } : {};
  return [
    { type, data: { paymentId, refundId, amount: refund.amount, ...order } },
    ...replyToStep(payment, voidFor, type === 'RefundFailed' ? 'REFUND_FAILED' : undefined),
  ];
}

/**
 * Returns a refund that the provider still has to make, with the object's id; `undefined` if the refund has ended.
 * @throws {PaymentRefused} if it was never requested
 */
export function findPendingRefund(
  payment: Payment,
  refundId: string,
): { readonly providerId: string; readonly amount: Money } | undefined {
  if (payment.status !== 'CHARGED') throw new PaymentRefused('NOT_CHARGED');
  const { providerId, refunds } = payment;
  const refund = Object.hasOwn(refunds, refundId) ? refunds[refundId] : undefined;
  if (!refund) throw new PaymentRefused('UNKNOWN_REFUND');
  return refund.status === 'PENDING' ? { providerId, amount: refund.amount } : undefined;
}

/** Folds an event into a state. It is total: it accepts any event in any state and never refuses history. */
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
    case 'ReturnsAllowed':
      return payment.status === 'CHARGED' ? { ...payment, returnable: true } : payment;
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

/** Returns the payment as the API shows it, without its sealed data; `undefined` if it doesn't exist. */
export function toView(payment: Payment, version: number): PaymentView | undefined {
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
    refunded: { amount: sumRefunds(refunds, ({ status }) => status === 'REFUNDED'), currency: amount.currency },
    refunds: Object.entries(refunds).map(([refundId, refund]) => ({ refundId, ...refund })),
    version,
    requestedAt,
  };
}

const sumRefunds = (refunds: Refunds, which: (refund: Refunds[string]) => boolean): number =>
  Object.values(refunds)
    .filter(which)
    .reduce((sum, { amount }) => sum + amount.amount, 0);
