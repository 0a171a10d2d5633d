import { consumer, onEvery } from '@orderly/kit/idempotent-consumer';
import { show } from '@orderly/kit/projection';
import { OrderRefused } from './domain/order.js';
import { ordersList } from './order-list.js';
import { orderStore } from './order-store.js';
import { listEvents } from './subscriptions.js';

/** Projects orders into customers' lists: each event of an order rewrites its row from the order itself. */
export const handler = consumer(
  [
    onEvery(listEvents, ({ event }) => ({
      project: async () => {
        const order = await orderStore.load(event.data.orderId);
        if (order.version === 0) throw new OrderRefused('UNKNOWN_ORDER');
        return show(ordersList, order);
      },
    })),
  ],
  { isRefusal: (error) => error instanceof OrderRefused },
);
