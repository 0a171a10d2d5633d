import { count, logger, Metric, type TransactWriteItem, tableOfFunction } from '@orderly/kit/aws';
import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { keyedBy, Problem, traceOf } from '@orderly/kit/http';
import { changeOnce, PersonalRequest, recordOfRequest, requestRecords } from '@orderly/kit/idempotent-receiver';
import { personalKeysOfFunction } from '@orderly/kit/personal-data';
import type * as z from 'zod/mini';
import { endpoint } from '../endpoint.js';
import { orders } from './aggregates.js';
import { type CancelOrder, ordersContract } from './contract.js';
import { shownTo } from './customer-data-keys.js';
import { type Order, OrderRefused } from './domain/order.js';
import { orderIdOf, visibleTo } from './order-store.js';
import { OrdersProblem } from './problems.js';
import { leaveReview } from './review-list.js';
import { cancelOrder } from './routes.js';

const table = tableOfFunction();
const orderStore = eventStoreOfFunction(orders);
const people = personalKeysOfFunction();
const records = requestRecords();
const personal = new PersonalRequest(people, ordersContract.events.OrderCancelled);

/**
 * POST /orders/{orderId}/cancellation: writes the change and the record of its request in one transaction. The owner may
 * cancel, and so may an operator, for a customer who asks for it or to stop a fraud.
 */
export const handler = endpoint(cancelOrder, async (request) => {
  const { caller, body } = request;
  const record = recordOfRequest(personal.hashed(keyedBy(request)), records);
  let leaves: readonly TransactWriteItem[] = [];
  const { loaded, replayed, changed } = await changeOnce({
    store: orderStore,
    record,
    id: orderIdOf(request.parameter('orderId')),
    trace: traceOf(request),
    admit: (order) => void visibleTo(caller, order),
    command: async ({ state }) => {
      leaves = leaveReview(table, state);
      return { type: 'Cancel', ...(await sealedReason(state, body)) };
    },
    alongside: () => ({ writes: leaves }),
  }).catch(tooLate);
  const order = await shownTo(people, caller, loaded);
  // The hash of the request leaves out the reason, which is compared with the stored one instead. If the order was
  // cancelled before, it keeps the earlier reason.
  if (changed && typeof order.reason === 'string' && order.reason !== body.reason) record.refuseReused();
  if (replayed) count(Metric.DUPLICATES_SUPPRESSED);
  logger.info(replayed ? 'order cancelled before' : 'order cancelled', { orderId: loaded.id });
  const headers = replayed ? { 'Idempotency-Replayed': 'true' } : {};
  return { status: 200, body: order, headers };
});

/** @throws {Problem} 409 if the order refused the cancellation, and otherwise the error itself */
function tooLate(error: unknown): never {
  if (!(error instanceof OrderRefused)) throw error;
  const detail = 'the order was rejected or dispatched, so it cannot be cancelled';
  throw new Problem(OrdersProblem['too-late'], detail, {}, { cause: error });
}

/**
 * Seals the reason with the key of the order's customer. The order of a forgotten person is cancelled without a reason.
 */
const sealedReason = async (order: Order, body: z.infer<typeof CancelOrder>) =>
  order.status === 'NONE' ? {} : (await personal.prepared(order.customerId, body)).fields;
