import { logger } from '@orderly/kit/aws';
import { parseIfMatch, toTrace } from '@orderly/kit/http';
import { stateStoreFromEnvironment } from '@orderly/kit/state-store';
import { endpoint } from '../endpoint.js';
import { Sku } from '../orders/contract.js';
import { stockItems } from './aggregates.js';
import { setStock } from './routes.js';
import { type StockStore, setStock as storeStock } from './stock-store.js';

const counters: StockStore = stateStoreFromEnvironment(stockItems);

/**
 * PUT /stock/{sku}: sets the number of pieces that an operator counted. It is naturally idempotent and needs no key.
 */
export const handler = endpoint(setStock, async (request) => {
  const { body, header, parameter } = request;
  const sku = parameter('sku', Sku);
  const stock = await storeStock(counters, sku, body.onHand, parseIfMatch(header('if-match')), toTrace(request));
  logger.info('stock set', { sku: stock.sku, version: stock.version });
  return { status: 200, body: stock };
});
