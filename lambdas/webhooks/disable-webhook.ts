import type { Table, TransactWriteItem } from '@orderly/kit/aws';
import { decideOn } from '@orderly/kit/event-store';
import type { Trace } from '@orderly/kit/messages';
import type { WebhookStore } from './aggregates.js';
import type { DisabledReason } from './contract.js';
import { toStored } from './domain/webhook.js';
import { subscriberWrite } from './subscribers.js';

/** Returns the writes that disable a webhook, with its row; nothing changes if it is disabled already or was deleted meanwhile. */
export async function buildDisabling(
  { table, webhooks }: { readonly table: Pick<Table, 'name'>; readonly webhooks: WebhookStore },
  { webhookId, reason, trace }: { readonly webhookId: string; readonly reason: DisabledReason; readonly trace: Trace },
): Promise<readonly TransactWriteItem[]> {
  const { before, events, write } = await decideOn(webhooks, {
    id: webhookId,
    command: { type: 'Disable', reason },
    trace,
  });
  const after = events.reduce(webhooks.decider.evolve, before.state);
  const stored = toStored(after, before.version + events.length);
  return [write, ...(stored && events.length > 0 ? [subscriberWrite(table, stored)] : [])];
}
