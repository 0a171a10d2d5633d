import { tableOfFunction } from '@orderly/kit/aws';
import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { consumer } from '@orderly/kit/idempotent-consumer';
import { entranceOf } from '@orderly/kit/lane';
import { accountLane } from './account-lane.js';
import { accounts } from './aggregates.js';
import { factsOfFunction } from './command-on-order.js';
import { AccountRefused } from './domain/account.js';
import { onPaymentEvent } from './on-payment-event.js';

const context = { accountStore: eventStoreOfFunction(accounts), table: tableOfFunction(), facts: factsOfFunction() };

/** Handles the charges of orders' payments, and the refunds of returned goods. */
export const handler = consumer([onPaymentEvent(context)], {
  isRefusal: (error) => error instanceof AccountRefused,
  lane: entranceOf(accountLane(context)),
});
