import { stateStoreFromEnvironment } from '@orderly/kit/state-store';
import { endpoint } from '../endpoint.js';
import { Sku } from '../orders/contract.js';
import { stockItems } from './aggregates.js';
import { getStock } from './routes.js';
import { readStock, requireStock, type StockStore } from './stock-store.js';

const counters: StockStore = stateStoreFromEnvironment(stockItems);

/** GET /stock/{sku}: strongly consistent. */
export const handler = endpoint(getStock, async ({ parameter }) => ({
  status: 200,
  body: requireStock(await readStock(counters, parameter('sku', Sku))),
}));
