import { clock, count, logger, Metric, tableOfFunction } from '@orderly/kit/aws';
import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { keyedBy, traceOf } from '@orderly/kit/http';
import { createOnce, idempotencyKey, PersonalRequest } from '@orderly/kit/idempotent-receiver';
import { personalKeysOfFunction } from '@orderly/kit/personal-data';
import { unchargeable } from '../charge-limits.js';
import { endpoint } from '../endpoint.js';
import { refusalOfCodes } from '../standard-codes.js';
import { limitOn, refuseBlocked, refuseFreeLines, refuseOverLimit, refuseUnchargeable } from './admission.js';
import { orders } from './aggregates.js';
import { ordersContract } from './contract.js';
import { shownTo } from './customer-data-keys.js';
import { oversizedFreeLines } from './domain/admission.js';
import { OrdersMetric } from './metrics.js';
import { ordersListOf } from './order-list.js';
import { placeOrder } from './routes.js';
import { statusOf } from './user-status.js';

const table = tableOfFunction();
const orderStore = eventStoreOfFunction(orders);
const ordersList = ordersListOf(orderStore);
const people = personalKeysOfFunction();
const personal = new PersonalRequest(people, ordersContract.events.OrderPlaced);

/**
 * POST /orders: reads the customer's status, list and data key, side by side, then makes one conditional write or repeats
 * the first answer.
 */
export const handler = endpoint(placeOrder, async (request) => {
  const { caller, body } = request;
  const key = idempotencyKey(personal.hashed(keyedBy(request)));
  const [limit, status, { fields, isForgotten, keys }] = await Promise.all([
    limitOn(ordersList, caller.id, clock.now()),
    statusOf(table, caller.id),
    personal.prepared(caller.id, body),
  ]);
  const free = oversizedFreeLines(body.lines);
  const fault = unchargeable(body.lines);
  const refuseNew =
    refusalOfCodes(body) ??
    (status === 'BLOCKED'
      ? refuseBlocked
      : free.length > 0
        ? () => refuseFreeLines(free)
        : fault
          ? () => refuseUnchargeable(fault)
          : limit
            ? () => refuseOverLimit(limit)
            : isForgotten
              ? personal.refuseForgotten
              : undefined);
  const { loaded, replayed } = await createOnce({
    store: orderStore,
    key,
    trace: traceOf(request),
    refuseNew,
    command: (orderId) => ({ type: 'Place', orderId, customerId: caller.id, lines: body.lines, ...fields }),
  });
  const order = await shownTo(keys, caller, loaded);
  personal.checkSame(body, order);
  count(replayed ? Metric.DUPLICATES_SUPPRESSED : OrdersMetric.ORDERS_PLACED);
  logger.info(replayed ? 'order placed before' : 'order placed', { orderId: order.orderId });
  const headers = { Location: `orders/${order.orderId}`, ...(replayed ? { 'Idempotency-Replayed': 'true' } : {}) };
  return { status: 201, body: order, headers };
});
