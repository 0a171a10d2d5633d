import { Env, requireEnv } from '@orderly/kit/aws';
import { decodeCursor, encodeCursor, parseLimit } from '@orderly/kit/http';
import { endpoint } from '../endpoint.js';
import { Sku } from '../orders/contract.js';
import { readProductsAfter } from './product-store.js';
import { listProducts } from './routes.js';

const table = requireEnv(Env.TABLE);
const LIST = 'products';

/** GET /products: lists all products by SKU, eventually consistent. */
export const handler = endpoint(listProducts, async ({ query }) => {
  const limit = parseLimit(query);
  const found = await readProductsAfter(table, decodeCursor(LIST, query.cursor, Sku), limit);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const more = found.length > limit && last !== undefined;
  return { status: 200, body: { items, ...(more ? { nextCursor: encodeCursor(LIST, last.sku) } : {}) } };
});
