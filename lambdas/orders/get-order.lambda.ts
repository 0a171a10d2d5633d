import { AsItWas, loadAsItWas } from '../../packages/kit/event-store/as-it-was.js';
import { endpoint } from '../endpoint.js';
import { orderIdOf, orderStore } from './order-store.js';
import { shownTo } from './people.js';

/** GET /orders/{orderId}: the current order, or the order at an earlier time or version; strongly consistent. */
export const handler = endpoint(
  { roles: ['customer', 'operator'], query: AsItWas },
  async ({ caller, query, parameter }) => {
    const loaded = await loadAsItWas(orderStore, orderIdOf(parameter('orderId')), query);
    return { status: 200, body: await shownTo(caller, loaded) };
  },
);
