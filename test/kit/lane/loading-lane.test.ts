import { GetCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { documentClient, type Item } from '../../../packages/kit/aws/dynamodb.js';
import type { Delivery } from '../../../packages/kit/failures/delivery.js';
import { recordKey } from '../../../packages/kit/failures/failure-records.js';
import { decideJointly } from '../../../packages/kit/idempotent-consumer/joint-decision.js';
import type { LaneEntrance } from '../../../packages/kit/idempotent-consumer/lane-entrance.js';
import { MessageLog } from '../../../packages/kit/idempotent-consumer/message-log.js';
import { on } from '../../../packages/kit/idempotent-consumer/message-source.js';
import { type Decide, ProcessedRecords, processOnce } from '../../../packages/kit/idempotent-consumer/process-once.js';
import { Contended } from '../../../packages/kit/lane/entrance.js';
import { createJointLane } from '../../../packages/kit/lane/lane.js';
import { buildRequestItem, readRequest } from '../../../packages/kit/lane/request-item.js';
import { decideRound } from '../../../packages/kit/lane/round.js';
import type { Envelope } from '../../../packages/kit/messages/envelope.js';
import { commandsTo, subscribe } from '../../../packages/kit/messages/subscriptions.js';
import { functionEnvironment } from '../../support/function-environment.js';
import { type Call, inProcessDynamoDb } from '../../support/in-process-dynamodb.js';

/** A jar that several consumers put coins into. It has a version, so each decision loads it. */
const Coin = z.object({ jar: z.string(), coin: z.string() });
const jars = { service: 'jars', contends: 'jar', events: {}, commands: { Put: { version: 1, data: Coin } } } as const;
const mints = {
  service: 'mints',
  events: { Minted: { version: 1, data: Coin }, Melted: { version: 1, data: Coin } },
} as const;

let poisonOf: ((coin: string) => void) | undefined;
/** Happens once, between the load of a decision and its transaction. */
let rival: (() => Promise<unknown>) | undefined;
const keyOf = (jar: string) => ({ pk: `Jar#${jar}`, sk: 'STATE' });

async function putAll(requests: readonly z.infer<typeof Coin>[]) {
  const Key = keyOf(requests[0]?.jar ?? '');
  const { Item: stored } = await documentClient.send(new GetCommand({ TableName: 'table', Key, ConsistentRead: true }));
  for (const { coin } of requests) poisonOf?.(coin);
  await rival?.();
  rival = undefined;
  const {
    version = 0,
    coins = [],
    changedAt,
  } = (stored ?? {}) as { version?: number; coins?: string[]; changedAt?: string };
  const Item = {
    ...Key,
    version: version + requests.length,
    coins: [...coins, ...requests.map(({ coin }) => coin)],
    changedAt: new Date().toISOString(),
  };
  const isAsRead = stored
    ? { ConditionExpression: 'version = :version', ExpressionAttributeValues: { ':version': version } }
    : { ConditionExpression: 'attribute_not_exists(pk)' };
  return {
    effects: requests.map((_, at) =>
      at === requests.length - 1 ? [{ Put: { TableName: 'table', Item, ...isAsRead } }] : [],
    ),
    ...(changedAt === undefined ? {} : { changedAt }),
  };
}

const sources = [
  on(commandsTo(jars, { from: [mints] }), { Put: ({ event }) => decideJointly(putAll, event.data) }),
  on(subscribe(mints, ['Minted', 'Melted'], { contends: 'jar' }), {
    Minted: ({ event }) => decideJointly(putAll, event.data),
    Melted: () => ({ decide: async () => [] }),
  }),
];
const lane = createJointLane(sources);

const messageOf = (coin: string, type = 'Put', jar = 'a'): Envelope => ({
  id: `message-${coin}`,
  source: 'orderly.mints',
  ...(type === 'Put' ? { to: 'jars' } : {}),
  type,
  subject: `Coin/${coin}`,
  time: new Date().toISOString(),
  dataschema: `urn:orderly:${type === 'Put' ? 'jars' : 'mints'}:${type}:1`,
  data: { jar, coin },
  sequence: 1,
  epoch: 0,
  correlationid: 'c',
  causationid: 'c',
  traceparent: 't',
  actor: 'service:mints',
});
const COMMANDS = { name: 'jars-commands', generation: 0 };
const EVENTS = { name: 'jars-events', generation: 0 };
const requestOf = (coin: string, type = 'Put') => {
  const times = { now: new Date().toISOString(), windowSeconds: 1 };
  const owner = type === 'Put' ? COMMANDS : EVENTS;
  return readRequest(buildRequestItem(owner, { lane: 'jars', key: 'a' }, messageOf(coin, type), times));
};
const settings = { lane, records: 'records', windowSeconds: 86_400, service: 'jars' };
const decide = (...coins: readonly string[]) =>
  decideRound(
    coins.map((coin) => requestOf(coin)),
    settings,
  );
const names = (requests: readonly { readonly message: Envelope }[]) =>
  requests.map(({ message }) => message.id.slice('message-'.length));

let calls: Call[];
beforeEach(() => {
  poisonOf = undefined;
  rival = undefined;
  ({ calls } = inProcessDynamoDb({ table: ['pk', 'sk'], records: ['pk'] }));
});

const itemsOf = async (TableName: string): Promise<readonly Item[]> =>
  (await documentClient.send(new ScanCommand({ TableName }))).Items ?? [];
const coinsIn = async (jar = 'a') => (await itemsOf('table')).find(({ pk }) => pk === `Jar#${jar}`)?.coins;
const put = (coins: readonly string[], version: number, changedAt = '2026-01-01T00:00:00.000Z') =>
  documentClient.send(new PutCommand({ TableName: 'table', Item: { ...keyOf('a'), coins, version, changedAt } }));

describe('a lane that loads', () => {
  test('decides messages of several consumers by one load and one transaction, each with its own record', async () => {
    const { decided } = await decideRound([requestOf('one'), requestOf('two', 'Minted')], settings);
    expect(names(decided)).toEqual(['one', 'two']);
    expect(calls.map(({ operation }) => operation)).toEqual(['GetItem', 'TransactWriteItems']);
    expect(await coinsIn()).toEqual(['one', 'two']);
    expect((await itemsOf('records')).map(({ pk }) => pk).toSorted()).toEqual([
      recordKey(COMMANDS, 'orderly.mints:message-one'),
      recordKey(EVENTS, 'orderly.mints:message-two'),
    ]);
  });

  test('loads again after a lost race, and returns nothing for it', async () => {
    rival = () => put(['rival'], 1);
    const { decided, alone } = await decide('one', 'two');
    expect([names(decided), names(alone)]).toEqual([['one', 'two'], []]);
    expect(await coinsIn()).toEqual(['rival', 'one', 'two']);
  });

  test('decides each message once, however often it comes', async () => {
    await decide('one');
    const again = await decide('one', 'two');
    expect([names(again.decided), names(again.duplicates)]).toEqual([['two'], ['one']]);
    expect(await coinsIn()).toEqual(['one', 'two']);
  });

  test('returns the message whose decision throws, and decides the others', async () => {
    poisonOf = (coin) => {
      if (coin === 'false') throw new Error('a decision that throws');
    };
    const { decided, alone } = await decide('one', 'false', 'two');
    expect([names(decided), names(alone)]).toEqual([['one', 'two'], ['false']]);
    expect(await coinsIn()).toEqual(['one', 'two']);
  });

  test('leaves all messages in the stream when a call fails', async () => {
    poisonOf = () => {
      throw Object.assign(new Error('throttled'), { $metadata: { attempts: 3 } });
    };
    await expect(decide('one', 'two')).rejects.toThrow('throttled');
    expect(await itemsOf('records')).toEqual([]);
  });

  test('a lane decides messages together by the key that their contract or subscription names', () => {
    const key = (type: string) => lane.keyOf(messageOf('one', type), { type, data: {} });
    expect(key('Put')).toBe('a');
    expect(key('Minted')).toBe('a');
    expect(key('Melted')).toBeUndefined();
  });
});

describe('the entrance of a lane that loads', () => {
  let createLaneEntrance: typeof import('../../../packages/kit/lane/entrance.js').createLaneEntrance;
  beforeAll(async () => {
    functionEnvironment({ CONSUMER: COMMANDS.name, CONSUMER_GENERATION: '0' });
    ({ createLaneEntrance } = await import('../../../packages/kit/lane/entrance.js'));
  });
  const entrance = (hotKeys: readonly string[] = [], conflictsPerSecond = 4): LaneEntrance => {
    process.env.LANE_HOT_KEYS = JSON.stringify(hotKeys);
    process.env.LANE_CONFLICTS_PER_SECOND = String(conflictsPerSecond);
    return createLaneEntrance(lane)({ sources, commanders: ['mints'], log: new MessageLog(COMMANDS.name, sources) });
  };
  const deliveryOf = (message: Envelope) =>
    ({ record: { messageId: message.id }, attempts: 1, message, returned: false, replayed: false }) as Delivery;
  const hot = async (at: LaneEntrance, ...keys: readonly string[]) =>
    [...(await at.storeHot(keys.map((key, number) => deliveryOf(messageOf(`${number}`, 'Put', key)))))].map(
      ({ message }) => ((message as Envelope).data as z.infer<typeof Coin>).jar,
    );
  /** Processes a message as the consumer does that has this entrance. */
  const process1 = (at: LaneEntrance, coin: string) => {
    const message = messageOf(coin);
    const [source] = at.sourcesFor(deliveryOf(message));
    const { event, handle } = source?.read(message) ?? {};
    const handling = handle?.({ envelope: message, event: event ?? { type: '', data: {} }, trace: {} as never });
    const records = new ProcessedRecords('records', COMMANDS, 86_400);
    return processOnce(message, (handling as { readonly decide: Decide }).decide, records);
  };

  test('takes keys that the settings name, and keys that several messages of a batch share', async () => {
    expect(await hot(entrance(['a']), 'a', 'b')).toEqual(['a']);
    expect(await hot(entrance(), 'a', 'b', 'a')).toEqual(['a', 'a']);
    expect(await hot(entrance([], 2_000), 'a', 'b', 'a')).toEqual([]);
  });

  test('takes a message whose key was changed a moment ago, before its transaction', async () => {
    await put(['old'], 1);
    expect(await process1(entrance(), 'one')).toBe('applied');
    calls.length = 0;
    await expect(process1(entrance(), 'two')).rejects.toThrow(Contended);
    expect(calls.map(({ operation }) => operation)).not.toContain('TransactWriteItems');
    expect(await process1(entrance([], 2_000), 'two')).toBe('applied');
  });

  test('takes a message that has lost a race', async () => {
    rival = () => put(['rival'], 1);
    await expect(process1(entrance(), 'one')).rejects.toThrow(Contended);
    expect(await coinsIn()).toEqual(['rival']);
    rival = () => put(['rival', 'again'], 2);
    expect(await process1(entrance([], 2_000), 'one')).toBe('applied');
  });
});
