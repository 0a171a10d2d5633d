import { tableFromEnvironment } from '@orderly/kit/aws';
import { eventStoreFromEnvironment } from '@orderly/kit/event-store';
import { consumer } from '@orderly/kit/idempotent-consumer';
import { erasureFromEnvironment } from '@orderly/kit/personal-data';
import { webhooks } from './aggregates.js';
import { onUserEvent } from './on-user-event.js';

/** Ends the webhooks of a forgotten customer, as the operator's `person forget` does. */
export const handler = consumer([
  onUserEvent({
    table: tableFromEnvironment(),
    webhooks: eventStoreFromEnvironment(webhooks),
    erasure: erasureFromEnvironment(),
  }),
]);
