import { PutCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { documentClient, type Item } from '../../../packages/kit/aws/dynamodb.js';
import { recordKey } from '../../../packages/kit/failures/failure-records.js';
import { createLane } from '../../../packages/kit/lane/lane.js';
import { buildRequestItem, readRequest } from '../../../packages/kit/lane/request-item.js';
import { decideRound } from '../../../packages/kit/lane/round.js';
import type { Envelope } from '../../../packages/kit/messages/envelope.js';
import { commandsTo } from '../../../packages/kit/messages/subscriptions.js';
import { type Call, inProcessDynamoDb } from '../../support/in-process-dynamodb.js';

/** Visitors of a show: nothing but the lane's own guards keep a visitor from being let in twice. */
const Visit = z.object({ showId: z.string(), visitor: z.string() });
const contract = { service: 'door', events: {}, commands: { LetIn: { version: 1, data: Visit } } } as const;
const CONSUMER = { name: 'door', generation: 0 };
const SEATS = 3;

let poisonOf: ((visitor: string) => void) | undefined;
const doorLane = createLane(commandsTo(contract, { from: [{ service: 'shop', events: {} }] }), 'LetIn', {
  keyOf: ({ showId }) => showId,
  decide: (requests, refused) => {
    for (const { command } of requests) poisonOf?.(command.data.visitor);
    const free = refused ? SEATS - Number(refused.found?.taken ?? 0) : SEATS;
    const letIn = requests.map((_, at) => at < free);
    const taken = letIn.filter(Boolean).length;
    return {
      ...(taken > 0 ? { shared: take(taken) } : {}),
      effects: requests.map(({ command: { data } }, at) => [visit(data.visitor, letIn[at] ? 'IN' : 'FULL')]),
    };
  },
});

const take = (seats: number) => ({
  Update: {
    TableName: 'table',
    Key: { pk: 'Show#1', sk: 'STATE' },
    UpdateExpression: 'ADD taken :seats',
    ConditionExpression: 'attribute_not_exists(taken) OR taken <= :most',
    ExpressionAttributeValues: { ':seats': seats, ':most': SEATS - seats },
  },
});

/**
 * An effect that happens as often as it is written. The visitor `known` is refused by a condition of its own, and DynamoDB
 * does not accept the visitor `unkeyed`.
 */
const visit = (visitor: string, how: string) => ({
  Update: {
    TableName: 'table',
    Key: { pk: visitor === 'unkeyed' ? '' : `Visitor#${visitor}`, sk: 'STATE' },
    UpdateExpression: 'SET how = :how ADD visits :one',
    ...(visitor === 'known' ? { ConditionExpression: 'attribute_exists(pk)' } : {}),
    ExpressionAttributeValues: { ':how': how, ':one': 1 },
  },
});

const messageOf = (visitor: string): Envelope => ({
  id: `message-${visitor}`,
  source: 'orderly.shop',
  to: 'door',
  type: 'LetIn',
  subject: `Visitor/${visitor}`,
  time: new Date().toISOString(),
  dataschema: 'urn:orderly:door:LetIn:1',
  data: { showId: '1', visitor },
  sequence: 1,
  epoch: 0,
  correlationid: 'c',
  causationid: 'c',
  traceparent: 't',
  actor: 'service:shop',
});
const requestOf = (visitor: string) =>
  readRequest(
    buildRequestItem(CONSUMER, { lane: 'door', key: '1' }, messageOf(visitor), {
      now: new Date().toISOString(),
      windowSeconds: 1,
    }),
  );
const settings = { lane: doorLane, records: 'records', windowSeconds: 86_400, service: 'door' };
const decide = (...visitors: readonly string[]) => decideRound(visitors.map(requestOf), settings);
const names = (requests: readonly { readonly message: Envelope }[]) =>
  requests.map(({ message }) => message.id.slice('message-'.length));

let calls: Call[];
beforeEach(() => {
  poisonOf = undefined;
  ({ calls } = inProcessDynamoDb({ table: ['pk', 'sk'], records: ['pk'] }));
});

async function itemsOf(TableName: string): Promise<readonly Item[]> {
  const { Items = [] } = await documentClient.send(new ScanCommand({ TableName }));
  return Items;
}
async function visitors(): Promise<Readonly<Record<string, unknown>>> {
  const rows = (await itemsOf('table')).filter(({ pk }) => String(pk).startsWith('Visitor#'));
  return Object.fromEntries(
    rows.map(({ pk, how, visits }) => [String(pk).slice('Visitor#'.length), `${how} ${visits}`]),
  );
}
const taken = async () => (await itemsOf('table')).find(({ pk }) => pk === 'Show#1')?.taken;
const recorded = async () => (await itemsOf('records')).map(({ pk, status }) => `${pk} ${status}`).toSorted();

test('a request is kept for the window in force at the time of its message', () => {
  const changed = Date.parse(messageOf('ann').time) / 1000;
  const windowSeconds = [
    { from: '1970-01-01T00:00:00.000Z', seconds: 100 },
    { from: new Date(changed * 1000).toISOString(), seconds: 200 },
  ];
  const item = buildRequestItem(CONSUMER, { lane: 'door', key: '1' }, messageOf('ann'), {
    now: new Date().toISOString(),
    windowSeconds,
  });
  expect(item.expiresAt).toBe(Math.ceil(changed) + 200);
});

describe('a round', () => {
  test('decides for all of its requests in one transaction, without a read', async () => {
    const { decided } = await decide('ann', 'bob', 'cid');
    expect(names(decided)).toEqual(['ann', 'bob', 'cid']);
    expect(calls.map(({ operation }) => operation)).toEqual(['TransactWriteItems']);
    expect(await visitors()).toEqual({ ann: 'IN 1', bob: 'IN 1', cid: 'IN 1' });
    expect(await taken()).toBe(3);
    expect(await recorded()).toEqual(
      ['ann', 'bob', 'cid'].map((one) => `${recordKey(CONSUMER, `orderly.shop:message-${one}`)} PROCESSED`),
    );
  });

  test('decides again with the shared item as the refusal shows it', async () => {
    await documentClient.send(new PutCommand({ TableName: 'table', Item: { pk: 'Show#1', sk: 'STATE', taken: 2 } }));
    await decide('ann', 'bob', 'cid');
    expect(await visitors()).toEqual({ ann: 'IN 1', bob: 'FULL 1', cid: 'FULL 1' });
    expect(await taken()).toBe(3);
  });

  test('decides each request once, however often it comes', async () => {
    await decide('ann', 'bob');
    const again = await decide('ann', 'bob', 'cid');
    expect([names(again.decided), names(again.duplicates)]).toEqual([['cid'], ['ann', 'bob']]);
    expect(await visitors()).toEqual({ ann: 'IN 1', bob: 'IN 1', cid: 'IN 1' });
    expect(await taken()).toBe(3);
  });

  test('leaves a message alone that was recorded as failed', async () => {
    const failed = { pk: recordKey(CONSUMER, 'orderly.shop:message-ann'), status: 'FAILED' };
    await documentClient.send(new PutCommand({ TableName: 'records', Item: failed }));
    expect(names((await decide('ann', 'bob')).duplicates)).toEqual(['ann']);
    expect(await visitors()).toEqual({ bob: 'IN 1' });
  });

  test('refuses a request alone whose own condition fails', async () => {
    const { decided, alone } = await decide('ann', 'known', 'bob');
    expect([names(decided), names(alone)]).toEqual([['ann', 'bob'], ['known']]);
    expect(await taken()).toBe(2);
  });

  test('finds the request that can never be decided, and decides for the others', async () => {
    poisonOf = (visitor) => {
      if (visitor === 'poison') throw new Error('a decision that throws');
    };
    const { decided, alone } = await decide('ann', 'poison', 'bob');
    expect([names(decided), names(alone)]).toEqual([['ann', 'bob'], ['poison']]);
    expect(await visitors()).toEqual({ ann: 'IN 1', bob: 'IN 1' });
  });

  test('finds the request that DynamoDB never accepts', async () => {
    const { decided, alone } = await decide('ann', 'unkeyed', 'bob');
    expect([names(decided), names(alone)]).toEqual([['ann', 'bob'], ['unkeyed']]);
  });

  test('mixes with plain changes of the shared item', async () => {
    const { Update } = take(1);
    await Promise.all([decide('ann', 'bob'), documentClient.send(new UpdateCommand(Update))]);
    expect(await taken()).toBe(3);
    expect(await visitors()).toEqual({ ann: 'IN 1', bob: 'IN 1' });
  });
});
