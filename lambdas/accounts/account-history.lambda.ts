import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { readHistoryPage } from '@orderly/kit/http';
import { aggregateKey } from '@orderly/kit/messages';
import { openEvents, personalKeysFromEnvironment } from '@orderly/kit/personal-data';
import { endpoint } from '../endpoint.js';
import { checkOwner, parseCustomerId, requireAccount } from './account-store.js';
import { accounts } from './aggregates.js';
import { accountsContract } from './contract.js';
import { ACCOUNT } from './keys.js';
import { accountHistory } from './routes.js';

const accountStore = eventStoreFromEnvironment(accounts);
const personalKeys = personalKeysFromEnvironment();

/** GET /accounts/{customerId}/history: every event of the account, oldest first. */
export const handler = endpoint(accountHistory, async ({ caller, query, parameter }) => {
  const customerId = checkOwner(caller, parseCustomerId(parameter('customerId')));
  requireAccount(await accountStore.load(customerId));
  const page = await readHistoryPage(accountStore, customerId, `history of account ${customerId}`, query, caller);
  const items = await openEvents(personalKeys, accountsContract, aggregateKey(ACCOUNT, customerId), page.items);
  return { status: 200, body: { ...page, items } };
});
