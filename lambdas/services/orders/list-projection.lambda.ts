import { consumer, type Message } from '../../patterns/idempotent-consumer/consumer.js';
import { ordersContract } from './contract.js';
import { OrderRefused, viewOf } from './domain/order.js';
import { putRow } from './order-list.js';
import { orderStore } from './order-store.js';

/** Customers' lists of orders: at any event of an order its row is put anew, from the order itself. */
export const handler = consumer({
  contract: ordersContract,
  on: { OrderPlaced: show, OrderApproved: show, OrderRejected: show, OrderCancelled: show },
  isRefusal: (error) => error instanceof OrderRefused,
});

function show({ event }: Message<{ data: { orderId: string } }>) {
  return {
    project: async () => {
      const { state, version } = await orderStore.load(event.data.orderId);
      const order = viewOf(state, version);
      if (!order) throw new OrderRefused('UNKNOWN_ORDER');
      return putRow(order);
    },
  };
}
