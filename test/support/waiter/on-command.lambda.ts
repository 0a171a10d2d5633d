import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { documentClient, type TransactWriteItem } from '../../../packages/kit/aws/dynamodb.js';
import { Env } from '../../../packages/kit/aws/environment.js';
import { requireEnv, requireIntegerEnv } from '../../../packages/kit/aws/read-environment.js';
import { consumer } from '../../../packages/kit/idempotent-consumer/consumer.js';
import { on } from '../../../packages/kit/idempotent-consumer/message-source.js';
import { Timers } from '../../../packages/kit/timers/timers.js';
import { waiterCommands, waiterContract, waitId } from './contract.js';

const TableName = requireEnv(Env.TABLE);
const timers = new Timers({
  app: requireEnv(Env.APP),
  table: requireEnv(Env.RECORDS),
  consumer: { name: requireEnv(Env.CONSUMER), generation: requireIntegerEnv(Env.CONSUMER_GENERATION) },
  contract: waiterContract,
});

/** Messages that a waiter refuses for ever. */
class Refused extends Error {}

export const handler = consumer(
  [
    on(waiterCommands, {
      Begin: ({ event: { data }, trace }) => ({
        decide: async () => {
          const timer = { type: 'WaitIsOver', data: { name: data.name } } as const;
          const subject = `Waiter/${data.name}`;
          return [
            change(data.name, 'WAITING', 'attribute_not_exists(pk)'),
            timers.set({ ...timer, id: waitId(data.name), subject, executeAt: data.until, trace }),
          ];
        },
      }),
      Stop: ({ event: { data } }) => ({
        decide: async () => {
          if ((await readState(data.name)) !== 'WAITING') return [];
          return [change(data.name, 'STOPPED', 'waits = :waiting'), timers.clear(waitId(data.name))];
        },
      }),
      WaitIsOver: ({ event: { data } }) => ({
        decide: async () => {
          if (data.name.startsWith('broken')) throw new Error('not today');
          if ((await readState(data.name)) === undefined) throw new Refused('nobody');
          // Whether somebody still waits isn't asked, so that nothing but the timer's record guards this effect. It may clear
          // what it handles.
          return [change(data.name, 'OVER', 'attribute_exists(pk)'), timers.clear(waitId(data.name))];
        },
      }),
    }),
  ],
  { isRefusal: (error) => error instanceof Refused },
);

async function readState(name: string): Promise<unknown> {
  const { Item } = await documentClient.send(new GetCommand({ TableName, Key: keyOf(name), ConsistentRead: true }));
  return Item?.waits;
}

function change(name: string, to: string, condition: string): TransactWriteItem {
  const values = { ':to': to, ':one': 1, ...(condition.includes(':waiting') ? { ':waiting': 'WAITING' } : {}) };
  return {
    Update: {
      TableName,
      Key: keyOf(name),
      UpdateExpression: 'SET waits = :to ADD times :one',
      ConditionExpression: condition,
      ExpressionAttributeValues: values,
    },
  };
}

const keyOf = (name: string) => ({ pk: `Waiter#${name}`, sk: 'STATE' });
