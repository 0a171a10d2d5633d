import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { personalKeysFromEnvironment } from '@orderly/kit/personal-data';
import { endpoint } from '../endpoint.js';
import { webhooks } from './aggregates.js';
import { getWebhook } from './routes.js';
import { parseWebhookId, requireVisible, showWebhook } from './webhook-store.js';

const webhookStore = eventStoreFromEnvironment(webhooks);
const personalKeys = personalKeysFromEnvironment();

/** GET /webhooks/{webhookId}: a webhook, strongly consistent. */
export const handler = endpoint(getWebhook, async ({ caller, parameter }) => ({
  status: 200,
  body: await showWebhook(
    personalKeys,
    requireVisible(caller, await webhookStore.load(parseWebhookId(parameter('webhookId')))),
  ),
}));
