import { clock, tableFromEnvironment } from '@orderly/kit/aws';
import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { keyRecordsFromEnvironment } from '@orderly/kit/idempotent-receiver';
import { personalKeysFromEnvironment } from '@orderly/kit/personal-data';
import { createWebhookSecret } from '@orderly/kit/webhooks';
import { endpoint } from '../endpoint.js';
import { webhooks } from './aggregates.js';
import { changeWebhook } from './change-webhook.js';
import { rotateWebhookSecret } from './routes.js';
import { refuseForgotten, showSecret } from './webhook-store.js';

const changes = {
  table: tableFromEnvironment(),
  store: eventStoreFromEnvironment(webhooks),
  records: keyRecordsFromEnvironment(),
};
const personalKeys = personalKeysFromEnvironment();

/** POST /webhooks/{webhookId}/secret-rotation: a new secret, beside which the former one signs for a day. */
export const handler = endpoint(rotateWebhookSecret, async (request) => {
  const keys = personalKeys.forRequest();
  const { loaded, headers } = await changeWebhook(changes, request, {
    command: async (webhookId) => {
      const sealedSecret = await keys.createUnsealed(webhookId, createWebhookSecret());
      return { type: 'RotateSecret', sealedSecret: sealedSecret ?? refuseForgotten() };
    },
  });
  return { status: 200, body: await showSecret(keys, loaded, clock.now()), headers };
});
