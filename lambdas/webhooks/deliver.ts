import { clock, countImmediately, logger, secondsBetween, type Table, type TransactWriteItem } from '@orderly/kit/aws';
import { noEffect } from '@orderly/kit/idempotent-consumer';
import type { WorkHandle, WorkResult } from '@orderly/kit/inbox';
import type { Trace } from '@orderly/kit/messages';
import type { PersonalKeys } from '@orderly/kit/personal-data';
import { decideNext, NotDelivered, NotYet, type OutboundResult, type WebhookMessage } from '@orderly/kit/webhooks';
import type { WebhookStore } from './aggregates.js';
import type { AttemptView, DisabledReason } from './contract.js';
import type { DeliveryEvent, Due } from './delivery-contract.js';
import { type Attempted, attemptWrite, type DeliveryRow, readDelivery } from './delivery-rows.js';
import { buildDisabling } from './disable-webhook.js';
import { findLive } from './domain/webhook.js';
import type { FeedEvent } from './feed-contract.js';
import { WebhooksMetric } from './metrics.js';
import { openWebhook } from './webhook-store.js';

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
    const opened = await openWebhook(keys, webhook, began);
    if (!opened) return endDisabled(delivering, { due, trace, reason: 'FORGOTTEN', entered: { status: 'SKIPPED' } });
    const { url, secrets } = opened;
    const { messageId: id, payload: body } = row;
    const result = await send({ id, url, body, secrets });
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
      countImmediately(WebhooksMetric.DISABLED);
      logger.error('webhook disabled', { webhookId: due.webhookId, reason });
      return endDisabled(delivering, { due, trace, reason, entered: { attempt, status: 'FAILED' } });
    }
  }
}

/** Ends a delivery together with its webhook, which is disabled. */
const endDisabled = (
  delivering: Delivering,
  {
    due,
    trace,
    reason,
    entered,
  }: { readonly due: Due; readonly trace: Trace; readonly reason: DisabledReason; readonly entered: Attempted },
): WorkResult => ({
  decide: async () => [
    attemptWrite(delivering.table, due, entered),
    ...(await buildDisabling(delivering, { webhookId: due.webhookId, reason, trace })),
  ],
});

const end = (writes: readonly TransactWriteItem[]): WorkResult => ({ decide: async () => writes });

function toAttempt(result: OutboundResult, at: string): AttemptView {
  const milliseconds = Math.round(secondsBetween(at, clock.now()) * 1000);
  return result.kind === 'answered'
    ? { at, result: 'answered', status: result.status, milliseconds }
    : { at, result: result.reason, milliseconds };
}
