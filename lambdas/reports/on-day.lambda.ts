import { tableOfFunction } from '@orderly/kit/aws';
import { batchInbox, collect } from '@orderly/kit/inbox';
import { daysOfFunction } from './days.js';
import type { CountedEvent } from './domain/tally.js';
import { reportDays } from './on-day.js';
import { moneyEvents, orderEvents } from './subscriptions.js';

const days = daysOfFunction();

/** Collects the events of each day, and reports the day after it has closed. */
export const handler = batchInbox<CountedEvent>([collect(orderEvents), collect(moneyEvents)], {
  windows: days.windows,
  ...reportDays(tableOfFunction(), days),
});
