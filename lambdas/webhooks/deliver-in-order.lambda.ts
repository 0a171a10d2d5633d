import { tableFromEnvironment } from '@orderly/kit/aws';
import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { inbox, on } from '@orderly/kit/inbox';
import { personalKeysFromEnvironment } from '@orderly/kit/personal-data';
import { createWebhookSender } from '@orderly/kit/webhooks';
import { webhooks } from './aggregates.js';
import { createDeliver } from './deliver.js';
import { USER_AGENT } from './environment.js';
import { orderedDeliveries } from './subscriptions.js';

/** Sends the deliveries of each order to a webhook in the order of its events. */
export const handler = inbox([
  on(orderedDeliveries, {
    OrderedDeliveryDue: createDeliver({
      table: tableFromEnvironment(),
      webhooks: eventStoreFromEnvironment(webhooks),
      keys: personalKeysFromEnvironment(),
      send: createWebhookSender(USER_AGENT),
    }),
  }),
]);
