import { consumer } from '../../packages/kit/idempotent-consumer/consumer.js';
import { onEvery } from '../../packages/kit/idempotent-consumer/listening.js';
import { show } from '../../packages/kit/projection/projection.js';
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
