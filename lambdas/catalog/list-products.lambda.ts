import { Env, required } from '@orderly/kit/aws';
import { cursorOf, limitOf, positionOf } from '@orderly/kit/http';
import { endpoint } from '../endpoint.js';
import { Sku } from '../orders/contract.js';
import { productsAfter } from './product-store.js';
import { listProducts } from './routes.js';

const table = required(Env.TABLE);
const LIST = 'products';

/** GET /products: lists all products by SKU, eventually consistent. */
export const handler = endpoint(listProducts, async ({ query }) => {
  const limit = limitOf(query);
  const found = await productsAfter(table, positionOf(LIST, query.cursor, Sku), limit);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const more = found.length > limit && last !== undefined;
  return { status: 200, body: { items, ...(more ? { nextCursor: cursorOf(LIST, last.sku) } : {}) } };
});
