import { eventStoreOfFunction, HistoryQuery, historyPage } from '@orderly/kit/event-store';
import { endpoint } from '../endpoint.js';
import { customerIdOf, existing, ownOf } from './account-store.js';
import { accounts } from './aggregates.js';

const accountStore = eventStoreOfFunction(accounts);

/** GET /accounts/{customerId}/history: every event of the account, oldest first. */
export const handler = endpoint(
  { roles: ['customer', 'operator'], query: HistoryQuery },
  async ({ caller, query, parameter }) => {
    const customerId = ownOf(caller, customerIdOf(parameter('customerId')));
    existing(await accountStore.load(customerId));
    const page = await historyPage(accountStore, customerId, `history of account ${customerId}`, query, caller);
    return { status: 200, body: page };
  },
);
