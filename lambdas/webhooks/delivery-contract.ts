import type { EventOf } from '@orderly/kit/messages';
import * as z from 'zod/mini';

/** A delivery that is due. What is sent stands in its row (`delivery-rows.ts`). */
export const Due = z.object({ webhookId: z.string(), deliveryId: z.string() });
export type Due = z.infer<typeof Due>;

/**
 * Deliveries in any order, and those that somebody sends again; `subject` is `WebhookDelivery/<deliveryId>`. Only the service itself
 * subscribes to them.
 */
export const deliveryContract = {
  service: 'webhooks',
  events: {
    /** An event is to be sent to a webhook, or to be sent again. */
    DeliveryDue: { version: 1, data: Due },
  },
} as const;
export type DeliveryEvent = EventOf<typeof deliveryContract>;
