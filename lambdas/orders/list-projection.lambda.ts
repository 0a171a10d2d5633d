import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { consumer, onEvery } from '@orderly/kit/idempotent-consumer';
import { updateProjection } from '@orderly/kit/projection';
import { orders } from './aggregates.js';
import { OrderRefused } from './domain/order.js';
import { createOrdersList } from './order-list.js';
import { listEvents } from './subscriptions.js';

const orderStore = eventStoreFromEnvironment(orders);
const ordersList = createOrdersList(orderStore);

/** Projects orders into customers' lists: each event of an order rewrites its row from the order itself. */
export const handler = consumer(
  [
    onEvery(listEvents, ({ event }) => ({
      project: async () => {
        const order = await orderStore.load(event.data.orderId);
        if (order.version === 0) throw new OrderRefused('UNKNOWN_ORDER');
        return updateProjection(ordersList, order);
      },
    })),
  ],
  { isRefusal: (error) => error instanceof OrderRefused },
);
