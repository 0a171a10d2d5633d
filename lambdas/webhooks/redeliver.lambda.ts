import { count, logger, Metric, tableFromEnvironment } from '@orderly/kit/aws';
import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { Problem, toKeyedRequest, toTrace } from '@orderly/kit/http';
import {
  changeOnce,
  createKeyRecord,
  keyRecordsFromEnvironment,
  parseIdempotencyKey,
} from '@orderly/kit/idempotent-receiver';
import { endpoint } from '../endpoint.js';
import { deliveries, webhooks } from './aggregates.js';
import { type DeliveryRow, readDelivery, restartWrite, toDeliveryView } from './delivery-rows.js';
import type { StoredWebhook } from './domain/webhook.js';
import { WebhooksProblem } from './problems.js';
import { redeliver } from './routes.js';
import { parseWebhookId, requireVisible } from './webhook-store.js';

const table = tableFromEnvironment();
const webhookStore = eventStoreFromEnvironment(webhooks);
const deliveryStore = eventStoreFromEnvironment(deliveries);
const records = keyRecordsFromEnvironment();

/** POST /webhooks/{webhookId}/deliveries/{deliveryId}/redelivery: the delivery is due once more. */
export const handler = endpoint(redeliver, async (request) => {
  const { caller, parameter } = request;
  const key = parseIdempotencyKey(toKeyedRequest(request));
  const webhook = requireVisible(caller, await webhookStore.load(parseWebhookId(parameter('webhookId'))));
  const due = { webhookId: webhook.webhookId, deliveryId: parameter('deliveryId') };
  const found = await readDelivery(table, due);
  if (!found) throw new Problem('not-found', 'no delivery of this webhook has this id');
  const { replayed } = await changeOnce({
    store: deliveryStore,
    record: createKeyRecord(key, records),
    id: due.deliveryId,
    trace: toTrace(request),
    admit: () => undefined,
    command: () => {
      refuseUnsendable(webhook, found);
      return { type: 'Send', ...due };
    },
    alongside: () => ({ writes: [restartWrite(table, due)] }),
  });
  if (replayed) count(Metric.DUPLICATES_SUPPRESSED);
  logger.info(replayed ? 'redelivery requested before' : 'redelivery requested', due);
  return {
    status: 202,
    body: { ...toDeliveryView(found), status: 'PENDING' as const },
    headers: replayed ? { 'Idempotency-Replayed': 'true' } : {},
  };
});

/** @throws {Problem} 409 if the webhook is disabled, or the delivery is being tried */
function refuseUnsendable({ status }: Pick<StoredWebhook, 'status'>, delivery: DeliveryRow): void {
  if (status === 'DISABLED')
    throw new Problem(WebhooksProblem['webhook-disabled'], 'nothing is sent to this webhook: enable it first');
  if (delivery.status === 'PENDING')
    throw new Problem(WebhooksProblem['delivery-pending'], 'this delivery is being tried: wait for its end');
}
