import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { historyPage } from '@orderly/kit/http';
import { aggregateKey } from '@orderly/kit/messages';
import { openEvents, personalKeysOfFunction } from '@orderly/kit/personal-data';
import { endpoint } from '../endpoint.js';
import { customerIdOf, existing, ownOf } from './account-store.js';
import { accounts } from './aggregates.js';
import { accountsContract } from './contract.js';
import { ACCOUNT } from './keys.js';
import { accountHistory } from './routes.js';

const accountStore = eventStoreOfFunction(accounts);
const people = personalKeysOfFunction();

/** GET /accounts/{customerId}/history: every event of the account, oldest first. */
export const handler = endpoint(accountHistory, async ({ caller, query, parameter }) => {
  const customerId = ownOf(caller, customerIdOf(parameter('customerId')));
  existing(await accountStore.load(customerId));
  const page = await historyPage(accountStore, customerId, `history of account ${customerId}`, query, caller);
  const items = await openEvents(people, accountsContract, aggregateKey(ACCOUNT, customerId), page.items);
  return { status: 200, body: { ...page, items } };
});
