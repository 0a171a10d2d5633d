import { tableFromEnvironment } from '@orderly/kit/aws';
import { batchInbox, collect } from '@orderly/kit/inbox';
import { syntheticCustomerFromEnvironment } from '../synthetic-customer.js';
import { daysFromEnvironment } from './days.js';
import type { CountedEvent } from './domain/tally.js';
import { createReportHandlers } from './on-day.js';
import { moneyEvents, orderEvents } from './subscriptions.js';

const days = daysFromEnvironment();

/** Collects the events of each day, and reports the day after it has closed. */
export const handler = batchInbox<CountedEvent>([collect(orderEvents), collect(moneyEvents)], {
  windows: days.windows,
  ...createReportHandlers(tableFromEnvironment(), days, syntheticCustomerFromEnvironment()),
});
