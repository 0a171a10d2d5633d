import { tableFromEnvironment } from '@orderly/kit/aws';
import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { keyRecordsFromEnvironment } from '@orderly/kit/idempotent-receiver';
import { personalKeysFromEnvironment } from '@orderly/kit/personal-data';
import { endpoint } from '../endpoint.js';
import { webhooks } from './aggregates.js';
import { changeWebhook } from './change-webhook.js';
import { enableWebhook } from './routes.js';
import { refuseForgotten, requireVisible, showWebhook } from './webhook-store.js';

const changes = {
  table: tableFromEnvironment(),
  store: eventStoreFromEnvironment(webhooks),
  records: keyRecordsFromEnvironment(),
};
const personalKeys = personalKeysFromEnvironment();

/** POST /webhooks/{webhookId}/activation: new events are sent again. */
export const handler = endpoint(enableWebhook, async (request) => {
  const keys = personalKeys.forRequest();
  const { loaded, headers } = await changeWebhook(changes, request, {
    command: async (webhookId) => ((await keys.isForgotten(webhookId)) ? refuseForgotten() : { type: 'Enable' }),
  });
  return { status: 200, body: await showWebhook(keys, requireVisible(request.caller, loaded)), headers };
});
