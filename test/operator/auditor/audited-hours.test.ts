import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { clock } from '../../../packages/kit/aws/clock.js';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { smallestIdAt } from '../../../packages/kit/aws/ids.js';
import { answerAudit } from '../../../packages/operator/api/answers.js';
import { Auditor } from '../../../packages/operator/auditor/auditor.js';
import { Watermarks } from '../../../packages/operator/auditor/watermarks.js';
import type { CommandContext } from '../../../packages/operator/cli/context.js';
import { commandFormatter } from '../../../packages/operator/cli/text-format.js';
import type { Service } from '../../../packages/operator/deployment/services.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';

/** Tests of how many queries an audit over HTTP makes, with the automatic audit beside it. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SHARDS = 8;
const iso = (at: number): string => new Date(at).toISOString();
const trips: Service = {
  name: 'trips',
  table: 'trips',
  records: 'trips-records',
  relay: '',
  feedShards: [{ from: '1970-01-01T00:00:00.000Z', shards: SHARDS }],
  consumers: [],
};
const context: CommandContext = {
  app: 'shop',
  environment: 'dev',
  endpoint: { url: undefined, region: 'eu-west-1' },
  documents: documentClient,
  clock,
  stacks: { 'shop-dev-Audit': { AuditTableName: 'audit' } },
  services: [trips],
  command: commandFormatter('shop'),
  actor: () => expect.fail('nothing is changed'),
  say: () => undefined,
};
let dynamodb: ReturnType<typeof inProcessDynamoDb>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-12-01T00:30:00.000Z') });
  dynamodb = inProcessDynamoDb(
    { trips: ['pk', 'sk'], 'trips-records': ['pk'], audit: ['pk', 'sk'] },
    { trips: { feed: ['feedPk', 'feedSk'] } },
  );
});
afterEach(() => void vi.useRealTimers());

const put = (TableName: string, Item: object) => documentClient.send(new PutCommand({ TableName, Item }));

async function commit(id: string, shard: number, at = Date.now()): Promise<void> {
  await put('trips', {
    pk: `Trip#${id}`,
    sk: 'COMMIT#0000000001',
    events: [{ id: `event-${id}`, type: 'TripBooked', schemaVersion: 1, data: '{}' }],
    lastVersion: 1,
    trigger: 'request',
    actor: 'user:alice',
    correlationId: 'c',
    traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
    at: iso(at),
    feedPk: `${iso(at).slice(0, 13)}#${shard}`,
    feedSk: smallestIdAt(at + shard),
  });
}

/** Lets time pass, with a run of the automatic audit every half hour. */
async function live(minutes: number): Promise<void> {
  for (let gone = 0; gone < minutes; gone += 30) {
    vi.advanceTimersByTime(30 * MINUTE);
    await runAuditor();
  }
}

async function runAuditor(): Promise<void> {
  const transports = {
    now: () => iso(Date.now()),
    countMessages: async () => 0,
    oldestMessageAge: async () => 0,
    readerLag: async () => 0,
    shown: async () => ({}),
    send: async () => undefined,
  };
  const options = { documents: documentClient, table: 'audit', app: 'shop', services: [trips], transports };
  await new Auditor({ ...options, behindSeconds: 900, resends: 100, pages: 1_000 }).run(() => 200_000);
}

async function auditOf(since: string, from: CommandContext = context) {
  dynamodb.calls.length = 0;
  const { body } = await answerAudit<{ audit: { commits: number } }>(from, { since });
  const queries = dynamodb.calls.filter(({ operation }) => operation === 'Query').length;
  return { commits: body.audit.commits, queries };
}

test('a day with six orders costs the queries of the hour that is open, and one for each order', async () => {
  await live(7 * 60);
  for (let order = 0; order < 6; order++) {
    await commit(`${order}`, order);
    await live(3 * 60);
  }
  const day = await auditOf('24h');
  // One for the watermarks, one for each order, and the hour that the automatic audit has not passed yet.
  expect(day).toEqual({ commits: 6, queries: 1 + 6 + SHARDS });
  const without = await auditOf('24h', { ...context, stacks: {} });
  expect(without).toEqual({ commits: 6, queries: 25 * SHARDS });
});

test('an hour with six orders costs no more queries than a day with six', async () => {
  await live(25 * 60);
  for (let order = 0; order < 6; order++) await commit(`${order}`, order);
  await live(30);
  const [hour, day] = [await auditOf('1h'), await auditOf('24h')];
  expect([hour.commits, day.commits]).toEqual([6, 6]);
  expect(day.queries).toBe(hour.queries);
});

test('an hour that the automatic audit has not passed is read, whatever is noted', async () => {
  await live(3 * 60);
  const at = Date.now() - HOUR;
  // The automatic audit stands still from here on.
  vi.advanceTimersByTime(3 * HOUR);
  await commit('late', 3, at + 2 * HOUR);
  // An index shows a commit a moment later.
  vi.advanceTimersByTime(MINUTE);
  expect((await auditOf('6h')).commits).toBe(1);
});

test('hours in which an auditor of an earlier release ran are read, since it notes nothing', async () => {
  await live(2 * 60);
  await commit('unnoted', 3);
  vi.advanceTimersByTime(2 * HOUR);
  const marks = new Watermarks(documentClient, 'audit');
  for (const { notedFrom: _, hours: __, ...mark } of await marks.all()) {
    const shards = mark.shards.map(() => smallestIdAt(Date.now() - 15 * MINUTE));
    await marks.move({ ...mark, auditedUntil: iso(Date.now() - 15 * MINUTE), shards });
  }
  await live(2 * 60);
  expect((await auditOf('6h')).commits).toBe(1);
});

test('a run that is cut off before it moves its watermark leaves no note out', async () => {
  await live(60);
  await commit('a', 2);
  vi.advanceTimersByTime(HOUR);
  vi.spyOn(Watermarks.prototype, 'move').mockRejectedValueOnce(new Error('cut off'));
  await runAuditor().catch(() => undefined);
  vi.restoreAllMocks();
  await live(2 * 60);
  expect((await auditOf('6h')).commits).toBe(1);
});

test('a watermark keeps its notes for about a day, and stays below the kilobyte that one write unit pays for', async () => {
  for (let hour = 0; hour < 30; hour++) {
    for (let shard = 0; shard < SHARDS; shard++) await commit(`${hour}-${shard}`, shard);
    await live(60);
  }
  const [mark] = await new Watermarks(documentClient, 'audit').all();
  expect(Object.keys(mark?.hours ?? {})).toHaveLength(27);
  expect(JSON.stringify(mark).length).toBeLessThan(1_024);
});
