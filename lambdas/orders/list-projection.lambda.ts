import { consumer } from '../../packages/kit/idempotent-consumer/consumer.js';
import type { Message } from '../../packages/kit/idempotent-consumer/listening.js';
import { show } from '../../packages/kit/projection/projection.js';
import { ordersContract } from './contract.js';
import { OrderRefused } from './domain/order.js';
import { ordersList } from './order-list.js';
import { orderStore } from './order-store.js';

/** Customers' lists of orders: at any event of an order its row is put anew, from the order itself. */
export const handler = consumer({
  contract: ordersContract,
  on: { OrderPlaced: project, OrderApproved: project, OrderRejected: project, OrderCancelled: project },
  isRefusal: (error) => error instanceof OrderRefused,
});

function project({ event }: Message<{ data: { orderId: string } }>) {
  return {
    project: async () => {
      const order = await orderStore.load(event.data.orderId);
      if (order.version === 0) throw new OrderRefused('UNKNOWN_ORDER');
      return show(ordersList, order);
    },
  };
}
