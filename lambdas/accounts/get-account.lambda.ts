import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { loadAsOf } from '@orderly/kit/http';
import { endpoint } from '../endpoint.js';
import { checkOwner, parseCustomerId, requireAccount } from './account-store.js';
import { accounts } from './aggregates.js';
import { getAccount } from './routes.js';

const accountStore = eventStoreFromEnvironment(accounts);

/**
 * GET /accounts/{customerId}: the current account, or the account at an earlier time or version; strongly consistent.
 */
export const handler = endpoint(getAccount, async ({ caller, query, parameter }) => {
  const customerId = checkOwner(caller, parseCustomerId(parameter('customerId')));
  return { status: 200, body: requireAccount(await loadAsOf(accountStore, customerId, query)) };
});
