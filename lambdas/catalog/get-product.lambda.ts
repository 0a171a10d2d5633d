import { stateStoreOfFunction } from '@orderly/kit/state-store';
import { endpoint } from '../endpoint.js';
import { Sku } from '../orders/contract.js';
import { products } from './aggregates.js';
import { type ProductStore, productOf } from './product-store.js';
import { getProduct } from './routes.js';

const productStore: ProductStore = stateStoreOfFunction(products);

/** GET /products/{sku}: strongly consistent. */
export const handler = endpoint(getProduct, async ({ parameter }) => ({
  status: 200,
  body: await productOf(productStore, parameter('sku', Sku)),
}));
