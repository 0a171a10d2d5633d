import { stateStoreOfFunction } from '@orderly/kit/state-store';
import { endpoint } from '../endpoint.js';
import { Sku } from '../orders/contract.js';
import { products } from './aggregates.js';
import { type ProductStore, productOf } from './product-store.js';

const productStore: ProductStore = stateStoreOfFunction(products);

/** GET /products/{sku}: strongly consistent. */
export const handler = endpoint({ roles: ['customer', 'operator'] }, async ({ parameter }) => ({
  status: 200,
  body: await productOf(productStore, parameter('sku', Sku)),
}));
