import { logger } from '@orderly/kit/aws';
import { parseIfMatch, toTrace } from '@orderly/kit/http';
import { stateStoreFromEnvironment } from '@orderly/kit/state-store';
import { endpoint } from '../endpoint.js';
import { Sku } from '../orders/contract.js';
import { products } from './aggregates.js';
import { type ProductStore, setProduct as storeProduct } from './product-store.js';
import { setProduct } from './routes.js';

const productStore: ProductStore = stateStoreFromEnvironment(products);

/** PUT /products/{sku}: sets the whole product. It is naturally idempotent and needs no key. */
export const handler = endpoint(setProduct, async (request) => {
  const { body, header, parameter } = request;
  const product = await storeProduct(
    productStore,
    parameter('sku', Sku),
    body,
    parseIfMatch(header('if-match')),
    toTrace(request),
  );
  logger.info('product set', { sku: product.sku, version: product.version });
  return { status: 200, body: product };
});
