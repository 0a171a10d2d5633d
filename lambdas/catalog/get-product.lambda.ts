import { stateStoreFromEnvironment } from '@orderly/kit/state-store';
import { endpoint } from '../endpoint.js';
import { Sku } from '../orders/contract.js';
import { products } from './aggregates.js';
import { type ProductStore, readProduct } from './product-store.js';
import { getProduct } from './routes.js';

const productStore: ProductStore = stateStoreFromEnvironment(products);

/** GET /products/{sku}: strongly consistent. */
export const handler = endpoint(getProduct, async ({ parameter }) => ({
  status: 200,
  body: await readProduct(productStore, parameter('sku', Sku)),
}));
