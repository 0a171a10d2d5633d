import { packingBegan } from './example.collecting.js';

// The example of the pattern's README, word for word from here on.

import { Env, required } from '@orderly/kit/aws';
import { inbox, on } from '@orderly/kit/inbox';

/** Writes the packing list of an order. Slow work, and calls to other systems, belong here. */
export const handler = inbox([
  on(packingBegan, {
    PackingBegan: ({ event: { data } }) => ({
      decide: async () => [
        {
          Update: {
            TableName: required(Env.TABLE),
            Key: { pk: `PackingList#${data.orderId}`, sk: 'STATE' },
            UpdateExpression: 'SET packing = :packing ADD times :one',
            ExpressionAttributeValues: { ':packing': data, ':one': 1 },
          },
        },
      ],
    }),
  }),
]);
