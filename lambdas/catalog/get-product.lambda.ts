import { endpoint } from '../endpoint.js';
import { Sku } from '../orders/contract.js';
import { productOf } from './product-store.js';

/** GET /products/{sku}: strongly consistent. */
export const handler = endpoint({ roles: ['customer', 'operator'] }, async ({ parameter }) => ({
  status: 200,
  body: await productOf(parameter('sku', Sku)),
}));
