import { stateStoreOfFunction } from '@orderly/kit/state-store';
import { endpoint } from '../endpoint.js';
import { Sku } from '../orders/contract.js';
import { stockItems } from './aggregates.js';
import { getStock } from './routes.js';
import { existing, type StockStore, stockOf } from './stock-store.js';

const counters: StockStore = stateStoreOfFunction(stockItems);

/** GET /stock/{sku}: strongly consistent. */
export const handler = endpoint(getStock, async ({ parameter }) => ({
  status: 200,
  body: existing(await stockOf(counters, parameter('sku', Sku))),
}));
