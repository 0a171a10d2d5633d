import { tableFromEnvironment } from '@orderly/kit/aws';
import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { consumer } from '@orderly/kit/idempotent-consumer';
import { createLaneEntrance } from '@orderly/kit/lane';
import { accountLane } from './account-lane.js';
import { decidingAccounts } from './aggregates.js';
import { AccountRefused } from './domain/account.js';
import { factsFromEnvironment } from './handle-order-command.js';
import { onPaymentEvent } from './on-payment-event.js';

const context = {
  accountStore: eventStoreFromEnvironment(decidingAccounts()),
  table: tableFromEnvironment(),
  facts: factsFromEnvironment(),
};

/** Handles the charges of orders' payments, and the refunds of returned goods. */
export const handler = consumer([onPaymentEvent(context)], {
  isRefusal: (error) => error instanceof AccountRefused,
  lane: createLaneEntrance(accountLane(context)),
});
