import { count, logger, Metric } from '@orderly/kit/aws';
import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { keyedBy, traceOf, versionOf } from '@orderly/kit/http';
import { idempotencyKey } from '@orderly/kit/idempotent-receiver';
import { stateStoreOfFunction } from '@orderly/kit/state-store';
import { endpoint } from '../endpoint.js';
import { baskets, checkouts } from './aggregates.js';
import { type BasketStore, Baskets } from './basket-store.js';
import { checkOut as orderBasket } from './check-out.js';
import { Products } from './products.js';
import { checkOut } from './routes.js';

const basketStore: BasketStore = stateStoreOfFunction(baskets);
const stores = {
  baskets: new Baskets(basketStore, new Products(basketStore.table.name)),
  checkouts: eventStoreOfFunction(checkouts),
};

/** POST /basket/checkout: makes an order of the basket, or repeats the first answer. No body is read. */
export const handler = endpoint(checkOut, async (request) => {
  const { loaded, replayed } = await orderBasket({
    ...stores,
    customerId: request.caller.id,
    key: idempotencyKey(keyedBy(request)),
    ifMatch: versionOf(request.header('if-match')),
    trace: traceOf(request),
  });
  const orderId = loaded.id;
  if (replayed) count(Metric.DUPLICATES_SUPPRESSED);
  logger.info(replayed ? 'basket checked out before' : 'basket checked out', { orderId });
  // The order doesn't exist yet. The basket shows when it does: its lines are gone.
  const headers = { Location: 'basket', ...(replayed ? { 'Idempotency-Replayed': 'true' } : {}) };
  return { status: 202, body: { orderId }, headers };
});
