import { traceOf } from '@orderly/kit/http';
import { stateStoreOfFunction } from '@orderly/kit/state-store';
import { endpoint } from '../endpoint.js';
import { baskets } from './aggregates.js';
import { shown } from './answers.js';
import { type BasketStore, Baskets } from './basket-store.js';
import { Products } from './products.js';
import { getBasket } from './routes.js';

const basketStore: BasketStore = stateStoreOfFunction(baskets);
const current = new Baskets(basketStore, new Products(basketStore.table.name));

/** GET /basket: strongly consistent. It stores prices that have changed and did not reach the basket yet. */
export const handler = endpoint(getBasket, async (request) =>
  shown(await current.change({ type: 'Look', customerId: request.caller.id }, traceOf(request))),
);
