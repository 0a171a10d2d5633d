import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { loadAsOf } from '@orderly/kit/http';
import { endpoint } from '../endpoint.js';
import { customerIdOf, existing, ownOf } from './account-store.js';
import { accounts } from './aggregates.js';
import { getAccount } from './routes.js';

const accountStore = eventStoreOfFunction(accounts);

/**
 * GET /accounts/{customerId}: the current account, or the account at an earlier time or version; strongly consistent.
 */
export const handler = endpoint(getAccount, async ({ caller, query, parameter }) => {
  const customerId = ownOf(caller, customerIdOf(parameter('customerId')));
  return { status: 200, body: existing(await loadAsOf(accountStore, customerId, query)) };
});
