import type { EventOf } from '@orderly/kit/messages';
import { Due } from './delivery-contract.js';

/**
 * Deliveries of one order to one webhook, in their order; `subject` is `WebhookFeed/<webhookId>.<orderId>`. Each event takes a place in
 * the sequence, so they have a contract and an aggregate of their own.
 */
export const feedContract = {
  service: 'webhooks',
  events: {
    /** An event is to be sent to a webhook that asked for the order of events, behind the one before it. */
    OrderedDeliveryDue: { version: 1, data: Due },
  },
} as const;
export type FeedEvent = EventOf<typeof feedContract>;
