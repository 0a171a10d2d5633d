import { parseIfMatch, toTrace } from '@orderly/kit/http';
import { stateStoreFromEnvironment } from '@orderly/kit/state-store';
import { endpoint } from '../endpoint.js';
import { baskets } from './aggregates.js';
import { basketResponse } from './answers.js';
import { type BasketStore, Baskets } from './basket-store.js';
import { Products } from './products.js';
import { seePrices } from './routes.js';

const basketStore: BasketStore = stateStoreFromEnvironment(baskets);
const current = new Baskets(basketStore, new Products(basketStore.table.name));

/**
 * PUT /basket/seen: the customer has seen the prices of the basket. With `If-Match`, it holds for exactly the basket that
 * was shown; without, also for a price that changed after that.
 */
export const handler = endpoint(seePrices, async (request) => {
  const { caller, header } = request;
  const command = { type: 'See', customerId: caller.id } as const;
  return basketResponse(await current.change(command, toTrace(request), parseIfMatch(header('if-match'))));
});
