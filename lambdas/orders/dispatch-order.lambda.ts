import { count, logger, Metric } from '@orderly/kit/aws';
import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { keyedBy, Problem, traceOf } from '@orderly/kit/http';
import { changeOnce, idempotencyKey, keyRecord, keyRecords } from '@orderly/kit/idempotent-receiver';
import { personalKeysOfFunction } from '@orderly/kit/personal-data';
import { endpoint } from '../endpoint.js';
import { orders } from './aggregates.js';
import { shownTo } from './customer-data-keys.js';
import { OrderRefused } from './domain/order.js';
import { orderIdOf, visibleTo } from './order-store.js';
import { OrdersProblem } from './problems.js';
import { dispatchOrder } from './routes.js';

const orderStore = eventStoreOfFunction(orders);
const people = personalKeysOfFunction();
const records = keyRecords();

/**
 * POST /orders/{orderId}/dispatch: records that the goods of an approved order have left. The change and the record of its
 * request commit in one transaction. A cancellation commits at the same version, so exactly one of the two succeeds.
 */
export const handler = endpoint(dispatchOrder, async (request) => {
  const { caller } = request;
  const { loaded, replayed } = await changeOnce({
    store: orderStore,
    record: keyRecord(idempotencyKey(keyedBy(request)), records),
    id: orderIdOf(request.parameter('orderId')),
    trace: traceOf(request),
    admit: (order) => void visibleTo(caller, order),
    command: () => ({ type: 'Dispatch' }),
  }).catch(notApproved);
  if (replayed) count(Metric.DUPLICATES_SUPPRESSED);
  logger.info(replayed ? 'order dispatched before' : 'order dispatched', { orderId: loaded.id });
  const headers = replayed ? { 'Idempotency-Replayed': 'true' } : {};
  return { status: 200, body: await shownTo(people, caller, loaded), headers };
});

/** @throws {Problem} 409 if the order is not approved, and otherwise the error itself */
function notApproved(error: unknown): never {
  if (!(error instanceof OrderRefused)) throw error;
  const detail = 'expected an approved order: this one is still in progress, or was rejected or cancelled';
  throw new Problem(OrdersProblem['not-approved'], detail, {}, { cause: error });
}
