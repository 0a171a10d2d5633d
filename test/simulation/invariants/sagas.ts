import type { AccountEvent } from '../../../lambdas/accounts/contract.js';
import {
  evolve as evolveAuthorization,
  initialState as noAuthorization,
} from '../../../lambdas/accounts/domain/authorization.js';
import type { OrderView } from '../../../lambdas/orders/contract.js';
import { computeRemaining } from '../../../lambdas/payments/domain/payment.js';
import { findBehaviour } from '../../../lambdas/payments/provider/sandbox-amounts.js';
import type { Violation } from '../../../packages/simulator/search/scenario.js';
import { type Facts, linesOf, type SagaTold } from '../../support/simulation/facts.js';
import { isUnderWay, toldOf } from './payments.js';
import { type Check, violation } from './violation.js';

/** G7: each order's saga ends or is visible, and no service keeps resources of a failed order. */
export const sagas: Check = (facts) =>
  [...facts.orders.keys()].flatMap((id) => {
    const order = facts.order(id);
    if (!order) return [];
    const saga = facts.saga(id);
    return [
      ...eachOnce(id, saga),
      ...reservedAsOrdered(facts, order),
      ...endsOrIsVisible(facts, order, saga),
      ...orderFollows(facts, order, saga),
      ...(saga.state.status === 'COMPLETED' && isKept(order) ? approved(facts, order) : []),
      ...(saga.state.status === 'COMPLETED' && order.status === 'CANCELLED' ? cancelledLate(facts, order) : []),
      ...(saga.state.status === 'COMPENSATED' ? nothingIsKept(facts, order, saga) : []),
    ];
  });

/** Whether the customer keeps what they ordered. */
const isKept = ({ status }: OrderView): boolean => status === 'APPROVED' || status === 'DISPATCHED';

/** A saga starts once, does each step once, compensates each step once, and ends once. */
function eachOnce(id: string, { events }: SagaTold): readonly Violation[] {
  const names = events.flatMap(({ type, data }) => {
    if (type === 'StepDone' || type === 'CompensationDone') return [`${type} ${data.step}`];
    return ['SagaStarted', 'SagaFailed', 'SagaCompleted', 'SagaCompensated'].includes(type) ? [type] : [];
  });
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  return twice === undefined ? [] : [violation('a saga records each step once', `${twice} twice`, id)];
}

/** A reservation has exactly the order's lines, whatever the outcome of the order. */
function reservedAsOrdered(facts: Facts, { orderId: id, lines }: OrderView): readonly Violation[] {
  const reserved = facts.reservations.get(id)?.[0]?.events[0];
  if (reserved?.type !== 'StockReserved') return [];
  const said = (all: readonly { sku: string; quantity: number }[]): string =>
    JSON.stringify(all.map(({ sku, quantity }) => [sku, quantity]));
  const found = said(linesOf(reserved.data));
  return found === said(lines)
    ? []
    : [violation('the reserved lines are the ordered lines', `${found}, not ${said(lines)}`, id)];
}

/** An unfinished saga is in the list of stuck sagas, or waits for a message that an operator can see. */
function endsOrIsVisible(facts: Facts, { orderId: id, status }: OrderView, { state }: SagaTold): readonly Violation[] {
  const isListed = facts.stuck.has(id);
  const told = `${state.status}${isListed ? ', in the list of stuck ones' : ''}`;
  if (isListed !== (state.status === 'STUCK')) return [violation('stuck sagas are listed, and no others', told, id)];
  switch (state.status) {
    case 'NONE':
      // An order needs no saga if it is cancelled before its first event is processed, or rejected as it is placed.
      return status === 'CANCELLED' || isRejectedAtOnce(facts, id) || isVisible(facts, id, 'OrderPlaced', 'orders-saga')
        ? []
        : [violation('an order has a saga', told, id)];
    case 'RUNNING':
    case 'COMPENSATING': {
      if (state.status === 'RUNNING' && state.held !== undefined) {
        // An operator sees the order under review; users.ts checks that there is a reason for it. Else the message that ends the
        // hold waits for an operator.
        const ends = ['OrderReviewEnded', 'OrderCancelled'].some((type) => isVisible(facts, id, type, 'orders-saga'));
        return status === 'UNDER_REVIEW' || ends ? [] : [violation('a saga ends or is visible', `${told}, held`, id)];
      }
      const clock = facts.records.get(`orders-saga@0#${id}/timer-${state.timers}`);
      return clock?.status === 'FAILED' ? [] : [violation('a saga ends or is visible', told, id)];
    }
    default:
      return [];
  }
}

/** A checkout places and rejects in one commit each order that `POST /orders` would refuse. */
const isRejectedAtOnce = (facts: Facts, id: string): boolean =>
  facts.orders.get(id)?.[0]?.events.some(({ type }) => type === 'OrderRejected') ?? false;

/** Whether an operator rejected the order in its review: one commit ends the review and rejects the order. */
const isRejectedByReview = (facts: Facts, orderId: string): boolean =>
  (facts.orders.get(orderId) ?? []).some(
    ({ events: [ended, rejected] }) =>
      ended?.type === 'OrderReviewEnded' &&
      JSON.parse(ended.data).outcome === 'REJECTED' &&
      rejected?.type === 'OrderRejected',
  );

/** The order has the status that its saga decided, unless its customer was faster. */
function orderFollows(facts: Facts, { orderId, status }: OrderView, { state }: SagaTold): readonly Violation[] {
  const isOver = state.status === 'COMPLETED' || state.status === 'COMPENSATED';
  const wanted = {
    PENDING: !isOver,
    // A paid order comes under review, too, and an order is paid while it is under review.
    UNDER_REVIEW: facts.wasApproved(orderId) ? state.status === 'COMPLETED' : !isOver,
    APPROVED: state.status === 'COMPLETED',
    DISPATCHED: state.status === 'COMPLETED',
    // A review that rejects an order cancels its saga, unless a step was refused at this moment.
    REJECTED:
      isRejectedAtOnce(facts, orderId) ||
      ('ending' in state && (state.ending.cause !== 'CANCELLED' || isRejectedByReview(facts, orderId))),
    // If an order was not cancelled in time, no event says that its saga was in progress.
    CANCELLED: (state.status === 'COMPLETED') !== facts.wasCancelledUnderWay(orderId),
  }[status];
  // The message that tells the saga of it may wait for an operator.
  const isUnheard =
    isVisible(facts, orderId, 'OrderCancelled', 'orders-saga') ||
    (isRejectedByReview(facts, orderId) && isVisible(facts, orderId, 'OrderReviewEnded', 'orders-saga'));
  return wanted || isUnheard
    ? []
    : [violation('an order has the status with which its saga ended', `${status}, ${state.status}`, orderId)];
}

/** An approved order has all of its steps, each once. What a dispatched order had reserved has left the stock. */
function approved(facts: Facts, { orderId: id, customerId, total, status: end }: OrderView): readonly Violation[] {
  const { type = 'none' } = facts.reservation(id) ?? {};
  const { status } = authorizationOf(facts, customerId, id);
  const isHeld = status === 'AUTHORIZED' && isVisible(facts, id, 'OrderApproved', 'accounts-orders');
  const { payment, tally } = toldOf(facts, id);
  const isCharged =
    total.amount === 0
      ? payment.status === 'NONE'
      : payment.status === 'CHARGED' &&
        tally.charges === 1 &&
        tally.chargeSum === total.amount &&
        // Goods that were dispatched may have come back.
        (end === 'DISPATCHED' || tally.refundSum === 0);
  return [
    ...(end === 'APPROVED' && type !== 'StockReserved'
      ? [violation('an approved order has its stock reserved', type, id)]
      : []),
    ...(end === 'DISPATCHED' && type !== 'StockDispatched' && !isVisible(facts, id, 'OrderDispatched', 'reservations')
      ? [violation('what a dispatched order had reserved has left the stock', type, id)]
      : []),
    ...(status === 'CAPTURED' || isHeld ? [] : [violation('an approved order is captured on its account', status, id)]),
    ...(isCharged
      ? []
      : [violation('an approved order is charged once', `${payment.status} ${JSON.stringify(tally)}`, id)]),
  ];
}

/** Each service releases its own resources after it has processed the cancellation. */
function cancelledLate(facts: Facts, { orderId: id, customerId }: OrderView): readonly Violation[] {
  const heard = (consumer: string): boolean => !isVisible(facts, id, 'OrderCancelled', consumer);
  return [
    ...(heard('reservations') ? noStockIsKept(facts, id) : []),
    ...(heard('accounts-orders') ? noCreditIsKept(facts, customerId, id) : []),
    ...(heard('payments-orders') && !isSeenToBeKept(facts, id) ? noMoneyIsKept(facts, id) : []),
  ];
}

/** Excludes resources that an operator released by hand, which is unknown to our services. */
function nothingIsKept(
  facts: Facts,
  { orderId: id, customerId }: OrderView,
  { undoneByHand }: SagaTold,
): readonly Violation[] {
  const isOurs = (step: string): boolean => !undoneByHand.includes(step);
  return [
    ...(isOurs('reserve-stock') ? noStockIsKept(facts, id) : []),
    ...(isOurs('authorize-account') ? noCreditIsKept(facts, customerId, id) : []),
    ...(isOurs('charge-payment') ? noMoneyIsKept(facts, id) : []),
  ];
}

const noStockIsKept = (facts: Facts, id: string): readonly Violation[] =>
  facts.reservation(id)?.type === 'StockReserved'
    ? [violation('an order that was not approved keeps no stock', 'StockReserved', id)]
    : [];

function noCreditIsKept(facts: Facts, customer: string, id: string): readonly Violation[] {
  const authorization = authorizationOf(facts, customer, id);
  const { status } = authorization;
  const isOwed =
    authorization.status === 'CAPTURED' &&
    Object.values(authorization.refunds).reduce((sum, one) => sum + one, 0) < authorization.amount.amount;
  return status === 'AUTHORIZED' || isOwed
    ? [violation('an order that was not approved keeps no credit', JSON.stringify(authorization), id)]
    : [];
}

function noMoneyIsKept(facts: Facts, id: string): readonly Violation[] {
  const { payment, tally } = toldOf(facts, id);
  // Another check ensures that an unfinished payment is visible (payments.ts).
  if (isUnderWay(payment)) return [];
  const kept = payment.status === 'CHARGED' ? computeRemaining(payment) : 0;
  return kept !== 0 || tally.chargeSum !== tally.refundSum
    ? [violation('an order that was not approved keeps no money', `${kept}, ${JSON.stringify(tally)}`, id)]
    : [];
}

/**
 * Whether the provider permanently refused the refund, and the payment says so. This is allowed only if no saga waits:
 * a waiting saga is stuck.
 */
function isSeenToBeKept(facts: Facts, id: string): boolean {
  const { payment } = toldOf(facts, id);
  return (
    payment.status === 'CHARGED' &&
    findBehaviour(payment.amount.amount) === 'gives nothing back' &&
    Object.values(payment.refunds).some(({ status }) => status === 'FAILED')
  );
}

function authorizationOf({ accounts }: Facts, customer: string, id: string) {
  const events = (accounts.get(customer) ?? [])
    .flatMap(({ events }) => events.map(({ type, data }) => ({ type, data: JSON.parse(data) }) as AccountEvent))
    .filter(({ data }) => 'orderId' in data && data.orderId === id);
  return events.reduce(evolveAuthorization, noAuthorization).authorization;
}

/** Whether an order's event has not reached a consumer, and an operator can see that. */
function isVisible(facts: Facts, id: string, type: string, consumer: string): boolean {
  const event = (facts.orders.get(id) ?? []).flatMap(({ events }) => events).find((one) => one.type === type);
  return event !== undefined && !['processed', 'missing'].includes(facts.delivery(facts.listener(consumer), event));
}
