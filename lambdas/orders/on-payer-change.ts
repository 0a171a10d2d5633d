import type { Table } from '@orderly/kit/aws';
import { on, type Source } from '@orderly/kit/idempotent-consumer';
import { payerChanges } from './subscriptions.js';
import { payerEffect } from './user-payer.js';

/** Keeps a copy of what payments know of each user as a payer. */
export const onPayerChange = (table: Table): Source =>
  on(payerChanges, {
    PayerChanged: ({ event: { data }, envelope }) => ({
      decide: () => payerEffect(table, data.customerId, data, envelope),
    }),
  });
