import type { Context, SQSRecord } from 'aws-lambda';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { on } from '../../../packages/kit/idempotent-consumer/message-source.js';
import { commandsTo, subscribe } from '../../../packages/kit/messages/subscriptions.js';
import { functionEnvironment } from '../../support/function-environment.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';

/** Messages of one batch that contend for one key are processed one after the other, and others in parallel. */

const Coin = z.object({ jar: z.string(), coin: z.string() });
const jars = { service: 'jars', contends: 'jar', events: {}, commands: { Put: { version: 1, data: Coin } } } as const;
const mints = { service: 'mints', events: { Minted: { version: 1, data: Coin } } } as const;

let consumer: typeof import('../../../packages/kit/idempotent-consumer/consumer.js').consumer;
beforeAll(async () => {
  functionEnvironment({
    SERVICE: 'jars',
    CONSUMER: 'jars-commands',
    CONSUMER_GENERATION: '0',
    COMMANDERS: '["mints"]',
    MAX_ATTEMPTS: '5',
    QUEUE_URL: 'http://queue.test',
    AWS_REGION: 'eu-west-1',
  });
  ({ consumer } = await import('../../../packages/kit/idempotent-consumer/consumer.js'));
});
let atOnce: Map<string, { now: number; most: number }>;
beforeEach(() => {
  atOnce = new Map([['all', { now: 0, most: 0 }]]);
  inProcessDynamoDb({ table: ['pk', 'sk'], records: ['pk'] });
});

const busy = ({ jar }: { readonly jar: string }) => ({
  decide: async () => {
    const counts = ['all', jar].map((name) => atOnce.get(name) ?? { now: 0, most: 0 });
    atOnce.set(jar, counts[1] ?? { now: 0, most: 0 });
    for (const count of counts) count.most = Math.max(count.most, ++count.now);
    await new Promise(setImmediate);
    for (const count of counts) count.now--;
    return [];
  },
});

const recordOf = (coin: string, jar: string, type = 'Put'): SQSRecord => {
  const isCommand = type === 'Put';
  const detail = {
    id: `message-${coin}`,
    source: 'orderly.mints',
    ...(isCommand ? { to: 'jars' } : {}),
    type,
    subject: `Coin/${coin}`,
    time: new Date().toISOString(),
    dataschema: `urn:orderly:${isCommand ? 'jars' : 'mints'}:${type}:1`,
    data: { jar, coin },
    sequence: 1,
    epoch: 0,
    correlationid: 'c',
    causationid: 'c',
    traceparent: 't',
    actor: 'service:mints',
  };
  return {
    messageId: coin,
    receiptHandle: coin,
    body: JSON.stringify({ source: detail.source, 'detail-type': type, detail }),
    attributes: { ApproximateReceiveCount: '1' },
    messageAttributes: {},
  } as unknown as SQSRecord;
};
const batchWithin = (milliseconds: number, ...Records: readonly SQSRecord[]) => {
  const handler = consumer([
    on(commandsTo(jars, { from: [mints] }), { Put: ({ event }) => busy(event.data) }),
    on(subscribe(mints, ['Minted'], { contends: 'jar' }), { Minted: ({ event }) => busy(event.data) }),
  ]);
  return handler({ Records: [...Records] }, { getRemainingTimeInMillis: () => milliseconds } as Context);
};
const batch = (...Records: readonly SQSRecord[]) => batchWithin(30_000, ...Records);

test('messages contend by the field that their contract or subscription names, whatever their subjects are', async () => {
  const records = [recordOf('1', 'a'), recordOf('2', 'a', 'Minted'), recordOf('3', 'b'), recordOf('4', 'a')];
  expect(await batch(...records)).toEqual({ batchItemFailures: [] });
  expect(atOnce.get('a')?.most).toBe(1);
  expect(atOnce.get('all')?.most).toBe(2);
});

test('no message is started shortly before the timeout', async () => {
  const { batchItemFailures } = await batchWithin(1_000, recordOf('7', 'a'), recordOf('8', 'b'));
  expect(batchItemFailures).toHaveLength(2);
  expect(atOnce.get('all')?.most).toBe(0);
});
