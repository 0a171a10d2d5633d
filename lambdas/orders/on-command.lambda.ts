import { tableFromEnvironment } from '@orderly/kit/aws';
import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { consumer } from '@orderly/kit/idempotent-consumer';
import { readAdmission } from './admission.js';
import { orders } from './aggregates.js';
import { OrderRefused } from './domain/order.js';
import { createOrdersList } from './order-list.js';
import { placeCheckedOut } from './place-checked-out.js';

const table = tableFromEnvironment();
const orderStore = eventStoreFromEnvironment(orders);
const ordersList = createOrdersList(orderStore);

/** Handles commands to the service: orders from baskets. */
export const handler = consumer(
  [
    placeCheckedOut(orderStore, async (customerId, now) => {
      const { reached, status } = await readAdmission(ordersList, table, customerId, now);
      return { reached, isBlocked: status === 'BLOCKED' };
    }),
  ],
  { isRefusal: (error) => error instanceof OrderRefused },
);
