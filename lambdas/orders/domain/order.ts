import type { Decider, Now } from '@orderly/kit/decider';
import type {
  Money,
  OrderEvent,
  OrderLimit,
  OrderLine,
  OrderView,
  RejectionReason,
  ReviewReason,
  SealedData,
} from '../contract.js';

/** An order, folded from its events. Its prices are those that the customer agreed to; `total` never changes. */
export type Order =
  | { readonly status: 'NONE' }
  | ({ readonly status: 'PENDING' | 'APPROVED' | 'DISPATCHED' } & Placed)
  | UnderReview
  | ({ readonly status: 'REJECTED' } & Rejection & Placed)
  | ({ readonly status: 'CANCELLED' } & Cancellation & Placed);

/**
 * An active order of a user who is suspect or blocked. Its saga pauses before the payment, unless the charge was sent
 * already. It can't be dispatched.
 */
interface UnderReview extends Placed {
  readonly status: 'UNDER_REVIEW';
  readonly reviewReasons: readonly ReviewReason[];
  /** All steps of its saga are done. If its review ends well, it is APPROVED without another charge. */
  readonly paid?: true;
}

/** Reason and details of an order's rejection. */
export interface Rejection {
  readonly reason: RejectionReason;
  readonly limit?: OrderLimit;
  /** Lines that the reason is about. */
  readonly skus: readonly string[];
  /** Catalogue prices of these lines, if the catalogue named them. */
  readonly prices?: readonly Pick<OrderLine, 'sku' | 'unitPrice'>[];
}

/** Reason for a cancellation: sealed, or in plain text as 0.2.0 wrote it. */
interface Cancellation {
  readonly reason?: string;
  readonly sealedReason?: SealedData;
}

interface Placed {
  readonly orderId: string;
  readonly customerId: string;
  /** In plain text, as 0.2.0 wrote it. */
  readonly clientReference?: string;
  readonly sealedReference?: SealedData;
  readonly lines: readonly OrderLine[];
  readonly total: Money;
  readonly placedAt: string;
  readonly deliverTo?: SealedData;
  /** Decision of an operator who has reviewed the order. It holds whatever the user's status becomes. */
  readonly review?: 'APPROVED' | 'REJECTED';
}

export type OrderCommand =
  | ({ readonly type: 'Place' } & Omit<Placed, 'total' | 'placedAt' | 'clientReference' | 'review'>)
  /** An order that nobody waits for: it is placed once, and a rule that forbids it rejects it. */
  | ({ readonly type: 'PlaceUnattended'; readonly rejection?: Rejection } & Pick<
      Placed,
      'orderId' | 'customerId' | 'lines'
    >)
  | { readonly type: 'StartReview'; readonly reasons: readonly ReviewReason[] }
  /** The user is active again. */
  | { readonly type: 'Release' }
  | { readonly type: 'Review'; readonly decision: 'approve' | 'reject'; readonly sealedNote?: SealedData }
  /** The saga is through. `reasons` are there if the order's user is suspect or blocked: it comes under review at once. */
  | { readonly type: 'Approve'; readonly reasons?: readonly ReviewReason[] }
  /** Its goods have left the warehouse. */
  | { readonly type: 'Dispatch' }
  | ({ readonly type: 'Reject' } & Rejection)
  | ({ readonly type: 'Cancel' } & Pick<Cancellation, 'sealedReason'>);

/** A command that a business rule forbids. Nothing was changed; asking again gives the same answer. */
export class OrderRefused extends Error {
  override readonly name = 'OrderRefused';
  constructor(
    readonly code:
      | 'ALREADY_PLACED'
      | 'UNKNOWN_ORDER'
      | 'TOO_LATE_TO_CANCEL'
      | 'MIXED_CURRENCIES'
      | 'NOT_UNDER_REVIEW'
      | 'UNDER_REVIEW'
      | 'NOT_APPROVED',
    /** Status for which the order was refused, if there is more than one. */
    readonly status?: Order['status'],
  ) {
    super(code);
  }
}

export const initialState: Order = { status: 'NONE' };

/**
 * Returns the events that follow from a command; none if it was carried out before or came too late to matter.
 * @throws {OrderRefused} if a business rule forbids it
 */
export function decide(order: Order, command: OrderCommand, { now }: Now): readonly OrderEvent[] {
  if (command.type === 'Place') {
    if (order.status !== 'NONE') throw new OrderRefused('ALREADY_PLACED');
    const { type: _, ...placed } = command;
    return [placedEvent(placed, now)];
  }
  if (command.type === 'PlaceUnattended') {
    if (order.status !== 'NONE') return [];
    const { type: _, rejection, ...placed } = command;
    return [placedEvent(placed, now), ...(rejection ? [rejectedEvent(placed.orderId, rejection)] : [])];
  }
  if (order.status === 'NONE') throw new OrderRefused('UNKNOWN_ORDER');
  const { orderId, customerId } = order;
  switch (command.type) {
    case 'StartReview':
      return isReviewable(order) ? [reviewStarted(order, command.reasons)] : [];
    case 'Release':
      return order.status === 'UNDER_REVIEW'
        ? [{ type: 'OrderReviewEnded', data: { orderId, customerId, outcome: 'RELEASED' } }]
        : [];
    case 'Review':
      return decideReview(order, command);
    case 'Approve': {
      if (!isUnderWay(order)) return [];
      const approved: OrderEvent = { type: 'OrderApproved', data: { orderId, customerId } };
      return command.reasons && isReviewable(order) ? [approved, reviewStarted(order, command.reasons)] : [approved];
    }
    case 'Reject': {
      if (!isUnderWay(order)) return [];
      const { type: _, ...rejection } = command;
      return [rejectedEvent(orderId, checkPriceCurrency(rejection, order))];
    }
    case 'Dispatch':
      if (order.status === 'DISPATCHED') return [];
      if (order.status === 'UNDER_REVIEW') throw new OrderRefused('UNDER_REVIEW');
      if (order.status !== 'APPROVED') throw new OrderRefused('NOT_APPROVED', order.status);
      return [{ type: 'OrderDispatched', data: { orderId, customerId } }];
    case 'Cancel':
      if (order.status === 'REJECTED' || order.status === 'DISPATCHED')
        throw new OrderRefused('TOO_LATE_TO_CANCEL', order.status);
      if (order.status === 'CANCELLED') return [];
      return [
        { type: 'OrderCancelled', data: { orderId, customerId, ...toCancellation(command), ...underWayField(order) } },
      ];
  }
}

const placedEvent = (
  placed: Omit<Placed, 'total' | 'placedAt' | 'clientReference' | 'review'>,
  placedAt: string,
): OrderEvent => ({
  type: 'OrderPlaced',
  data: { ...placed, lines: [...placed.lines], total: computeTotal(placed.lines), placedAt },
});

const reviewStarted = ({ orderId, customerId }: Placed, reasons: readonly ReviewReason[]): OrderEvent => ({
  type: 'OrderReviewStarted',
  data: { orderId, customerId, reasons: [...reasons] },
});

const rejectedEvent = (orderId: string, { skus, prices, ...why }: Rejection): OrderEvent => ({
  type: 'OrderRejected',
  data: { orderId, ...why, skus: [...skus], ...(prices ? { prices: [...prices] } : {}) },
});

/**
 * Decides a review. The same decision again changes nothing, so an operator may repeat it. Rejecting a paid order cancels
 * it: each service gives back its own part, as after a customer's cancellation.
 * @throws {OrderRefused} if the order is not under review, and was not decided in this way before
 */
function decideReview(order: Exclude<Order, { status: 'NONE' }>, command: ReviewCommand): readonly OrderEvent[] {
  const outcome = command.decision === 'approve' ? 'APPROVED' : 'REJECTED';
  if (order.status !== 'UNDER_REVIEW') {
    if (order.review === outcome) return [];
    throw new OrderRefused('NOT_UNDER_REVIEW');
  }
  const { orderId, customerId } = order;
  const note = command.sealedNote ? { sealedNote: command.sealedNote } : {};
  const ended: OrderEvent = { type: 'OrderReviewEnded', data: { orderId, customerId, outcome, ...note } };
  if (outcome === 'APPROVED') return [ended];
  if (order.paid) return [ended, { type: 'OrderCancelled', data: { orderId, customerId } }];
  // No customer can act on the reason of a review.
  return [ended, rejectedEvent(orderId, { reason: 'STEP_REFUSED', skus: [] })];
}

type ReviewCommand = Extract<OrderCommand, { type: 'Review' }>;

/**
 * Narrows a rejection to the lines in another currency. The catalogue compares single lines; only the order knows that
 * an order has one currency. If lines are sold in another currency, only those are named, because agreeing to the other
 * lines' new prices would not help.
 */
function checkPriceCurrency(rejection: Rejection, { total }: Placed): Rejection {
  const foreign = rejection.prices?.filter(({ unitPrice }) => unitPrice.currency !== total.currency) ?? [];
  if (rejection.reason !== 'PRICE_CHANGED' || foreign.length === 0) return rejection;
  return { reason: 'CURRENCY_MISMATCH', skus: foreign.map(({ sku }) => sku), prices: foreign };
}

/** Folds an event into a state. It is total: it accepts any event in any state and never refuses history. */
export function evolve(order: Order, event: OrderEvent): Order {
  switch (event.type) {
    case 'OrderPlaced':
      return { status: 'PENDING', ...event.data };
    case 'OrderReviewStarted': {
      const { reasons: reviewReasons } = event.data;
      if (order.status === 'PENDING') return { ...order, status: 'UNDER_REVIEW', reviewReasons };
      return order.status === 'APPROVED' ? { ...order, status: 'UNDER_REVIEW', reviewReasons, paid: true } : order;
    }
    case 'OrderReviewEnded': {
      const { outcome } = event.data;
      if (order.status !== 'UNDER_REVIEW') return order;
      const status = order.paid ? 'APPROVED' : 'PENDING';
      return { ...withoutReview(order), status, ...(outcome === 'RELEASED' ? {} : { review: outcome }) };
    }
    case 'OrderApproved':
      if (order.status === 'UNDER_REVIEW') return { ...order, paid: true };
      return order.status === 'PENDING' ? { ...order, status: 'APPROVED' } : order;
    case 'OrderDispatched':
      return order.status === 'APPROVED' ? { ...order, status: 'DISPATCHED' } : order;
    case 'OrderRejected': {
      const { orderId: _, ...rejection } = event.data;
      return isUnderWay(order) ? { ...withoutReview(order), ...rejection, status: 'REJECTED' } : order;
    }
    case 'OrderCancelled':
      if (order.status === 'NONE') return order;
      return { ...withoutReview(order), status: 'CANCELLED', ...toCancellation(event.data) };
  }
}

/** Rules of an order. */
export const orderDecider: Decider<Order, OrderCommand, OrderEvent> = {
  initialState,
  evolve,
  decide,
  stateSchema: 6,
};

/** Returns the order as the API lists it, without personal data; `undefined` if it was never placed. */
export function toView(order: Order, version: number): OrderView | undefined {
  if (order.status === 'NONE') return undefined;
  const { orderId, customerId, status, clientReference, lines, total, placedAt } = order;
  const why = describeReason(order);
  const reference = clientReference === undefined ? {} : { clientReference };
  return { orderId, customerId, status, ...why, ...reference, lines, total, version, placedAt };
}

function describeReason(order: Exclude<Order, { status: 'NONE' }>): Partial<OrderView> {
  if (order.status === 'REJECTED') return describeRejection(order);
  if (order.status === 'UNDER_REVIEW') return { reviewReasons: order.reviewReasons };
  return order.status === 'CANCELLED' ? reasonField(order) : {};
}

/** Sealed data of an order, by the field names of its events. */
export interface SealedFields {
  readonly deliverTo?: SealedData;
  readonly sealedReference?: SealedData;
  readonly sealedReason?: SealedData;
}

export function selectSealedFields(order: Order): SealedFields {
  if (order.status === 'NONE') return {};
  const { deliverTo, sealedReference } = order;
  return {
    ...(deliverTo ? { deliverTo } : {}),
    ...(sealedReference ? { sealedReference } : {}),
    ...(order.status === 'CANCELLED' && order.sealedReason ? { sealedReason: order.sealedReason } : {}),
  };
}

/** Keeps the lines in the order in which the event names them. */
function describeRejection({
  reason,
  limit,
  skus,
  prices = [],
}: Rejection): Pick<OrderView, 'reason' | 'limit' | 'rejectedLines'> {
  const priced = new Map(prices.map(({ sku, unitPrice }) => [sku, { unitPrice }]));
  return {
    reason,
    ...(limit === undefined ? {} : { limit }),
    ...(skus.length === 0 ? {} : { rejectedLines: skus.map((sku) => ({ sku, ...priced.get(sku) })) }),
  };
}

/** Whether a review of the order may begin: it is active, and no operator has decided about it before. */
export const isReviewable = (order: Order): order is Extract<Order, { status: 'PENDING' | 'APPROVED' }> =>
  (order.status === 'PENDING' || order.status === 'APPROVED') && order.review === undefined;

/** Whether nothing can approve or reject the order any more. */
export const isOver = (order: Order): boolean => order.status !== 'NONE' && !isUnderWay(order);

/** Whether the order's saga is in progress; it may pause for a review. */
const isUnderWay = (order: Order): order is Extract<Order, { status: 'PENDING' | 'UNDER_REVIEW' }> =>
  order.status === 'PENDING' || (order.status === 'UNDER_REVIEW' && !order.paid);

/** Returns the order without its review. */
function withoutReview<State extends Order>(order: State): State {
  const { reviewReasons: _, paid: __, ...placed } = order as State & Partial<UnderReview>;
  return placed as unknown as State;
}

/** Marks an order whose saga is in progress. */
const underWayField = (order: Order): { readonly underWay?: true } => (isUnderWay(order) ? { underWay: true } : {});

const reasonField = ({ reason }: Cancellation): Pick<Cancellation, 'reason'> =>
  reason === undefined ? {} : { reason };

const toCancellation = ({ sealedReason, ...more }: Cancellation): Cancellation => ({
  ...reasonField(more),
  ...(sealedReason ? { sealedReason } : {}),
});

function computeTotal(lines: readonly OrderLine[]): Money {
  const [first] = lines;
  if (!first || lines.some((line) => line.unitPrice.currency !== first.unitPrice.currency)) {
    throw new OrderRefused('MIXED_CURRENCIES');
  }
  const amount = lines.reduce((sum, line) => sum + line.quantity * line.unitPrice.amount, 0);
  return { amount, currency: first.unitPrice.currency };
}
