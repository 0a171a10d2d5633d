import type { Money, OrderEvent, OrderView } from '../contract.js';

/**
 * Part of an order that operators see in a list: nothing of a person but the customer's id, which is in the row's key. It is stored as
 * text, in the row and in the index, and has to stay small: each write of a row writes it twice.
 */
export interface OrderSummary extends Pick<OrderView, 'status'> {
  /** Reason of a rejection. The words of whoever cancelled an order are personal data, so they are not here. */
  readonly reason?: string;
  readonly total: Money;
  readonly skus: readonly string[];
  /** Correlation id of the request that placed it. */
  readonly correlationId?: string;
  /** Time at which it was first approved, rejected or cancelled. */
  readonly decidedAt?: string;
}

const DECISIONS: ReadonlySet<string> = new Set<OrderEvent['type']>([
  'OrderApproved',
  'OrderRejected',
  'OrderCancelled',
]);

/**
 * Version from which on the earliest commits of an order may be folded into a snapshot, and are not loaded. A summary of it says
 * neither the decision's time nor the correlation id, so that it is the same whoever makes it.
 */
const FIRST_SNAPSHOT = 20;

/** A commit of an order, as far as its summary needs it. */
interface SummarizedCommit {
  readonly at: string;
  readonly correlationId: string;
  readonly events: readonly { readonly type: string }[];
}

/** Returns the summary of an order. It follows from the order's commits alone. @param commits all of them, oldest first */
export function summarize(order: OrderView, commits: readonly SummarizedCommit[]): OrderSummary {
  const known = order.version < FIRST_SNAPSHOT ? commits : [];
  const correlationId = known[0]?.correlationId;
  const decidedAt = known.find(({ events }) => events.some(({ type }) => DECISIONS.has(type)))?.at;
  return {
    ...describeOrder(order),
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(decidedAt === undefined ? {} : { decidedAt }),
  };
}

/** Returns what the order of a row says, for a row of a release without summaries. */
export const describeOrder = ({ status, reason, total, lines }: OrderView): OrderSummary => ({
  status,
  ...(status === 'REJECTED' && typeof reason === 'string' ? { reason } : {}),
  total,
  skus: lines.map(({ sku }) => sku),
});
