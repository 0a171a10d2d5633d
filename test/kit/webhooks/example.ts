import * as z from 'zod/mini';

const parcelsContract = {
  service: 'parcels',
  events: { ParcelArrived: { version: 1, data: z.object({ parcelId: z.string(), at: z.string() }) } },
} as const;
interface Receiver {
  readonly url: string;
  readonly secrets: readonly string[];
  /** Time before which the receiver wants no further attempt. */
  readonly notBefore?: string;
}
declare const receivers: {
  read(parcelId: string): Promise<Receiver>;
  saveAttempt(parcelId: string, attempt: { readonly status?: number; readonly notBefore?: string }): Promise<void>;
  ended(parcelId: string, end: string): { readonly Put: { readonly TableName: string; readonly Item: object } };
};

// The rest of this file is the example of packages/kit/webhooks/README.md, word for word from here on.
import { clock } from '@orderly/kit/aws';
import { inbox, on } from '@orderly/kit/inbox';
import { subscribe } from '@orderly/kit/messages';
import { createWebhookSender, decideNext, NotDelivered, NotYet } from '@orderly/kit/webhooks';

export const arrivals = subscribe(parcelsContract, ['ParcelArrived']);
const send = createWebhookSender('Parcels/1.0');

export const handler = inbox([
  on(arrivals, {
    ParcelArrived: async ({ event: { data }, envelope }) => {
      const { url, secrets, notBefore = '' } = await receivers.read(data.parcelId);
      // The receiver has asked for a pause, which is longer than that of the inbox.
      if (notBefore > clock.now()) throw new NotYet();
      const result = await send({ id: envelope.id, url, secrets, body: JSON.stringify(data) });
      const step = decideNext(result, envelope.time);
      if (step.next === 'retry') {
        await receivers.saveAttempt(data.parcelId, { ...result, ...step });
        throw new NotDelivered(result);
      }
      return { decide: async () => [receivers.ended(data.parcelId, step.next)] };
    },
  }),
]);
