import { clock, count, logOutcome, Metric, tableFromEnvironment } from '@orderly/kit/aws';
import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { toTrace } from '@orderly/kit/http';
import { createOnce, PersonalRequest, parseIdempotencyKey } from '@orderly/kit/idempotent-receiver';
import { personalKeysFromEnvironment } from '@orderly/kit/personal-data';
import { endpoint } from '../endpoint.js';
import { findCodeRefusal } from '../standard-codes.js';
import { readReachedLimit, refusalOf } from './admission.js';
import { orders } from './aggregates.js';
import { viewForCaller } from './caller-view.js';
import { ordersContract } from './contract.js';
import { OrdersMetric } from './metrics.js';
import { createOrdersList } from './order-list.js';
import { placeOrder } from './routes.js';
import { readStatus } from './user-status.js';

const table = tableFromEnvironment();
const orderStore = eventStoreFromEnvironment(orders);
const ordersList = createOrdersList(orderStore);
const personalKeys = personalKeysFromEnvironment();
const personal = new PersonalRequest(personalKeys, ordersContract.events.OrderPlaced);

/**
 * POST /orders: reads the customer's status, list and data key, side by side, then makes one conditional write or repeats
 * the first answer.
 */
export const handler = endpoint(placeOrder, async (request) => {
  const { caller, body } = request;
  const { shown: order, replayed } = await personal.once(request, caller.id, {
    key: parseIdempotencyKey,
    reads: () => Promise.all([readReachedLimit(ordersList, caller.id, clock.now()), readStatus(table, caller.id)]),
    make: ({ key, fields, refuseForgotten }, [limit, status]) =>
      createOnce({
        store: orderStore,
        key,
        trace: toTrace(request),
        refuseNew: findCodeRefusal(body) ?? refusalOf(body.lines, status, limit) ?? refuseForgotten,
        command: (orderId) => ({ type: 'Place', orderId, customerId: caller.id, lines: body.lines, ...fields }),
      }),
    show: (keys, { loaded }) => viewForCaller(keys, caller, loaded),
  });
  count(replayed ? Metric.DUPLICATES_SUPPRESSED : OrdersMetric.ORDERS_PLACED);
  logOutcome(replayed ? 'order placed before' : 'order placed', { orderId: order.orderId });
  const headers = { Location: `orders/${order.orderId}`, ...(replayed ? { 'Idempotency-Replayed': 'true' } : {}) };
  return { status: 201, body: order, headers };
});
