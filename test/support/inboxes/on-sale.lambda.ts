import type { TransactWriteItem } from '../../../packages/kit/aws/dynamodb.js';
import { Env } from '../../../packages/kit/aws/environment.js';
import { requireEnv } from '../../../packages/kit/aws/read-environment.js';
import { collect } from '../../../packages/kit/inbox/batch-source.js';
import { batchInbox } from '../../../packages/kit/inbox/inbox.js';
import { sales, TENS } from './contract.js';

/** Counts each sale, and the sales of each window. Nothing but the inbox guards these counts. */
export const handler = batchInbox([collect(sales)], {
  windows: TENS,
  page: ({ messages }, { id }, work) => {
    if (messages.some(({ event }) => event.data.name.startsWith('flaky')) && work.attempt < 2) {
      throw new Error('not today');
    }
    const late = messages.filter(({ lateFrom }) => lateFrom !== undefined).length;
    return {
      decide: async () => [
        report(id, 'ADD sales :sales, late :late', { ':sales': messages.length, ':late': late }),
        ...messages.map(({ event }) => updated(`Sale#${event.data.name}`, 'ADD times :one', { ':one': 1 })),
      ],
    };
  },
  close: ({ id, number, size }) => ({
    decide: async () => [
      report(id, 'SET place = :place, members = :size ADD closed :one', { ':place': number, ':size': size, ':one': 1 }),
    ],
  }),
});

const report = (window: string, expression: string, values: Readonly<Record<string, number>>) =>
  updated(`Report#${window}`, expression, values);

const updated = (
  pk: string,
  UpdateExpression: string,
  values: Readonly<Record<string, number>>,
): TransactWriteItem => ({
  Update: {
    TableName: requireEnv(Env.TABLE),
    Key: { pk, sk: 'STATE' },
    UpdateExpression,
    ExpressionAttributeValues: values,
  },
});
