import type { Table } from '@orderly/kit/aws';
import { on, type Source } from '@orderly/kit/idempotent-consumer';
import { statusEffect } from './account-status.js';
import { accountStatuses } from './subscriptions.js';

/** Keeps copies of accounts' statuses, by which new payments are refused. */
export const onAccountEvent = (table: Table): Source =>
  on(accountStatuses, {
    AccountClosed: ({ event: { data }, envelope }) => ({
      decide: () => statusEffect(table, data.customerId, 'CLOSED', envelope),
    }),
    AccountReopened: ({ event: { data }, envelope }) => ({
      decide: () => statusEffect(table, data.customerId, 'OPEN', envelope),
    }),
  });
