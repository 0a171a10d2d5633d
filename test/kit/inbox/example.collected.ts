import { carrier } from './carrier.js';
import { packingBegan } from './example.collecting.js';

// The example of the pattern's README, word for word from here on.

import { Env, requireEnv } from '@orderly/kit/aws';
import { inbox, on } from '@orderly/kit/inbox';

/** Lets the carrier print an order's label, and writes the packing list. */
export const handler = inbox([
  on(packingBegan, {
    PackingBegan: async ({ event: { data } }, work) => {
      const { orderId } = data;
      // An attempt that failed may have had its effect there. The next one has the same key, so it gets the same label.
      const label = await carrier.print(orderId, { key: work.idempotencyKey('label'), signal: work.signal });
      const list = {
        TableName: requireEnv(Env.TABLE),
        Key: { pk: `PackingList#${orderId}`, sk: 'STATE' },
        UpdateExpression: 'SET packing = :packing, label = :label ADD times :one',
        ExpressionAttributeValues: { ':packing': data, ':label': label, ':one': 1 },
      };
      return { decide: async () => [{ Update: list }] };
    },
  }),
]);
