import { clock, logger, retryOnConflict, tableFromEnvironment } from '@orderly/kit/aws';
import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { Problem, toTrace } from '@orderly/kit/http';
import { PersonalRequest } from '@orderly/kit/idempotent-receiver';
import { personalKeysFromEnvironment } from '@orderly/kit/personal-data';
import { endpoint } from '../endpoint.js';
import { orders } from './aggregates.js';
import { viewForCaller } from './caller-view.js';
import { ordersContract } from './contract.js';
import { OrderRefused } from './domain/order.js';
import { parseOrderId, requireVisible } from './order-store.js';
import { OrdersProblem } from './problems.js';
import { endReviewWrite } from './review-list.js';
import { reviewOrder } from './routes.js';

const table = tableFromEnvironment();
const orderStore = eventStoreFromEnvironment(orders);
const personalKeys = personalKeysFromEnvironment();
const personal = new PersonalRequest(personalKeys, ordersContract.events.OrderReviewEnded);

/**
 * PUT /orders/{orderId}/review: approves or rejects an order under review. It is naturally idempotent and needs no key. A
 * rejected order that is paid is cancelled, and each service gives back its own part.
 */
export const handler = endpoint(reviewOrder, async (request) => {
  const { caller, body } = request;
  const id = parseOrderId(request.parameter('orderId'));
  const reviewed = await retryOnConflict(async () => {
    const order = await orderStore.load(id);
    const { customerId } = requireVisible(caller, order);
    const { fields } = await personal.prepared(customerId, body);
    const command = { type: 'Review', decision: body.decision, ...fields } as const;
    const events = orderStore.decider.decide(order.state, command, { now: clock.now() });
    if (events.length === 0) return order;
    const commit = orderStore.buildCommit(order, events, toTrace(request));
    await table.transact([orderStore.appendWrite(commit), endReviewWrite(table, customerId, id)]);
    return orderStore.applyCommit(order, commit);
  }).catch(throwNotUnderReview);
  logger.info('order reviewed', { orderId: id, decision: body.decision });
  return { status: 200, body: await viewForCaller(personalKeys, caller, reviewed) };
});

/** @throws {Problem} 409 if the order is not under review, and otherwise the error itself */
function throwNotUnderReview(error: unknown): never {
  if (!(error instanceof OrderRefused)) throw error;
  const detail = 'the order is not under review; one that is not wanted can be cancelled until it is dispatched';
  throw new Problem(OrdersProblem['not-under-review'], detail, {}, { cause: error });
}
