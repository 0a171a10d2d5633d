import { tableOfFunction } from '@orderly/kit/aws';
import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { consumer } from '@orderly/kit/idempotent-consumer';
import { entranceOf } from '@orderly/kit/lane';
import { accountLane } from './account-lane.js';
import { accounts } from './aggregates.js';
import { factsOfFunction } from './command-on-order.js';
import { AccountRefused } from './domain/account.js';
import { onOrderEvent } from './on-order-event.js';

const context = { accountStore: eventStoreOfFunction(accounts), table: tableOfFunction(), facts: factsOfFunction() };

/** Handles the ends of orders. */
export const handler = consumer([onOrderEvent(context)], {
  isRefusal: (error) => error instanceof AccountRefused,
  lane: entranceOf(accountLane(context)),
});
