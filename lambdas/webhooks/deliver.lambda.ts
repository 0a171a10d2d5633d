import { tableFromEnvironment } from '@orderly/kit/aws';
import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { inbox, on } from '@orderly/kit/inbox';
import { personalKeysFromEnvironment } from '@orderly/kit/personal-data';
import { createWebhookSender } from '@orderly/kit/webhooks';
import { webhooks } from './aggregates.js';
import { createDeliver } from './deliver.js';
import { USER_AGENT } from './environment.js';
import { dueDeliveries } from './subscriptions.js';

/** Sends deliveries, each alone. */
export const handler = inbox([
  on(dueDeliveries, {
    DeliveryDue: createDeliver({
      table: tableFromEnvironment(),
      webhooks: eventStoreFromEnvironment(webhooks),
      keys: personalKeysFromEnvironment(),
      send: createWebhookSender(USER_AGENT),
    }),
  }),
]);
