import { clock, count, logger, secondsBetween, type Table, type TransactWriteItem } from '@orderly/kit/aws';
import { decideOn } from '@orderly/kit/event-store';
import { noEffect } from '@orderly/kit/idempotent-consumer';
import type { WorkHandle, WorkResult } from '@orderly/kit/inbox';
import type { Trace } from '@orderly/kit/messages';
import type { PersonalKeys } from '@orderly/kit/personal-data';
import { decideNext, NotDelivered, NotYet, type OutboundResult, type WebhookMessage } from '@orderly/kit/webhooks';
import type { WebhookStore } from './aggregates.js';
import type { AttemptView, DisabledReason } from './contract.js';
import type { DeliveryEvent, Due } from './delivery-contract.js';
import { attemptWrite, type DeliveryRow, readDelivery } from './delivery-rows.js';
import { findLive, toView } from './domain/webhook.js';
import type { FeedEvent } from './feed-contract.js';
import { WebhooksMetric } from './metrics.js';
import { subscriberWrite } from './subscribers.js';
import { openSecrets } from './webhook-store.js';

/** Stores, keys and sender of an attempt. */
export interface Delivering {
  readonly table: Table;
  readonly webhooks: WebhookStore;
  readonly keys: Pick<PersonalKeys, 'openAll'>;
  readonly send: (message: WebhookMessage) => Promise<OutboundResult>;
}

/**
 * Makes one attempt of a delivery. Its end commits with the end of the message: it came through, or the webhook is disabled. Any other
 * attempt is entered into the delivery and fails, so that the inbox pauses and tries again.
 *
 *     request sent, and answered
 *                                  crash: nothing is entered, and the message stays
 *     the next attempt sends the same body with the same id, which the receiver recognises
 */
export const createDeliver =
  (delivering: Delivering): WorkHandle<DeliveryEvent | FeedEvent> =>
  async ({ event: { data: due }, trace }): Promise<WorkResult> => {
    const { table, webhooks, keys, send } = delivering;
    const [row, { state }] = await Promise.all([readDelivery(table, due), webhooks.load(due.webhookId)]);
    // It was not sent within the days for which it is kept: only an operator's redrive comes so late.
    if (!row) return noEffect;
    const webhook = findLive(state);
    if (webhook?.status !== 'ACTIVE') return end([attemptWrite(table, due, { status: 'SKIPPED' })]);
    const began = clock.now();
    if ((row.notBefore ?? '') > began) throw new NotYet();
    const secrets = await openSecrets(keys, webhook, began);
    if (secrets.length === 0) return end([attemptWrite(table, due, { status: 'SKIPPED' })]);
    const { messageId: id, payload: body } = row;
    const result = await send({ id, url: webhook.url, body, secrets });
    return decide(delivering, { due, row, trace, result, attempt: toAttempt(result, began) });
  };

async function decide(
  delivering: Delivering,
  made: {
    readonly due: Due;
    readonly row: DeliveryRow;
    readonly trace: Trace;
    readonly result: OutboundResult;
    readonly attempt: AttemptView;
  },
): Promise<WorkResult> {
  const { table } = delivering;
  const { due, row, trace, result, attempt } = made;
  const step = decideNext(result, row.since);
  logger.info('webhook attempted', { ...due, ...attempt, next: step.next });
  switch (step.next) {
    case 'delivered':
      return end([attemptWrite(table, due, { attempt, status: 'DELIVERED' })]);
    case 'retry': {
      const { notBefore } = step;
      await table.transact([
        attemptWrite(table, due, { attempt, status: 'PENDING', ...(notBefore !== undefined && { notBefore }) }),
      ]);
      throw new NotDelivered(result);
    }
    case 'disable': {
      const reason: DisabledReason = step.reason === 'gone' ? 'GONE' : 'EXPIRED';
      count(WebhooksMetric.DISABLED);
      logger.error('webhook disabled', { webhookId: due.webhookId, reason });
      return {
        decide: async () => [
          attemptWrite(table, due, { attempt, status: 'FAILED' }),
          ...(await buildDisabling(delivering, { webhookId: due.webhookId, reason, trace })),
        ],
      };
    }
  }
}

/** Returns the writes that disable a webhook, unless it is disabled already or was deleted meanwhile. */
async function buildDisabling(
  { table, webhooks }: Pick<Delivering, 'table' | 'webhooks'>,
  { webhookId, reason, trace }: { readonly webhookId: string; readonly reason: DisabledReason; readonly trace: Trace },
): Promise<readonly TransactWriteItem[]> {
  const { before, events, write } = await decideOn(webhooks, {
    id: webhookId,
    command: { type: 'Disable', reason },
    trace,
  });
  const after = events.reduce(webhooks.decider.evolve, before.state);
  const view = toView(after, before.version + events.length);
  return [write, ...(view && events.length > 0 ? [subscriberWrite(table, view)] : [])];
}

const end = (writes: readonly TransactWriteItem[]): WorkResult => ({ decide: async () => writes });

function toAttempt(result: OutboundResult, at: string): AttemptView {
  const milliseconds = Math.round(secondsBetween(at, clock.now()) * 1000);
  return result.kind === 'answered'
    ? { at, result: 'answered', status: result.status, milliseconds }
    : { at, result: result.reason, milliseconds };
}
