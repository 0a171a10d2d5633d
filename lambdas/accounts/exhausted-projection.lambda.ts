import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { consumer, onEvery } from '@orderly/kit/idempotent-consumer';
import { updateProjection } from '@orderly/kit/projection';
import { accounts } from './aggregates.js';
import { createExhaustedList } from './exhausted-list.js';
import { listEvents } from './subscriptions.js';

const accountStore = eventStoreFromEnvironment(accounts);
const exhaustedList = createExhaustedList(accountStore);

/**
 * Projects the customers who have used up their credit: each event of an account rewrites its row from the account
 * itself.
 */
export const handler = consumer([
  onEvery(listEvents, ({ event }) => ({
    project: async () => updateProjection(exhaustedList, await accountStore.load(event.data.customerId)),
  })),
]);
