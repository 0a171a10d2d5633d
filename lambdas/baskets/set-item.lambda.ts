import { toTrace } from '@orderly/kit/http';
import { stateStoreFromEnvironment } from '@orderly/kit/state-store';
import { endpoint } from '../endpoint.js';
import { Sku } from '../orders/contract.js';
import { baskets } from './aggregates.js';
import { basketResponse, throwAsProblem } from './answers.js';
import { type BasketStore, Baskets } from './basket-store.js';
import { Products } from './products.js';
import { setItem } from './routes.js';

const basketStore: BasketStore = stateStoreFromEnvironment(baskets);
const current = new Baskets(basketStore, new Products(basketStore.table.name));

/** PUT /basket/items/{sku}: adds a line or sets its quantity. It is naturally idempotent and needs no key. */
export const handler = endpoint(setItem, async (request) => {
  const { body, caller, parameter } = request;
  const command = { type: 'SetItem', customerId: caller.id, sku: parameter('sku', Sku), ...body } as const;
  return basketResponse(await current.change(command, toTrace(request)).catch(throwAsProblem));
});
