import type { Table } from '@orderly/kit/aws';
import { on, type Source } from '@orderly/kit/idempotent-consumer';
import type { erasureFromEnvironment } from '@orderly/kit/personal-data';
import type { WebhookStore } from './aggregates.js';
import { buildDisabling } from './disable-webhook.js';
import { forgottenWrite, readSubscribers } from './subscribers.js';
import { userErasures } from './subscriptions.js';

/** Stores of the end of a forgotten customer's webhooks. */
export interface Forgetting {
  readonly table: Table;
  readonly webhooks: WebhookStore;
  readonly erasure: ReturnType<typeof erasureFromEnvironment>;
}

/**
 * Ends the webhooks that a forgotten customer's shop has registered: each is disabled, and the key of its address and its secrets is
 * deleted. The mark is written before the list is read, so no webhook is missed:
 *
 *     registration                          this event
 *     the list is read
 *                                           mark written, list read: without the new webhook
 *     commit: refused by the mark
 *
 * One that commits before the mark is in the list.
 */
export const onUserEvent = ({ table, webhooks, erasure }: Forgetting): Source =>
  on(userErasures, {
    UserForgotten: ({ event: { data }, trace }) => ({
      decide: async () => {
        const customerId = data.userId;
        await table.transact([forgottenWrite(table, customerId)]);
        const found = await readSubscribers(table, { customerId });
        const ends = found.map(async ({ webhookId }) => [
          erasure(webhookId, 'customer'),
          ...(await buildDisabling({ table, webhooks }, { webhookId, reason: 'FORGOTTEN', trace })),
        ]);
        return (await Promise.all(ends)).flat();
      },
    }),
  });
