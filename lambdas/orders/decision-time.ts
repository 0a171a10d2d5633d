import { clock, count, secondsBetween } from '@orderly/kit/aws';
import type { Order } from './domain/order.js';
import { DECISION_LIMIT_SECONDS, OrdersMetric } from './metrics.js';

/**
 * Counts an order that is approved or rejected now, and whether it is late. An order that waits for an operator's review is not
 * counted: people decide it.
 * @param before state of the order before the decision
 */
export function countDecision(before: Order): void {
  if (before.status !== 'PENDING' || before.review !== undefined) return;
  count(OrdersMetric.ORDERS_DECIDED);
  if (secondsBetween(before.placedAt, clock.now()) > DECISION_LIMIT_SECONDS) count(OrdersMetric.ORDERS_DECIDED_LATE);
}
