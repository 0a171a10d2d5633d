import { tableOfFunction } from '@orderly/kit/aws';
import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { laneWriter } from '@orderly/kit/lane';
import { accountLane } from './account-lane.js';
import { accounts } from './aggregates.js';
import { factsOfFunction } from './command-on-order.js';

const context = { accountStore: eventStoreOfFunction(accounts), table: tableOfFunction(), facts: factsOfFunction() };

/** Decides messages about accounts under contention, up to 30 about one account in one transaction. */
export const handler = laneWriter(accountLane(context));
