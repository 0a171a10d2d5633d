import { tableFromEnvironment } from '@orderly/kit/aws';
import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { laneWriter } from '@orderly/kit/lane';
import { accountLane } from './account-lane.js';
import { decidingAccounts } from './aggregates.js';
import { factsFromEnvironment } from './handle-order-command.js';

const context = {
  accountStore: eventStoreFromEnvironment(decidingAccounts()),
  table: tableFromEnvironment(),
  facts: factsFromEnvironment(),
};

/** Decides messages about accounts under contention, up to 30 about one account in one transaction. */
export const handler = laneWriter(accountLane(context));
