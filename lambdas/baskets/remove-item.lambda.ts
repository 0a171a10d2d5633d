import { toTrace } from '@orderly/kit/http';
import { stateStoreFromEnvironment } from '@orderly/kit/state-store';
import { endpoint } from '../endpoint.js';
import { Sku } from '../orders/contract.js';
import { baskets } from './aggregates.js';
import { basketResponse } from './answers.js';
import { type BasketStore, Baskets } from './basket-store.js';
import { Products } from './products.js';
import { removeItem } from './routes.js';

const basketStore: BasketStore = stateStoreFromEnvironment(baskets);
const current = new Baskets(basketStore, new Products(basketStore.table.name));

/** DELETE /basket/items/{sku}: removes a line, if there is one. */
export const handler = endpoint(removeItem, async (request) => {
  const { caller, parameter } = request;
  const command = { type: 'RemoveItem', customerId: caller.id, sku: parameter('sku', Sku) } as const;
  return basketResponse(await current.change(command, toTrace(request)));
});
