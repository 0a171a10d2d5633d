import { clock, count, logger, Metric, tableOfFunction } from '@orderly/kit/aws';
import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { traceOf } from '@orderly/kit/http';
import { createOnce, idempotencyKey, PersonalRequest } from '@orderly/kit/idempotent-receiver';
import { personalKeysOfFunction } from '@orderly/kit/personal-data';
import { endpoint } from '../endpoint.js';
import { refusalOfCodes } from '../standard-codes.js';
import { limitOn, refusalOf } from './admission.js';
import { orders } from './aggregates.js';
import { ordersContract } from './contract.js';
import { shownTo } from './customer-data-keys.js';
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
  const { shown: order, replayed } = await personal.once(request, caller.id, {
    key: idempotencyKey,
    reads: () => Promise.all([limitOn(ordersList, caller.id, clock.now()), statusOf(table, caller.id)]),
    make: ({ key, fields, refuseForgotten }, [limit, status]) =>
      createOnce({
        store: orderStore,
        key,
        trace: traceOf(request),
        refuseNew: refusalOfCodes(body) ?? refusalOf(body.lines, status, limit) ?? refuseForgotten,
        command: (orderId) => ({ type: 'Place', orderId, customerId: caller.id, lines: body.lines, ...fields }),
      }),
    show: (keys, { loaded }) => shownTo(keys, caller, loaded),
  });
  count(replayed ? Metric.DUPLICATES_SUPPRESSED : OrdersMetric.ORDERS_PLACED);
  logger.info(replayed ? 'order placed before' : 'order placed', { orderId: order.orderId });
  const headers = { Location: `orders/${order.orderId}`, ...(replayed ? { 'Idempotency-Replayed': 'true' } : {}) };
  return { status: 201, body: order, headers };
});
