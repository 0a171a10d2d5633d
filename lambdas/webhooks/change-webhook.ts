import { count, logger, Metric, type Table, type TransactWriteItem } from '@orderly/kit/aws';
import type { Loaded } from '@orderly/kit/event-store';
import { type Request, toKeyedRequest, toTrace } from '@orderly/kit/http';
import { changeOnce, createKeyRecord, type KeyRecords, parseIdempotencyKey } from '@orderly/kit/idempotent-receiver';
import type { Role } from '../app.js';
import type { WebhookStore } from './aggregates.js';
import { findLive, type StoredWebhook, toStored, type Webhook, type WebhookCommand } from './domain/webhook.js';
import { subscriberWrite, unsubscribeWrite } from './subscribers.js';
import { parseWebhookId, requireVisible } from './webhook-store.js';

/** Stores of a route that changes webhooks. */
export interface WebhookChanges {
  readonly table: Table;
  readonly store: WebhookStore;
  readonly records: KeyRecords;
}

/** One change. */
export interface WebhookChange {
  /** Returns what is decided on the webhook. */
  readonly command: (webhookId: string) => Promise<WebhookCommand> | WebhookCommand;
  /** Returns repeatable writes that commit with the change. @default none */
  readonly alongside?: (webhookId: string) => readonly TransactWriteItem[];
}

/**
 * Changes a webhook once for each request, together with its row in the list of subscribers.
 * @throws {Problem} 404 if the webhook doesn't exist, or the caller may not see it
 */
export async function changeWebhook(
  { table, store, records }: WebhookChanges,
  request: Request<unknown, unknown, Role>,
  { command, alongside = () => [] }: WebhookChange,
): Promise<{ readonly loaded: Loaded<Webhook>; readonly headers: Readonly<Record<string, string>> }> {
  const { caller } = request;
  const key = parseIdempotencyKey(toKeyedRequest(request));
  const id = parseWebhookId(request.parameter('webhookId'));
  let before: Webhook = store.decider.initialState;
  const { loaded, replayed } = await changeOnce({
    store,
    record: createKeyRecord(key, records),
    id,
    trace: toTrace(request),
    // The record is the caller's own, so a repeat may find a webhook that is deleted.
    admit: ({ state }) => {
      before = state;
    },
    command: (found) => {
      requireVisible(caller, found);
      return command(id);
    },
    alongside: ({ lastVersion }, events) => {
      const stored = toStored(events.reduce(store.decider.evolve, before), lastVersion);
      const row = stored
        ? subscriberWrite(table, stored)
        : unsubscribeWrite(table, { webhookId: id, ...ownerOf(before) });
      return { writes: [row, ...alongside(id)] };
    },
  });
  if (replayed) count(Metric.DUPLICATES_SUPPRESSED);
  logger.info(replayed ? 'webhook changed before' : 'webhook changed', { webhookId: id });
  return { loaded, headers: replayed ? { 'Idempotency-Replayed': 'true' } : {} };
}

function ownerOf(webhook: Webhook): Pick<StoredWebhook, 'customerId'> {
  const { customerId } = findLive(webhook) ?? {};
  return customerId === undefined ? {} : { customerId };
}
