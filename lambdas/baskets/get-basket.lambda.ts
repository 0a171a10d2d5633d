import { toTrace } from '@orderly/kit/http';
import { stateStoreFromEnvironment } from '@orderly/kit/state-store';
import { endpoint } from '../endpoint.js';
import { baskets } from './aggregates.js';
import { basketResponse } from './answers.js';
import { type BasketStore, Baskets } from './basket-store.js';
import { Products } from './products.js';
import { getBasket } from './routes.js';

const basketStore: BasketStore = stateStoreFromEnvironment(baskets);
const current = new Baskets(basketStore, new Products(basketStore.table.name));

/** GET /basket: strongly consistent. It stores prices that have changed and did not reach the basket yet. */
export const handler = endpoint(getBasket, async (request) =>
  basketResponse(await current.change({ type: 'Look', customerId: request.caller.id }, toTrace(request))),
);
