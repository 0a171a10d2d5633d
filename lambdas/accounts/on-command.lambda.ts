import { tableOfFunction } from '@orderly/kit/aws';
import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { consumer } from '@orderly/kit/idempotent-consumer';
import { entranceOf } from '@orderly/kit/lane';
import { accountLane } from './account-lane.js';
import { accounts } from './aggregates.js';
import { factsOfFunction } from './command-on-order.js';
import { AccountRefused } from './domain/account.js';
import { onCommand } from './on-command.js';

const context = { accountStore: eventStoreOfFunction(accounts), table: tableOfFunction(), facts: factsOfFunction() };

/** Handles a saga's steps. */
export const handler = consumer([onCommand(context)], {
  isRefusal: (error) => error instanceof AccountRefused,
  lane: entranceOf(accountLane(context)),
});
