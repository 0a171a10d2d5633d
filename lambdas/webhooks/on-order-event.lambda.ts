import { tableFromEnvironment } from '@orderly/kit/aws';
import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { inbox } from '@orderly/kit/inbox';
import { syntheticCustomerFromEnvironment } from '../synthetic-customer.js';
import { deliveries, feeds } from './aggregates.js';
import { onOrderEvent } from './on-order-event.js';

/** Makes the deliveries of orders' events, in the order of each order's history. */
export const handler = inbox([
  onOrderEvent({
    table: tableFromEnvironment(),
    deliveries: eventStoreFromEnvironment(deliveries),
    feeds: eventStoreFromEnvironment(feeds),
    syntheticCustomer: syntheticCustomerFromEnvironment(),
  }),
]);
