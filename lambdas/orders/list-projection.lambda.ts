import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { consumer, onEvery } from '@orderly/kit/idempotent-consumer';
import { show } from '@orderly/kit/projection';
import { orders } from './aggregates.js';
import { OrderRefused } from './domain/order.js';
import { ordersListOf } from './order-list.js';
import { listEvents } from './subscriptions.js';

const orderStore = eventStoreOfFunction(orders);
const ordersList = ordersListOf(orderStore);

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
