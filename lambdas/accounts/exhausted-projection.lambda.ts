import { eventStoreOfFunction } from '@orderly/kit/event-store';
import { consumer, onEvery } from '@orderly/kit/idempotent-consumer';
import { show } from '@orderly/kit/projection';
import { accounts } from './aggregates.js';
import { exhaustedListOf } from './exhausted-list.js';
import { listEvents } from './subscriptions.js';

const accountStore = eventStoreOfFunction(accounts);
const exhaustedList = exhaustedListOf(accountStore);

/**
 * Projects the customers who have used up their credit: each event of an account rewrites its row from the account
 * itself.
 */
export const handler = consumer([
  onEvery(listEvents, ({ event }) => ({
    project: async () => show(exhaustedList, await accountStore.load(event.data.customerId)),
  })),
]);
