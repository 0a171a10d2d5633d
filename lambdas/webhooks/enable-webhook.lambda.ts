import { tableFromEnvironment } from '@orderly/kit/aws';
import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { keyRecordsFromEnvironment } from '@orderly/kit/idempotent-receiver';
import { endpoint } from '../endpoint.js';
import { webhooks } from './aggregates.js';
import { changeWebhook } from './change-webhook.js';
import { enableWebhook } from './routes.js';
import { requireVisible } from './webhook-store.js';

const changes = {
  table: tableFromEnvironment(),
  store: eventStoreFromEnvironment(webhooks),
  records: keyRecordsFromEnvironment(),
};

/** POST /webhooks/{webhookId}/activation: new events are sent again. */
export const handler = endpoint(enableWebhook, async (request) => {
  const { loaded, headers } = await changeWebhook(changes, request, { command: () => ({ type: 'Enable' }) });
  return { status: 200, body: requireVisible(request.caller, loaded), headers };
});
