import { tableFromEnvironment } from '@orderly/kit/aws';
import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { keyRecordsFromEnvironment } from '@orderly/kit/idempotent-receiver';
import { erasureFromEnvironment } from '@orderly/kit/personal-data';
import { endpoint } from '../endpoint.js';
import { webhooks } from './aggregates.js';
import { changeWebhook } from './change-webhook.js';
import { deleteWebhook } from './routes.js';

const changes = {
  table: tableFromEnvironment(),
  store: eventStoreFromEnvironment(webhooks),
  records: keyRecordsFromEnvironment(),
};
const erasure = erasureFromEnvironment();

/** DELETE /webhooks/{webhookId}: deletes the webhook, its row, and the key of its secrets, in one transaction. */
export const handler = endpoint(deleteWebhook, async (request) => {
  const { role } = request.caller;
  const { headers } = await changeWebhook(changes, request, {
    command: () => ({ type: 'Delete' }),
    alongside: (webhookId) => [erasure(webhookId, role)],
  });
  return { status: 204, body: undefined, headers };
});
