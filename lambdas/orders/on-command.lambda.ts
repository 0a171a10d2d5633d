import { tableOfFunction } from '@orderly/kit/aws';
import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { consumer } from '@orderly/kit/idempotent-consumer';
import { limitOn } from './admission.js';
import { orders } from './aggregates.js';
import { OrderRefused } from './domain/order.js';
import { ordersListOf } from './order-list.js';
import { placeCheckedOut } from './place-checked-out.js';
import { statusOf } from './user-status.js';

const table = tableOfFunction();
const orderStore = eventStoreOfFunction(orders);
const ordersList = ordersListOf(orderStore);

/** Handles commands to the service: orders from baskets. */
export const handler = consumer(
  [
    placeCheckedOut(orderStore, async (customerId, now) => {
      const [reached, status] = await Promise.all([limitOn(ordersList, customerId, now), statusOf(table, customerId)]);
      return { reached, isBlocked: status === 'BLOCKED' };
    }),
  ],
  { isRefusal: (error) => error instanceof OrderRefused },
);
