import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { countOrders, readOrdersSection } from '../../../lambdas/operations/orders-status.js';
import { clock } from '../../../packages/kit/aws/clock.js';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { smallestIdAt } from '../../../packages/kit/aws/ids.js';
import type { Commit } from '../../../packages/kit/messages/commit.js';
import type { CommandContext } from '../../../packages/operator/cli/context.js';
import { commandFormatter } from '../../../packages/operator/cli/text-format.js';
import { readNewestFeedEntries } from '../../../packages/operator/records/feed.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';

const commit = (id: string, second: number, ...types: readonly string[]) =>
  ({
    pk: `Order#${id}`,
    at: new Date(Date.UTC(2026, 2, 1) + second * 1000).toISOString(),
    events: types.map((type) => ({ id: `${id}-${type}`, type, schemaVersion: 1, data: '{}' })),
  }) as unknown as Commit;

test('orders are counted by how they ended, and an approval by how long it took', () => {
  const commits = [
    ...[commit('slow', 0, 'OrderPlaced'), commit('slow', 9, 'OrderApproved')],
    ...[commit('quick', 0, 'OrderPlaced'), commit('quick', 1, 'OrderApproved')],
    ...[commit('usual', 0, 'OrderPlaced'), commit('usual', 2, 'OrderApproved')],
    ...[commit('no', 0, 'OrderPlaced'), commit('no', 4, 'OrderRejected')],
    ...[commit('off', 0, 'OrderPlaced'), commit('off', 3, 'OrderApproved'), commit('off', 5, 'OrderCancelled')],
    commit('new', 0, 'OrderPlaced'),
  ];
  expect(countOrders({ placed: 9, more: false }, commits)).toEqual({
    placed: 9,
    more: false,
    read: 6,
    approved: 3,
    rejected: 1,
    cancelled: 1,
    open: 1,
    approvedAfter: { p50: 2, p95: 9 },
  });
});

test('there is nothing to measure without an order', () =>
  expect(countOrders({ placed: 0, more: false }, [])).toEqual({
    placed: 0,
    more: false,
    read: 0,
    approved: 0,
    rejected: 0,
    cancelled: 0,
    open: 0,
  }));

test('the section without its service has no row, but the fields of the answer', async () =>
  expect(await readOrdersSection({ services: [] } as unknown as CommandContext)).toMatchObject({
    rows: [],
    json: { placed: 0, more: false, read: 0 },
  }));

describe('the status of more commits than it reads', () => {
  const NOW = '2026-12-01T12:20:00.000Z';
  const orders = {
    name: 'orders',
    table: 'orders',
    records: 'orders-records',
    relay: 'relay',
    feedShards: [{ from: '1970-01-01T00:00:00.000Z', shards: 2 }],
    consumers: [],
  };
  const context: CommandContext = {
    app: 'orderly',
    environment: 'dev',
    endpoint: { url: undefined, region: 'eu-west-1' },
    documents: documentClient,
    clock,
    stacks: {},
    services: [orders],
    command: commandFormatter('orderly'),
    actor: () => expect.fail('nothing is changed'),
    say: () => undefined,
  };

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(NOW) - 120_000 });
    inProcessDynamoDb({ orders: ['pk', 'sk'] }, { orders: { feed: ['feedPk', 'feedSk'] } });
    // An order each 5 minutes, back to 11:25. The newer ones are in one shard.
    for (let at = 0; at < 11; at++) {
      const time = new Date(Date.parse(NOW) - (at + 1) * 300_000).toISOString();
      await documentClient.send(
        new PutCommand({
          TableName: 'orders',
          Item: {
            pk: `Order#${at}`,
            sk: 'COMMIT#0000000001',
            events: [{ id: `event-${at}`, type: 'OrderPlaced', schemaVersion: 1, data: '{}' }],
            lastVersion: 1,
            trigger: 'request',
            actor: 'user:alice',
            correlationId: 'c',
            traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
            at: time,
            feedPk: `${time.slice(0, 13)}#${at < 6 ? 0 : 1}`,
            feedSk: smallestIdAt(Date.parse(time)),
          },
        }),
      );
    }
    vi.setSystemTime(Date.parse(NOW)); // an index comes a moment later
  });
  afterEach(() => void vi.useRealTimers());

  test('counts the newest, and says that there are more', async () => {
    const { json, rows } = await readOrdersSection(context, 5);
    expect(json).toMatchObject({ placed: 3, more: true, read: 3, open: 3 });
    expect(rows).toEqual([
      [
        'orders',
        'at least 3 orders in the last hour, at least 0.1 a minute: of the newest 3, 0 approved, 0 rejected, 0 cancelled, 3 in progress',
      ],
    ]);
  });

  test('counts all of them if they are not more', async () => {
    const { json, rows } = await readOrdersSection(context, 60);
    expect(json).toMatchObject({ placed: 11, more: false, read: 11 });
    expect(rows[0]?.[1]).toMatch(/^11 orders in the last hour, 0\.2 a minute: 0 approved/);
  });

  test.each([1, 2, 4, 7, 10, 12, 40])('reads the newest without a gap: %i keys', async (most) => {
    const to = Date.parse(NOW);
    const { entries, more } = await readNewestFeedEntries(context, orders, { from: to - 3_600_000, to, most });
    const numbers = entries.map(({ pk }) => Number(pk.slice('Order#'.length))).toSorted((one, other) => one - other);
    expect(numbers).toEqual(numbers.map((_, at) => at));
    expect(numbers.length < 11).toBe(more);
  });

  test('leaves out what is older than the oldest key that was read of a busier shard, so the newest have no gap', async () => {
    const at = Date.parse('2026-12-01T12:01:00.000Z');
    await documentClient.send(
      new PutCommand({
        TableName: 'orders',
        Item: {
          pk: 'Order#beside',
          sk: 'COMMIT#0000000001',
          feedPk: '2026-12-01T12#1',
          feedSk: smallestIdAt(at),
        },
      }),
    );
    vi.setSystemTime(Date.parse(NOW) + 60_000);
    const from = Date.parse('2026-12-01T11:20:00.000Z');
    const { entries, more } = await readNewestFeedEntries(context, orders, { from, to: Date.parse(NOW), most: 4 });
    expect([entries.map(({ pk }) => pk).toSorted(), more]).toEqual([['Order#0', 'Order#1'], true]);
  });
});
