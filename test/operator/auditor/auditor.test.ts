import { GetCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { smallestIdAt } from '../../../packages/kit/aws/ids.js';
import { recordKey } from '../../../packages/kit/failures/failure-records.js';
import { Auditor } from '../../../packages/operator/auditor/auditor.js';
import { AuditKey } from '../../../packages/operator/auditor/contract.js';
import { Watermarks } from '../../../packages/operator/auditor/watermarks.js';
import type { Service } from '../../../packages/operator/deployment/services.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';

const BEGIN = Date.parse('2026-12-01T12:00:00.000Z');
const MINUTE = 60_000;
const BEHIND = 15;

const consumer = (name: string) => ({
  name,
  generation: 0,
  queueUrl: `https://queue/${name}`,
  events: [{ service: 'trips', types: ['TripBooked'] }],
  takesCommands: false,
  dedupeWindowSeconds: 35 * 86_400,
  longestRedeliverySeconds: 22 * 86_400,
  projection: false,
});
const serviceOf = (name: string, consumers: Service['consumers']): Service => ({
  name,
  table: name,
  records: `${name}-records`,
  relay: '',
  feedShards: [{ from: '1970-01-01T00:00:00.000Z', shards: 2 }],
  consumers,
});
const SERVICES = [serviceOf('trips', []), serviceOf('hotel', [consumer('rooms'), consumer('meals')])];

let sent: string[] = [];
let sending: (queueUrl: string) => Promise<void> = async () => undefined;
let backlog: Record<string, number> = {};
let oldest = 0;
let dynamodb: ReturnType<typeof inProcessDynamoDb>;
const iso = (at: number): string => new Date(at).toISOString();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: BEGIN });
  sent = [];
  backlog = {};
  oldest = 0;
  sending = async () => undefined;
  openTables();
});
afterEach(() => void vi.useRealTimers());

/** @param pageItems items after which each page of DynamoDB ends */
function openTables(pageItems?: number): void {
  dynamodb = inProcessDynamoDb(
    { trips: ['pk', 'sk'], hotel: ['pk', 'sk'], audit: ['pk', 'sk'], 'trips-records': ['pk'], 'hotel-records': ['pk'] },
    { trips: { feed: ['feedPk', 'feedSk'] }, hotel: { feed: ['feedPk', 'feedSk'] } },
    pageItems,
  );
}

const put = (TableName: string, Item: object) => documentClient.send(new PutCommand({ TableName, Item }));

/** Commits an event now, in a shard of the feed. */
async function booked(id: string, shard = 0): Promise<void> {
  const at = Date.now();
  const feedSk = smallestIdAt(at).replace(
    '-8000-000000000000',
    `-8000-${Buffer.from(id.padStart(6, '0')).toString('hex')}`,
  );
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
    feedSk,
  });
}
const record = (name: string, id: string, status = 'PROCESSED') =>
  put('hotel-records', { pk: recordKey({ name, generation: 0 }, `event-${id}`), status });
const pass = (minutes: number) => void vi.advanceTimersByTime(minutes * MINUTE);

function run({ resends = 100, pages = 1_000, pageSize = 100, timeLeft = (): number => 200_000 } = {}) {
  const transports = {
    now: () => iso(Date.now()),
    countMessages: async (queueUrl: string) => backlog[queueUrl] ?? 0,
    oldestMessageAge: async () => oldest,
    readerLag: async () => 0,
    shown: async () => ({}),
    send: async (queueUrl: string, body: string) => {
      await sending(queueUrl);
      sent.push(`${queueUrl.slice('https://queue/'.length)} ${JSON.parse(body).id}`);
    },
  };
  const options = { documents: documentClient, table: 'audit', app: 'shop', services: SERVICES, transports };
  const auditor = new Auditor({ ...options, behindSeconds: BEHIND * 60, resends, pages, pageSize });
  // The lease of the run before has ended by the next tick.
  pass(5);
  return auditor.run(timeLeft);
}
const itemsOf = async (table: string, pk: string) => {
  const { Items = [] } = await documentClient.send(new ScanCommand({ TableName: table }));
  return Items.filter((item) => String(item.pk).startsWith(pk));
};
const auditedUntil = async (service = 'trips') =>
  (await new Watermarks(documentClient, 'audit').all()).find((mark) => mark.service === service)?.auditedUntil;
const log = async () =>
  (await itemsOf('hotel', 'AUDIT#')).map(({ target, actor, result }) => ({ target, actor, result }));

describe('a run', () => {
  test('judges nothing that is younger than its delay, and says how far it is behind', async () => {
    await booked('a');
    expect(await run()).toBe(BEHIND * 60);
    expect(sent).toEqual([]);
    expect(await auditedUntil()).toBe(iso(Date.now() - BEHIND * MINUTE));
  });

  test('sends what is missing to its own consumer only, once, and keeps who did it and why', async () => {
    await booked('a');
    await record('meals', 'a');
    pass(20);
    await run();
    await run();
    expect(sent).toEqual(['rooms event-a']);
    expect(await log()).toEqual([{ target: 'rooms event-a', actor: 'the delivery audit', result: undefined }]);
  });

  test('moves its watermark over what is processed, failed or stored, and never judges it again', async () => {
    await booked('a');
    await record('rooms', 'a', 'FAILED');
    await record('meals', 'a', 'PENDING');
    pass(20);
    await run();
    dynamodb.calls.length = 0;
    await run();
    expect(sent).toEqual([]);
    expect(dynamodb.calls.filter(({ operation }) => operation === 'BatchGetItem')).toEqual([]);
  });

  test('waits for a message that may still be in its queue, for an hour', async () => {
    await booked('a');
    backlog['https://queue/rooms'] = 3;
    await record('meals', 'a');
    pass(20);
    const committed = iso(BEGIN);
    await run();
    expect(sent).toEqual([]);
    expect((await auditedUntil())?.slice(0, 16)).toBe(committed.slice(0, 16));
    pass(40);
    await run();
    expect(sent).toEqual(['rooms event-a']);
  });

  test('waits longer for a message of an outage, as long as the queue has messages of its age, and says how late it is', async () => {
    await booked('a');
    backlog['https://queue/rooms'] = 3;
    await record('meals', 'a');
    pass(20);
    await run();
    pass(6 * 60);
    oldest = 6 * 3_600;
    expect(await run()).toBeGreaterThan(6 * 3_600);
    expect(sent).toEqual([]);
    oldest = 60;
    await run();
    expect(sent).toEqual(['rooms event-a']);
  });

  test('a run does not pass a commit behind one that waits, in the same shard', async () => {
    await booked('a');
    pass(1);
    await booked('b');
    backlog['https://queue/rooms'] = 1;
    await record('meals', 'a');
    pass(20);
    await run();
    expect(sent).toEqual([]);
    await record('rooms', 'a');
    backlog = {};
    await run();
    expect(sent.toSorted()).toEqual(['meals event-b', 'rooms event-b']);
  });

  test('looks an hour back when it is the first one, and leaves what is older to an operator', async () => {
    await booked('old');
    pass(120);
    await booked('new', 1);
    pass(20);
    await run();
    expect(sent.toSorted()).toEqual(['meals event-new', 'rooms event-new']);
  });

  test('begins where the first run would have begun, if that one was cut off', async () => {
    await booked('a');
    await record('meals', 'a');
    await run({ timeLeft: () => 0 });
    pass(120);
    await run();
    expect(sent).toEqual(['rooms event-a']);
  });

  test('follows the feed from hour to hour, in each shard', async () => {
    await run();
    for (const [at, id] of ['a', 'b', 'c', 'd'].entries()) {
      await booked(id, at % 2);
      pass(45);
    }
    await run();
    expect(sent).toHaveLength(8);
  });

  test('a run does not wait for the backlog that its own messages make', async () => {
    await booked('a', 0);
    await booked('b', 1);
    pass(20);
    sending = async (queueUrl) => {
      backlog[queueUrl] = 1;
    };
    await run();
    expect(sent).toHaveLength(4);
  });

  test('sends no more than its limit at once, and continues from there', async () => {
    for (const id of ['a', 'b', 'c']) await booked(id);
    pass(20);
    await run({ resends: 3 });
    expect(sent).toEqual(['rooms event-a', 'meals event-a']);
    await run({ resends: 4 });
    expect(sent).toHaveLength(6);
  });

  test('sends a commit as a whole that misses more than its limit', async () => {
    for (const id of ['a', 'b']) await booked(id);
    pass(20);
    await run({ resends: 1 });
    expect(sent).toEqual(['rooms event-a', 'meals event-a']);
    await run({ resends: 1 });
    expect(sent).toHaveLength(4);
  });

  test('reads no more pages than its limit, and continues from there', async () => {
    await run();
    pass(5 * 60);
    await booked('a');
    pass(20);
    let runs = 0;
    while (sent.length === 0 && runs < 20) {
      await run({ pages: 2 });
      runs++;
    }
    expect(runs).toBeGreaterThan(1);
    expect(sent).toHaveLength(2);
  });

  test('begins nothing when its time is over', async () => {
    await booked('a');
    pass(20);
    await run({ timeLeft: () => 1_000 });
    expect(sent).toEqual([]);
    await run();
    expect(sent).toHaveLength(2);
  });
});

describe('a commit that can not be read', () => {
  const poison = { pk: 'Trip#poison', sk: 'COMMIT#0000000001' };
  const FAILURE = 'relay@0#Trip#poison/COMMIT#0000000001';
  /** A commit without events, of now, and what comes after it in its service, in both shards. */
  async function poisoned(): Promise<void> {
    await booked('a');
    await put('trips', {
      ...poison,
      events: [],
      feedPk: `${iso(Date.now()).slice(0, 13)}#0`,
      feedSk: smallestIdAt(Date.now() + 1),
    });
    pass(1);
    await booked('b');
    await booked('c', 1);
  }
  const failures = async () => (await itemsOf('trips-records', 'relay@')).map(({ pk, status }) => [pk, status]);

  test('becomes one failure record of its relay, and holds nothing back', async () => {
    await poisoned();
    for (let runs = 0; runs < 4; runs++) {
      pass(10);
      await run();
    }
    const lost = ['a', 'b', 'c'].flatMap((id) => [`rooms event-${id}`, `meals event-${id}`]);
    expect([...new Set(sent)].toSorted()).toEqual(lost.toSorted());
    expect(await failures()).toEqual([[FAILURE, 'FAILED']]);
    expect(await auditedUntil()).toBe(iso(Date.now() - BEHIND * MINUTE));
    // What the table's stream would have said of it: an operator may redrive it.
    const [record] = await itemsOf('trips-records', 'relay@');
    expect(JSON.parse(String(record?.payload))).toMatchObject({
      Keys: { pk: { S: 'Trip#poison' } },
      NewImage: { events: { L: [] } },
    });
    expect(record).toMatchObject({ messageId: 'Trip#poison/COMMIT#0000000001', failedConsumer: 'relay' });
  });

  test('a commit that its relay has recorded is not recorded again, discarded or not', async () => {
    await poisoned();
    await put('trips-records', { pk: FAILURE, status: 'DISCARDED' });
    pass(30);
    await run();
    expect(await failures()).toEqual([[FAILURE, 'DISCARDED']]);
    expect(new Set(sent).size).toBe(6);
  });

  test('ends what follows its deliveries, and the following of others continues', async () => {
    await booked('a');
    await booked('b');
    pass(30);
    await run();
    expect(sent).toHaveLength(4);
    await put('trips', { pk: 'Trip#a', sk: 'COMMIT#0000000001', events: [] });
    for (const name of ['rooms', 'meals']) await record(name, 'b');
    pass(60);
    await run();
    expect((await log()).map(({ result }) => result).toSorted()).toEqual([
      "its commit can't be read",
      "its commit can't be read",
      'processed',
      'processed',
    ]);
    expect(await failures()).toEqual([['relay@0#Trip#a/COMMIT#0000000001', 'FAILED']]);
  });
});

describe('pages', () => {
  const ids = Array.from({ length: 7 }, (_, at) => `p${at}`);

  test.each([
    ['of the audit', 2, undefined],
    ['of one commit', 1, undefined],
    ['of DynamoDB', 100, 2],
    ['of both', 2, 1],
  ])(
    '%s that have less than an hour are followed to its end, and nothing is judged twice',
    async (_, pageSize, items) => {
      if (items !== undefined) openTables(items);
      for (const id of ids) {
        await booked(id);
        pass(1);
      }
      pass(30);
      await run({ pageSize });
      expect(sent.toSorted()).toEqual(ids.flatMap((id) => [`meals event-${id}`, `rooms event-${id}`]).toSorted());
      expect(await auditedUntil()).toBe(iso(Date.now() - BEHIND * MINUTE));
    },
  );

  test('pages that end before a run does are continued by the next one', async () => {
    for (const id of ids) await booked(id);
    pass(30);
    await run({ pageSize: 2, pages: 4 });
    const first = sent.length;
    await run({ pageSize: 2, pages: 4 });
    expect([first, new Set(sent).size, sent.length]).toEqual([12, 14, 14]);
  });
});

test('a commit of an earlier release at a full hour is found, whose place in the feed is before its partition', async () => {
  vi.setSystemTime(Date.parse('2026-12-01T12:30:00.000Z'));
  await run();
  vi.setSystemTime(Date.parse('2026-12-01T12:59:59.900Z'));
  await booked('plain');
  const { Item = {} } = await documentClient.send(
    new GetCommand({ TableName: 'trips', Key: { pk: 'Trip#plain', sk: 'COMMIT#0000000001' } }),
  );
  // The aggregate's commit before it has this time: a clock was ahead.
  const at = '2026-12-01T13:00:00.400Z';
  const [event] = Item.events as object[];
  await put('trips', {
    ...Item,
    pk: 'Trip#skewed',
    events: [{ ...event, id: 'event-skewed' }],
    at,
    feedPk: `${at.slice(0, 13)}#0`,
    feedSk: smallestIdAt(Date.now() + 1),
  });
  pass(60);
  await run();
  expect(new Set(sent)).toEqual(
    new Set(['plain', 'skewed'].flatMap((id) => [`rooms event-${id}`, `meals event-${id}`])),
  );
});

test("an unreadable item of the auditor's own does not block the others", async () => {
  await booked('a');
  pass(30);
  await run();
  await put('audit', { pk: AuditKey.RESENT, sk: 'broken' });
  await put('audit', { pk: AuditKey.WATERMARKS, sk: 'hotel', auditedUntil: 7 });
  for (const name of ['rooms', 'meals']) await record(name, 'a');
  await booked('b');
  pass(60);
  await expect(run()).rejects.toThrow();
  expect((await log()).map(({ result }) => result)).toContain('processed');
  expect(sent.filter((one) => one.endsWith('event-b'))).toHaveLength(2);
});

describe('two runs at once', () => {
  test('the second one leaves the work to the first one', async () => {
    await booked('a');
    pass(20);
    // A lease of 10 minutes is not over at the next tick.
    await run({ timeLeft: () => 600_000 });
    await booked('b');
    pass(1);
    expect(await run()).toBeUndefined();
  });

  test('a run whose watermark was moved by another one ends, and moves none back', async () => {
    await booked('a');
    pass(20);
    const watermarks = new Watermarks(documentClient, 'audit');
    await run();
    const [mark] = (await watermarks.all()).filter(({ service }) => service === 'trips');
    if (!mark) throw new Error('there is no watermark');
    await watermarks.move({ ...mark, auditedUntil: iso(Date.now()) });
    await expect(watermarks.move({ ...mark, auditedUntil: iso(BEGIN) })).rejects.toThrow(/moved by another run/);
    expect(await auditedUntil()).toBe(iso(Date.now()));
  });
});

describe('a message that was sent again', () => {
  async function lost(): Promise<void> {
    await booked('a');
    await record('meals', 'a');
    pass(20);
    await run();
    expect(sent).toEqual(['rooms event-a']);
  }

  test('a resent message is followed until a record says how it ended, which the audit log shows', async () => {
    await lost();
    await record('rooms', 'a');
    pass(BEHIND);
    await run();
    expect(await itemsOf('audit', AuditKey.RESENT)).toEqual([]);
    expect(await log()).toEqual([expect.objectContaining({ target: 'rooms event-a', result: 'processed' })]);
  });

  test('a resent message is sent once more if it is lost again, each time later', async () => {
    await lost();
    for (let runs = 0; runs < 12; runs++) await run();
    // 15 minutes, then 30 minutes after the first time.
    expect(sent).toHaveLength(3);
    await record('rooms', 'a');
    pass(120);
    await run();
    expect(await log()).toEqual([expect.objectContaining({ result: 'processed, sent 3 times' })]);
  });

  test('a resent message is not forgotten if the run ends before it is sent', async () => {
    await booked('a');
    await record('meals', 'a');
    pass(20);
    sending = () => Promise.reject(new Error('no connection'));
    await expect(run()).rejects.toThrow('no connection');
    expect(await itemsOf('audit', AuditKey.RESENT)).toHaveLength(1);
    sending = async () => undefined;
    await run();
    expect(sent).toEqual(['rooms event-a']);
  });

  test('ends when it has no subscriber any more', async () => {
    await lost();
    const [trips, hotel] = SERVICES;
    if (!trips || !hotel) throw new Error('there are two services');
    const without = [trips, { ...hotel, consumers: [consumer('meals')] }];
    pass(BEHIND + 5);
    const transports = {
      now: () => iso(Date.now()),
      countMessages: async () => 0,
      oldestMessageAge: async () => 0,
      readerLag: async () => 0,
      shown: async () => ({}),
      send: sending,
    };
    const options = { documents: documentClient, table: 'audit', app: 'shop', services: without, transports };
    await new Auditor({ ...options, behindSeconds: 900, resends: 10, pages: 100 }).run(() => 200_000);
    expect(await log()).toEqual([expect.objectContaining({ result: 'nobody receives it any more' })]);
  });
});

test('a service that can not be audited does not hold back the others', async () => {
  await booked('a');
  pass(20);
  sending = (queueUrl) => (queueUrl.endsWith('rooms') ? Promise.reject(new Error('refused')) : Promise.resolve());
  await expect(run()).rejects.toThrow('refused');
  expect(await auditedUntil('hotel')).toBe(iso(Date.now() - BEHIND * MINUTE));
});
