import type { EventOf } from '@orderly/kit/messages';
import { Due } from './delivery-contract.js';

/**
 * Deliveries of one order to one webhook, in their order; `subject` is `WebhookFeed/<webhookId>.<orderId>`. Each event takes a place in
 * the sequence, so they have a contract and an aggregate of their own.
 */
export const feedContract = {
  service: 'webhooks',
  events: { OrderedDeliveryDue: { version: 1, data: Due } },
} as const;
export type FeedEvent = EventOf<typeof feedContract>;
