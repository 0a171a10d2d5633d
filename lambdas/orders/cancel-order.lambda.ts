import { count, logOutcome, Metric, type TransactWriteItem, tableFromEnvironment } from '@orderly/kit/aws';
import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { Problem, toKeyedRequest, toTrace } from '@orderly/kit/http';
import {
  changeOnce,
  createRequestRecord,
  PersonalRequest,
  recordsTableFromEnvironment,
} from '@orderly/kit/idempotent-receiver';
import { personalKeysFromEnvironment } from '@orderly/kit/personal-data';
import type * as z from 'zod/mini';
import { endpoint } from '../endpoint.js';
import { orders } from './aggregates.js';
import { viewForCaller } from './caller-view.js';
import { type CancelOrder, ordersContract } from './contract.js';
import { type Order, OrderRefused } from './domain/order.js';
import { parseOrderId, requireVisible } from './order-store.js';
import { OrdersProblem } from './problems.js';
import { leaveReviewWrites } from './review-list.js';
import { cancelOrder } from './routes.js';

const table = tableFromEnvironment();
const orderStore = eventStoreFromEnvironment(orders);
const personalKeys = personalKeysFromEnvironment();
const records = recordsTableFromEnvironment();
const personal = new PersonalRequest(personalKeys, ordersContract.events.OrderCancelled);

/**
 * POST /orders/{orderId}/cancellation: writes the change and the record of its request in one transaction. The owner may
 * cancel, and so may an operator, for a customer who asks for it or to stop a fraud.
 */
export const handler = endpoint(cancelOrder, async (request) => {
  const { caller, body } = request;
  const record = createRequestRecord(personal.toHashable(toKeyedRequest(request)), records);
  let leaves: readonly TransactWriteItem[] = [];
  const { loaded, replayed, changed } = await changeOnce({
    store: orderStore,
    record,
    id: parseOrderId(request.parameter('orderId')),
    trace: toTrace(request),
    admit: (order) => void requireVisible(caller, order),
    command: async ({ state }) => {
      leaves = leaveReviewWrites(table, state);
      return { type: 'Cancel', ...(await sealReason(state, body)) };
    },
    alongside: () => ({ writes: leaves }),
  }).catch(throwTooLate);
  const order = await viewForCaller(personalKeys, caller, loaded);
  // The hash of the request leaves out the reason, which is compared with the stored one instead. If the order was
  // cancelled before, it keeps the earlier reason.
  if (changed && typeof order.reason === 'string' && order.reason !== body.reason) record.refuseReused();
  if (replayed) count(Metric.DUPLICATES_SUPPRESSED);
  logOutcome(replayed ? 'order cancelled before' : 'order cancelled', { orderId: loaded.id });
  const headers = replayed ? { 'Idempotency-Replayed': 'true' } : {};
  return { status: 200, body: order, headers };
});

/** @throws {Problem} 409 if the order refused the cancellation, and otherwise the error itself */
function throwTooLate(error: unknown): never {
  if (!(error instanceof OrderRefused)) throw error;
  const detail = `the order is ${error.status}: expected one that is neither REJECTED nor DISPATCHED`;
  throw new Problem(OrdersProblem['too-late'], detail, {}, { cause: error });
}

/**
 * Seals the reason with the key of the order's customer. The order of a forgotten person is cancelled without a reason.
 */
const sealReason = async (order: Order, body: z.infer<typeof CancelOrder>) =>
  order.status === 'NONE' ? {} : (await personal.prepared(order.customerId, body)).fields;
