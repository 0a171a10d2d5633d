import * as z from 'zod/mini';

const ordersContract = {
  service: 'orders',
  events: { OrderEnded: { version: 1, data: z.object({ orderId: z.string(), gross: z.int() }) } },
} as const;

// The example of the pattern's README, word for word from here on.

import { Env, requireEnv } from '@orderly/kit/aws';
import { batchInbox, collect, dailyWindows } from '@orderly/kit/inbox';
import { subscribe } from '@orderly/kit/messages';

export const orderEnds = subscribe(ordersContract, ['OrderEnded']);

const changed = (day: string, UpdateExpression: string, values: Readonly<Record<string, number>>) => ({
  Update: {
    TableName: requireEnv(Env.TABLE),
    Key: { pk: `Report#${day}`, sk: 'STATE' },
    UpdateExpression,
    ExpressionAttributeValues: values,
  },
});

export const handler = batchInbox([collect(orderEnds)], {
  windows: dailyWindows('Europe/Berlin'),
  page: ({ messages }, { id }) => ({
    decide: async () => {
      const gross = messages.reduce((sum, { event }) => sum + event.data.gross, 0);
      const late = messages.filter(({ lateFrom }) => lateFrom !== undefined).length;
      return [changed(id, 'ADD gross :gross, late :late', { ':gross': gross, ':late': late })];
    },
  }),
  close: ({ id, number }) => ({ decide: async () => [changed(id, 'SET report = :number', { ':number': number })] }),
});
