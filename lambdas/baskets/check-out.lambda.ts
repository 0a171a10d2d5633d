import { count, logOutcome, Metric } from '@orderly/kit/aws';
import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { parseIfMatch, toKeyedRequest, toTrace } from '@orderly/kit/http';
import { parseIdempotencyKey } from '@orderly/kit/idempotent-receiver';
import { stateStoreFromEnvironment } from '@orderly/kit/state-store';
import { endpoint } from '../endpoint.js';
import { baskets, checkouts } from './aggregates.js';
import { type BasketStore, Baskets } from './basket-store.js';
import { checkOut as orderBasket } from './check-out.js';
import { Products } from './products.js';
import { checkOut } from './routes.js';

const basketStore: BasketStore = stateStoreFromEnvironment(baskets);
const stores = {
  baskets: new Baskets(basketStore, new Products(basketStore.table.name)),
  checkouts: eventStoreFromEnvironment(checkouts),
};

/** POST /basket/checkout: makes an order of the basket, or repeats the first answer. No body is read. */
export const handler = endpoint(checkOut, async (request) => {
  const { loaded, replayed } = await orderBasket({
    ...stores,
    customerId: request.caller.id,
    key: parseIdempotencyKey(toKeyedRequest(request)),
    ifMatch: parseIfMatch(request.header('if-match')),
    trace: toTrace(request),
  });
  const orderId = loaded.id;
  if (replayed) count(Metric.DUPLICATES_SUPPRESSED);
  logOutcome(replayed ? 'basket checked out before' : 'basket checked out', { orderId });
  // The order doesn't exist yet. The basket shows when it does: its lines are gone.
  const headers = { Location: 'basket', ...(replayed ? { 'Idempotency-Replayed': 'true' } : {}) };
  return { status: 202, body: { orderId }, headers };
});
