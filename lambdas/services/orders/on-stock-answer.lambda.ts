import { consumer } from '../../patterns/idempotent-consumer/consumer.js';
import type { Message } from '../../patterns/idempotent-consumer/listening.js';
import { clock } from '../../platform/clock.js';
import { inventoryContract } from '../inventory/contract.js';
import { decide, type OrderCommand, OrderRefused } from './domain/order.js';
import { orderStore } from './order-store.js';

/** Stock reserved: the order is approved (until the saga comes). Stock refused: it is rejected. */
export const handler = consumer({
  contract: inventoryContract,
  on: {
    StockReserved: (message) => tell(message, { type: 'Approve' }),
    StockRejected: (message) => {
      const { reason, skus } = message.event.data;
      return tell(message, { type: 'Reject', reason, skus });
    },
  },
  isRefusal: (error) => error instanceof OrderRefused,
});

const tell = ({ event, trace }: Message<{ data: { orderId: string } }>, command: OrderCommand) => ({
  decide: async () => {
    const order = await orderStore.load(event.data.orderId);
    const events = decide(order.state, command, { now: clock.now() });
    return [
      events.length > 0
        ? orderStore.appendWrite(orderStore.commit(order, events, trace))
        : orderStore.unchangedCheck(order),
    ];
  },
});
