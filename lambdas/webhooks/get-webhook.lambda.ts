import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { endpoint } from '../endpoint.js';
import { webhooks } from './aggregates.js';
import { getWebhook } from './routes.js';
import { parseWebhookId, requireVisible } from './webhook-store.js';

const webhookStore = eventStoreFromEnvironment(webhooks);

/** GET /webhooks/{webhookId}: a webhook, strongly consistent. */
export const handler = endpoint(getWebhook, async ({ caller, parameter }) => ({
  status: 200,
  body: requireVisible(caller, await webhookStore.load(parseWebhookId(parameter('webhookId')))),
}));
