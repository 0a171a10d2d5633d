import * as z from 'zod/mini';
import { aggregateKey } from '../../patterns/event-store/commit.js';
import { openEvent } from '../../patterns/personal-data/personal-fields.js';
import { endpoint } from '../../platform/http.js';
import { cursorOf, limitOf, Paging, positionOf } from '../../platform/paging.js';
import { ordersContract } from './contract.js';
import { ORDER, orderIdOf, orderStore, visibleTo } from './order-store.js';
import { people } from './people.js';

/** Anybody can make a cursor: one beyond the last version there can be doesn't fit either. */
const Position = z.strictObject({
  commit: z.int().check(z.gte(1), z.lte(9_999_999_999)),
  shown: z.int().check(z.gte(0)),
});

/** GET /orders/{orderId}/history: every event of the order, oldest first. */
export const handler = endpoint(
  { roles: ['customer', 'operator'], query: z.strictObject(Paging) },
  async ({ caller, query, parameter }) => {
    const id = orderIdOf(parameter('orderId'));
    visibleTo(caller, await orderStore.load(id));
    const list = `history of ${id}`;
    const from = positionOf(list, query.cursor, Position) ?? { commit: 1, shown: 0 };
    const { items, next } = await orderStore.history(id, from, limitOf(query));
    const opened = items.map((item) => openEvent(people, ordersContract, aggregateKey(ORDER, id), item));
    return {
      status: 200,
      body: { items: await Promise.all(opened), ...(next ? { nextCursor: cursorOf(list, next) } : {}) },
    };
  },
);
