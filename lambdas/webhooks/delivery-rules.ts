import type { Decider } from '@orderly/kit/decider';
import type { DeliveryEvent, Due } from './delivery-contract.js';
import type { FeedEvent } from './feed-contract.js';

/** A delivery is sent, or sent again. */
export interface Send extends Due {
  readonly type: 'Send';
}

/** A delivery, or the deliveries of an order: its events say all that is known. */
export type Sent = { readonly times: number };

const counted = {
  initialState: { times: 0 },
  evolve: ({ times }: Sent): Sent => ({ times: times + 1 }),
  stateSchema: 1,
};

/** Rules of one delivery: it is due each time that somebody asks for it. */
export const deliveryDecider: Decider<Sent, Send, DeliveryEvent> = {
  ...counted,
  decide: (_, { webhookId, deliveryId }) => [{ type: 'DeliveryDue', data: { webhookId, deliveryId } }],
};

/** Rules of the deliveries of one order to one webhook. */
export const feedDecider: Decider<Sent, Send, FeedEvent> = {
  ...counted,
  decide: (_, { webhookId, deliveryId }) => [{ type: 'OrderedDeliveryDue', data: { webhookId, deliveryId } }],
};
