import { tableOfFunction } from '@orderly/kit/aws';
import { consumer, on } from '@orderly/kit/idempotent-consumer';
import { statusChanges } from './subscriptions.js';
import { statusEffect } from './user-status.js';

const table = tableOfFunction();

/** Keeps a copy of each user's status, for admission. */
export const handler = consumer([
  on(statusChanges, {
    UserStatusChanged: ({ event: { data }, envelope }) => ({
      decide: () => statusEffect(table, data.userId, data.newStatus, envelope),
    }),
  }),
]);
