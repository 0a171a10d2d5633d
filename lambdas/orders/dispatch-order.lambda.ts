import { count, logger, Metric, required, type TransactWriteItem, tableOfFunction } from '@orderly/kit/aws';
import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { keyedBy, Problem, traceOf } from '@orderly/kit/http';
import { changeOnce, idempotencyKey, keyRecord, keyRecords } from '@orderly/kit/idempotent-receiver';
import { personalKeysOfFunction } from '@orderly/kit/personal-data';
import { endpoint } from '../endpoint.js';
import { orders } from './aggregates.js';
import { shownTo } from './customer-data-keys.js';
import { OrderRefused } from './domain/order.js';
import { OrdersEnv } from './environment.js';
import { ordersListOf } from './order-list.js';
import { orderIdOf, visibleTo } from './order-store.js';
import { OrdersProblem } from './problems.js';
import { dispatchCheck, NeedsReview, reviewsOf, startReview } from './reviews.js';
import { dispatchOrder } from './routes.js';

const table = tableOfFunction();
const orderStore = eventStoreOfFunction(orders);
const people = personalKeysOfFunction();
const rules = JSON.parse(required(OrdersEnv.REVIEW_RULES));
const reviews = reviewsOf(orderStore, table, ordersListOf(orderStore), rules, people);
const records = keyRecords();

/**
 * POST /orders/{orderId}/dispatch: records that the goods of an approved order have left. The change and the record of its
 * request commit in one transaction. A cancellation or a review commits at the same version, so exactly one of them
 * succeeds. An order of a suspect or blocked user that no operator has decided about comes under review instead.
 */
export const handler = endpoint(dispatchOrder, async (request) => {
  const { caller } = request;
  const record = keyRecord(idempotencyKey(keyedBy(request)), records);
  const id = orderIdOf(request.parameter('orderId'));
  let check: TransactWriteItem | undefined;
  const { loaded, replayed } = await changeOnce({
    store: orderStore,
    record,
    id,
    trace: traceOf(request),
    admit: (order) => void visibleTo(caller, order),
    command: async ({ state }) => {
      check = await dispatchCheck(table, state);
      return { type: 'Dispatch' };
    },
    // If the status changes meanwhile, the request is decided again.
    alongside: () => check && { writes: [check] },
  }).catch(async (error: unknown) => {
    if (error instanceof NeedsReview) await startReview(reviews, id, traceOf(request));
    return notApproved(error);
  });
  if (replayed) count(Metric.DUPLICATES_SUPPRESSED);
  logger.info(replayed ? 'order dispatched before' : 'order dispatched', { orderId: loaded.id });
  const headers = replayed ? { 'Idempotency-Replayed': 'true' } : {};
  return { status: 200, body: await shownTo(people, caller, loaded), headers };
});

const UNDER_REVIEW =
  'the order is under review: approve it (PUT /orders/{orderId}/review), which leads back to APPROVED, or reject it';

/** @throws {Problem} 409 if the order is not approved, and otherwise the error itself */
function notApproved(error: unknown): never {
  const isUnderReview =
    error instanceof NeedsReview || (error instanceof OrderRefused && error.code === 'UNDER_REVIEW');
  if (!isUnderReview && !(error instanceof OrderRefused)) throw error;
  const detail = isUnderReview
    ? UNDER_REVIEW
    : 'expected an approved order: this one is still in progress, or was rejected or cancelled';
  throw new Problem(OrdersProblem['not-approved'], detail, {}, { cause: error });
}
