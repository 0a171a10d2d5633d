import { Env, requireEnv } from '@orderly/kit/aws';
import { consumer, on } from '@orderly/kit/idempotent-consumer';
import { opened } from '../contract.js';

// Commits with the record that the message was processed. Without it, each further delivery would count again.
const countOne = {
  Update: {
    TableName: requireEnv(Env.TABLE),
    Key: { pk: 'Count#opened', sk: 'STATE' },
    UpdateExpression: 'ADD tickets :one',
    ExpressionAttributeValues: { ':one': 1 },
  },
};
export const handler = consumer([on(opened, { TicketOpened: () => ({ decide: async () => [countOne] }) })]);
