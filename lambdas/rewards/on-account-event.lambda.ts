import { tableFromEnvironment } from '@orderly/kit/aws';
import { inbox } from '@orderly/kit/inbox';
import { syntheticCustomerFromEnvironment } from '../synthetic-customer.js';
import { onAccountEvent } from './on-account-event.js';
import { tiersFromEnvironment } from './tiers.js';

/** Counts points by the events of accounts, in the order of each account's history. */
export const handler = inbox([
  onAccountEvent({ table: tableFromEnvironment(), tiers: tiersFromEnvironment() }, syntheticCustomerFromEnvironment()),
]);
