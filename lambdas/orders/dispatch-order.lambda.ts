import { count, logOutcome, Metric, requireEnv, type TransactWriteItem, tableFromEnvironment } from '@orderly/kit/aws';
import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { Problem, toKeyedRequest, toTrace } from '@orderly/kit/http';
import {
  changeOnce,
  createKeyRecord,
  keyRecordsFromEnvironment,
  parseIdempotencyKey,
} from '@orderly/kit/idempotent-receiver';
import { personalKeysFromEnvironment } from '@orderly/kit/personal-data';
import { endpoint } from '../endpoint.js';
import { orders } from './aggregates.js';
import { viewForCaller } from './caller-view.js';
import { OrderRefused } from './domain/order.js';
import { OrdersEnv } from './environment.js';
import { createOrdersList } from './order-list.js';
import { parseOrderId, requireVisible } from './order-store.js';
import { OrdersProblem } from './problems.js';
import { checkBeforeDispatch, createReviews, NeedsReview, startReview } from './reviews.js';
import { dispatchOrder } from './routes.js';

const table = tableFromEnvironment();
const orderStore = eventStoreFromEnvironment(orders);
const personalKeys = personalKeysFromEnvironment();
const rules = JSON.parse(requireEnv(OrdersEnv.REVIEW_RULES));
const reviews = createReviews(orderStore, table, createOrdersList(orderStore), rules, personalKeys);
const records = keyRecordsFromEnvironment();

/**
 * POST /orders/{orderId}/dispatch: records that the goods of an approved order have left. The change and the record of its
 * request commit in one transaction. A cancellation or a review commits at the same version, so exactly one of them
 * succeeds. An order of a suspect or blocked user that no operator has decided about comes under review instead.
 */
export const handler = endpoint(dispatchOrder, async (request) => {
  const { caller } = request;
  const record = createKeyRecord(parseIdempotencyKey(toKeyedRequest(request)), records);
  const id = parseOrderId(request.parameter('orderId'));
  let check: TransactWriteItem | undefined;
  const { loaded, replayed } = await changeOnce({
    store: orderStore,
    record,
    id,
    trace: toTrace(request),
    admit: (order) => void requireVisible(caller, order),
    command: async ({ state }) => {
      check = await checkBeforeDispatch(table, state);
      return { type: 'Dispatch' };
    },
    // If the status changes meanwhile, the request is decided again.
    alongside: () => check && { writes: [check] },
  }).catch(async (error: unknown) => {
    if (error instanceof NeedsReview) await startReview(reviews, id, toTrace(request));
    return throwNotApproved(error);
  });
  if (replayed) count(Metric.DUPLICATES_SUPPRESSED);
  logOutcome(replayed ? 'order dispatched before' : 'order dispatched', { orderId: loaded.id });
  const headers = replayed ? { 'Idempotency-Replayed': 'true' } : {};
  return { status: 200, body: await viewForCaller(personalKeys, caller, loaded), headers };
});

const UNDER_REVIEW =
  'the order is under review: approve it (PUT /orders/{orderId}/review), which leads back to APPROVED, or reject it';

/** @throws {Problem} 409 if the order is not approved, and otherwise the error itself */
function throwNotApproved(error: unknown): never {
  const isUnderReview =
    error instanceof NeedsReview || (error instanceof OrderRefused && error.code === 'UNDER_REVIEW');
  if (!isUnderReview && !(error instanceof OrderRefused)) throw error;
  const detail = isUnderReview
    ? UNDER_REVIEW
    : `the order is ${(error as OrderRefused).status}: expected an APPROVED one`;
  throw new Problem(OrdersProblem['not-approved'], detail, {}, { cause: error });
}
