import { consumer, onEvery } from '@orderly/kit/idempotent-consumer';
import { show } from '@orderly/kit/projection';
import { accountStore } from './account-store.js';
import { exhaustedList } from './exhausted-list.js';
import { listEvents } from './subscriptions.js';

/**
 * Projects the customers who have used up their credit: each event of an account rewrites its row from the account
 * itself.
 */
export const handler = consumer([
  onEvery(listEvents, ({ event }) => ({
    project: async () => show(exhaustedList, await accountStore.load(event.data.customerId)),
  })),
]);
