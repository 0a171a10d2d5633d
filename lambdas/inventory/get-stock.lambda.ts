import { endpoint } from '../endpoint.js';
import { Sku } from '../orders/contract.js';
import { existing, stockOf } from './stock-store.js';

/** GET /stock/{sku}: strongly consistent. */
export const handler = endpoint({ roles: ['operator'] }, async ({ parameter }) => ({
  status: 200,
  body: existing(await stockOf(parameter('sku', Sku))),
}));
