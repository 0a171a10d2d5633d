import { ticketsContract } from '../outbox/example.js';

// The example of the pattern's README, word for word from here on.

import { Env, requireEnv } from '@orderly/kit/aws';
import { consumer, on } from '@orderly/kit/idempotent-consumer';
import { subscribe } from '@orderly/kit/messages';

/** `lambdas/desk/subscriptions.ts`: the handler's types and the bus rule follow from it. */
export const openedTickets = subscribe(ticketsContract, ['TicketOpened']);

/** `lambdas/desk/on-ticket.lambda.ts`: counts the open tickets of the desk. */
export const handler = consumer([
  on(openedTickets, {
    TicketOpened: () => ({
      // Without the record that commits with it, this count would rise with each delivery.
      decide: async () => [
        {
          Update: {
            TableName: requireEnv(Env.TABLE),
            Key: { pk: 'Desk#1', sk: 'STATE' },
            UpdateExpression: 'ADD openTickets :one',
            ExpressionAttributeValues: { ':one': 1 },
          },
        },
      ],
    }),
  }),
]);
