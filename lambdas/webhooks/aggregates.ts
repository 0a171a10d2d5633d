import type { StoreOf } from '@orderly/kit/event-store';
import { webhooksContract } from './contract.js';
import { deliveryContract } from './delivery-contract.js';
import { deliveryDecider, feedDecider } from './delivery-rules.js';
import { webhookDecider } from './domain/webhook.js';
import { feedContract } from './feed-contract.js';
import { WEBHOOK, WEBHOOK_DELIVERY, WEBHOOK_FEED } from './keys.js';

export const webhooks = { aggregate: WEBHOOK, contract: webhooksContract, decider: webhookDecider };
export type WebhookStore = StoreOf<typeof webhooks>;

export const deliveries = { aggregate: WEBHOOK_DELIVERY, contract: deliveryContract, decider: deliveryDecider };
export type DeliveryStore = StoreOf<typeof deliveries>;

export const feeds = { aggregate: WEBHOOK_FEED, contract: feedContract, decider: feedDecider };
export type FeedStore = StoreOf<typeof feeds>;
