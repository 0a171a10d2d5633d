import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { clock } from '../../../packages/kit/aws/clock.js';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { recordKey, relayConsumer } from '../../../packages/kit/failures/failure-records.js';
import { placeKey } from '../../../packages/kit/inbox/sequence-keys.js';
import { readEnvelope } from '../../../packages/kit/messages/envelope.js';
import { type AuditAccess, audit } from '../../../packages/operator/audit/audit-command.js';
import type { AuditRequest } from '../../../packages/operator/audit/request.js';
import { listAuditLog } from '../../../packages/operator/audit-log/audit-log.js';
import { OperatorError } from '../../../packages/operator/cli/errors.js';
import { commandFormatter } from '../../../packages/operator/cli/text-format.js';
import { auditCommands } from '../../../packages/operator/commands/audit.js';
import type { Service } from '../../../packages/operator/deployment/services.js';
import { listFeedPartitions } from '../../../packages/operator/records/feed.js';
import { ago, booked, consumer, emptyTables, heardBy, NOW, put, record } from '../bookings.js';

const SEATS = consumer('seats');
const MEALS = consumer('meals', { events: [], takesCommands: true });
const LIST = consumer('list', { projection: true, rebuild: 'rebuild-list' });
const POINTS = consumer('points', { inbox: { mode: 'sequential', queueUrl: 'https://queue/points-runner' } });

/** Messages that were sent, and those that wait in queues. */
let sent: { readonly queueUrl: string; readonly body: string }[] = [];
let backlog: Record<string, number> = {};
let oldest: Record<string, number> = {};
let lag: Record<string, number> = {};
let shown: Record<string, number> = {};
let waits: number[] = [];
let dynamodb: ReturnType<typeof emptyTables>;
const access: { -readonly [K in keyof AuditAccess]: AuditAccess[K] } = {
  now: () => NOW,
  countMessages: async (queueUrl) => backlog[queueUrl] ?? 0,
  oldestMessageAge: async (queueUrl) => oldest[queueUrl] ?? 0,
  readerLag: async (reader) => lag[reader] ?? 0,
  shown: async (_, ids) => Object.fromEntries(ids.map((id) => [id, shown[id] ?? 0])),
  send: async (queueUrl, body) => void sent.push({ queueUrl, body }),
  wait: async (seconds) => void waits.push(seconds),
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(NOW) - 86_400_000 });
  sent = [];
  backlog = {};
  oldest = {};
  lag = {};
  shown = {};
  waits = [];
  dynamodb = emptyTables();
});
afterEach(() => void vi.useRealTimers());

async function audited(services: readonly Service[], request: Partial<AuditRequest> = {}) {
  const asked: AuditRequest = {
    from: 2 * 3_600,
    to: undefined,
    subject: undefined,
    consumer: undefined,
    graceSeconds: 900,
    resend: false,
    rate: 10,
    ...request,
  };
  const command = commandFormatter('shop');
  const context = {
    app: 'shop',
    documents: documentClient,
    clock,
    services,
    command,
    say: () => undefined,
    actor: async () => 'olga',
  };
  const { exitCode, text, json } = await audit(context, asked, access);
  const found = json.audit as {
    readonly deliveries: Readonly<Record<string, number>>;
    readonly missing: readonly object[];
  };
  const states = Object.entries(found.deliveries).flatMap(([state, count]) => (count > 0 ? [[state, count]] : []));
  return { exitCode, text, found, states: Object.fromEntries(states) as Record<string, number> };
}

describe('the verdict', () => {
  const verdict = async (...args: Parameters<typeof audited>) => {
    const { text, found } = await audited(...args);
    const [first] = text.split('\n');
    // Text and JSON say the same.
    expect(first).toBe((found as unknown as { verdict: string }).verdict);
    return first;
  };

  test('says of a message without a subscriber that nothing was compared', async () => {
    await booked('a', ago(30));
    expect(await verdict(heardBy(MEALS))).toBe('Nothing was compared: 1 message has no consumer (TripBooked).');
    const { exitCode, found } = await audited(heardBy(MEALS));
    expect({ exitCode, found }).toMatchObject({
      exitCode: 0,
      found: { messages: 1, unheard: { messages: 1, types: ['TripBooked'] } },
    });
  });

  test('counts the messages without a subscriber beside those that were compared', async () => {
    await booked('a', ago(30), {
      commands: [{ id: 'command-a', type: 'Cancel', to: 'elsewhere', schemaVersion: 1, data: '{}' }],
    });
    await record('seats', 'event-a', 'PROCESSED');
    expect(await verdict(heardBy(SEATS))).toBe(
      'Nothing is missing. 1 message has no consumer: nothing to compare (Cancel).',
    );
    expect(await verdict(heardBy(SEATS), { consumer: 'seats' })).toMatch(
      /^Nothing is missing at seats\. 1 message has no/,
    );
  });

  test('says of one consumer that nothing was sent that it subscribes to', async () => {
    await booked('a', ago(30));
    expect(await verdict(heardBy(SEATS, MEALS), { consumer: 'meals' })).toBe(
      'Nothing was compared at meals: meals receives none of 1 message.',
    );
  });

  test('says of a time without messages, of a backfill and of old deliveries that nothing was compared', async () => {
    expect(await verdict(heardBy(SEATS))).toBe('Nothing was compared: no message was committed.');
    await booked('a', ago(30), { published: false });
    expect(await verdict(heardBy(SEATS))).toBe('Nothing was compared: 1 message of a backfill is never sent.');
    await booked('ancient', ago(36 * 1_440));
    const span = { from: ago(36 * 1_440 + 1), to: ago(36 * 1_440 - 1) };
    expect(await verdict(heardBy(SEATS), span)).toBe(
      'Nothing was compared: 1 delivery is older than records are kept: nobody can tell.',
    );
  });
});

describe('a delivery', () => {
  test.each([
    ['PROCESSED', 'processed'],
    ['PENDING', 'pending'],
    ['FAILED', 'failed'],
    ['REPEATED', 'failed'],
    ['DISCARDED', 'discarded'],
  ])('a delivery whose record is %s is %s', async (status, state) => {
    await booked('a', ago(30));
    await record('seats', 'event-a', status);
    expect(await audited(heardBy(SEATS))).toMatchObject({ exitCode: 0, states: { [state]: 1 } });
  });

  test('a delivery without a record is too new to judge within the grace time, and missing after it', async () => {
    await booked('new', ago(14));
    await booked('old', ago(16));
    const { exitCode, states, text } = await audited(heardBy(SEATS));
    expect({ exitCode, states }).toEqual({ exitCode: 4, states: { 'too new': 1, missing: 1 } });
    expect(text).toMatch(/^1 delivery is missing\. 1 delivery is on the way\.\n/);
    expect(text).toMatch(/seats +TripBooked +Trip\/old +event-old\n/);
    expect(text).toMatch(/send them again: shop audit --from \S+ --to \S+ --resend$/);
  });

  test('a delivery may be in the backlog of its consumer for an hour', async () => {
    await booked('late', ago(59));
    await booked('later', ago(61));
    backlog = { 'https://queue/seats': 3 };
    expect((await audited(heardBy(SEATS))).states).toEqual({ pending: 1, missing: 1 });
    backlog = { 'https://queue/meals': 3 };
    expect((await audited(heardBy(SEATS))).states).toEqual({ missing: 2 });
  });

  test.each([
    [60 + 12 * 60, { pending: 2 }],
    [60 + 9 * 60, { pending: 1, missing: 1 }],
    [5, { missing: 2 }],
  ])('waits with the oldest message of its queue, which is %i minutes old: %o', async (minutes, states) => {
    await booked('early', ago(13 * 60));
    await booked('late', ago(10 * 60));
    const span = { from: ago(14 * 60) };
    oldest = { 'https://queue/seats': minutes * 60 };
    backlog = { 'https://queue/seats': 3 };
    expect((await audited(heardBy(SEATS), span)).states).toEqual(states);
    backlog = {};
    expect((await audited(heardBy(SEATS), span)).states).toEqual({ missing: 2 });
  });

  test('a delivery that is older than records are kept can not be judged any more', async () => {
    const minutes = 36 * 1_440;
    await booked('ancient', ago(minutes));
    const span = { from: ago(minutes + 1), to: ago(minutes - 1) };
    expect(await audited(heardBy(SEATS), span)).toMatchObject({ exitCode: 0, states: { expired: 1 } });
  });

  test.each([
    ['FAILED', 'failed'],
    ['DISCARDED', 'discarded'],
  ])('a delivery whose publication is %s is %s', async (status, state) => {
    await booked('a', ago(30));
    await record(relayConsumer.name, 'Trip#a/COMMIT#0000000001', status, 'trips-records');
    expect((await audited(heardBy(SEATS))).states).toEqual({ [state]: 1 });
  });

  test('a delivery at a projection is processed once its row shows the version', async () => {
    await booked('a', ago(30));
    await booked('b', ago(30));
    shown = { a: 1 };
    expect((await audited(heardBy(LIST))).states).toEqual({ processed: 1, missing: 1 });
  });

  test('a delivery at a sequential inbox has its record under its place', async () => {
    await booked('a', ago(30));
    const place = { id: 'event-a', subject: 'Trip/a', sequence: 1, epoch: 0 };
    await put('hotel-records', { pk: placeKey({ name: 'points', generation: 0 }, place), status: 'PENDING' });
    expect((await audited(heardBy(POINTS))).states).toEqual({ pending: 1 });
  });

  test('a delivery at a sequential inbox counts by the epoch of its commit, and is sent with it', async () => {
    const services = heardBy(POINTS).map((service) => ({ ...service, epoch: 2 }));
    const placed = (sequence: number, epoch: number, messageId: string) => {
      const place = { id: messageId, subject: `Trip/${messageId.slice('event-'.length)}`, sequence, epoch };
      const pk = placeKey({ name: 'points', generation: 0 }, place);
      return put('hotel-records', { pk, status: 'PROCESSED', messageId });
    };
    await booked('before', ago(30));
    await booked('lost', ago(30));
    await booked('after', ago(30), { epoch: 1, follows: { epoch: 0, sequence: 4 } });
    await booked('late', ago(30), { epoch: 1, follows: { epoch: 0, sequence: 4 } });
    await placed(1, 0, 'event-before');
    await placed(1, 1, 'event-after');
    // What a restore has forgotten had this place, in the epoch before.
    await placed(1, 0, 'event-late');
    expect((await audited(services, { resend: true })).states).toEqual({ processed: 2, missing: 2 });
    expect(
      sent.map(({ body }) => JSON.parse(body).detail).toSorted((one, other) => one.epoch - other.epoch),
    ).toMatchObject([
      { id: 'event-lost', epoch: 0 },
      { id: 'event-late', epoch: 1, follows: '0/4' },
    ]);
  });

  test('a delivery that an earlier generation of its consumer has processed is not missing', async () => {
    const services = heardBy(consumer('seats', { generation: 2 }));
    for (const id of ['earlier', 'lost']) await booked(id, ago(30));
    await put('hotel-records', {
      pk: recordKey({ name: 'seats', generation: 1 }, 'event-earlier'),
      status: 'PROCESSED',
    });
    expect((await audited(services)).states).toEqual({ processed: 1, missing: 1 });
  });

  test('a delivery of a command counts for the service that it is sent to', async () => {
    const commands = [{ id: 'command', to: 'hotel', type: 'BookMeal', schemaVersion: 1, data: '{}' }];
    await booked('a', ago(30), { commands });
    expect((await audited(heardBy(MEALS))).found.missing).toMatchObject([{ consumer: 'meals', messageId: 'command' }]);
  });

  test('a delivery can be judged at one consumer, of one aggregate, or in one span only', async () => {
    await booked('a', ago(30));
    await booked('b', ago(90));
    const services = heardBy(SEATS, consumer('rooms'));
    expect((await audited(services)).states).toEqual({ missing: 4 });
    expect((await audited(services, { consumer: 'rooms' })).states).toEqual({ missing: 2 });
    expect((await audited(services, { from: undefined, subject: 'Trip/a' })).states).toEqual({ missing: 2 });
    const { text, found } = await audited(services, {
      from: undefined,
      subject: 'Trip/a',
      parts: ['Trip/b', 'Hotel/a'],
      named: ['--trip', 'a'],
    });
    expect(found.missing).toHaveLength(4);
    expect(text).toMatch(/missing\.\nTrip\/a with its Trip, Hotel: /);
    expect(text).toMatch(/shop audit --trip a --resend$/);
    expect((await audited(services, { from: ago(91), to: ago(89) })).states).toEqual({ missing: 2 });
    expect((await audited(services, { from: ago(89), to: ago(31) })).states).toEqual({});
  });
});

test('a missing delivery is sent again as the bus would have sent it, to its own consumer only', async () => {
  await booked('a', ago(30));
  await booked('b', ago(30));
  await record('rooms', 'event-a', 'PROCESSED');
  await record('rooms', 'event-b', 'PROCESSED');
  const { exitCode, text } = await audited(heardBy(SEATS, consumer('rooms')), { resend: true, rate: 4 });
  expect(exitCode).toBe(3);
  expect(text).toMatch(/^2 deliveries are missing, and sent again\.\n/);
  expect(sent.map(({ queueUrl }) => queueUrl)).toEqual(['https://queue/seats', 'https://queue/seats']);
  expect(waits).toEqual([0.25]);
  expect(sent.map(({ body }) => readEnvelope(body))).toMatchObject([
    { id: 'event-a', source: 'shop.trips', subject: 'Trip/a', sequence: 1, time: ago(30), data: { seat: '14A' } },
    { id: 'event-b', source: 'shop.trips', subject: 'Trip/b', sequence: 1 },
  ]);
  const log = await listAuditLog({ documents: documentClient, clock, services: heardBy(SEATS) }, { back: 2_000 });
  expect(log.text).toMatch(
    /resend\n +by +olga\n +to +hotel: 2 messages\n +why +no record of it, and no backlog in which it may be, since its commit of \S+\n +result +2 sent$/,
  );
});

test('messages that are sent again are not the backlog in which the next missing ones may be', async () => {
  // More than one page of commits.
  const trips = Array.from({ length: 130 }, (_, trip) => `lost-${trip}`);
  for (const trip of trips) await booked(trip, ago(30));
  const queueUrl = 'https://queue/seats';
  const send = access.send;
  access.send = async (...message) => {
    await send(...message);
    backlog[queueUrl] = sent.length;
  };
  const { states } = await audited(heardBy(SEATS), { resend: true });
  access.send = send;
  expect(states).toEqual({ missing: 130 });
  expect(sent).toHaveLength(130);
});

test('a backlog that others make meanwhile counts from the next page on', async () => {
  for (let trip = 0; trip < 130; trip++) await booked(`late-${trip}`, ago(30));
  const queueUrl = 'https://queue/seats';
  const send = access.send;
  access.send = async (...message) => {
    await send(...message);
    // A relay was late, too.
    backlog[queueUrl] = 2 * sent.length;
  };
  const { states } = await audited(heardBy(SEATS), { resend: true });
  access.send = send;
  expect(states).toEqual({ missing: sent.length, pending: 130 - sent.length });
  expect(sent.length).toBeLessThan(130);
});

test('a commit costs half a read unit, and so does each of its deliveries', async () => {
  const services = heardBy(SEATS, consumer('rooms'));
  const COMMITS = 40;
  for (let at = 0; at < COMMITS; at++) {
    await booked(`trip-${at}`, ago(30));
    for (const name of ['seats', 'rooms']) await record(name, `event-trip-${at}`, 'PROCESSED');
  }
  dynamodb.calls.length = 0;
  expect((await audited(services)).states).toEqual({ processed: 2 * COMMITS });
  const units = dynamodb.calls.filter(({ operation }) => operation === 'BatchGetItem').map((call) => call.readUnits);
  expect(units.reduce((sum, one) => sum + one, 0)).toBe(1.5 * COMMITS);
  // Two shards of each hour, of two services, and a further query where a page was full.
  const queries = dynamodb.calls.filter(({ operation }) => operation === 'Query');
  expect(queries.length).toBeLessThanOrEqual(2 * 3 * 2 + 1);
});

test('reads of commits and records, and questions to projections, grow with the commits and not with the hours', async () => {
  const services = heardBy(SEATS, LIST);
  const HOURS = 12;
  for (let hour = 0; hour < HOURS; hour++) {
    await booked(`trip-${hour}`, ago(30 + 60 * hour));
    await record('seats', `event-trip-${hour}`, 'PROCESSED');
    shown[`trip-${hour}`] = 1;
  }
  const asked: number[] = [];
  const original = access.shown;
  access.shown = async (projection, ids) => {
    asked.push(ids.length);
    return original(projection, ids);
  };
  dynamodb.calls.length = 0;
  const { states } = await audited(services, { from: (HOURS + 1) * 3_600 });
  access.shown = original;
  expect(states).toEqual({ processed: 2 * HOURS });
  expect(asked).toEqual([HOURS]);
  // The commits in one read, and the records of their deliveries in another one; the projection has none.
  expect(dynamodb.calls.filter(({ operation }) => operation === 'BatchGetItem').length).toBeLessThanOrEqual(3);
});

test('an audit of what does not exist is refused', async () => {
  const refused = (request: Partial<AuditRequest>) => audited(heardBy(SEATS), request).catch((error) => error);
  expect(await refused({ consumer: 'nobody' })).toMatchObject({ message: expect.stringContaining('nobody') });
  expect(await refused({ from: undefined, subject: 'Trip/none' })).toMatchObject({
    message: 'No service has a commit of Trip/none.',
  });
  expect(await refused({ from: ago(1), to: ago(2) })).toMatchObject({
    message: expect.stringMatching(/ends .* before it begins/),
  });
});

test('the feed is read in each shard of each hour, with as many shards as there were in it', () => {
  const feedShards = [
    { from: '1970-01-01T00:00:00.000Z', shards: 1 },
    { from: '2026-12-01T10:30:00.000Z', shards: 2 },
  ];
  const span = { from: '2026-12-01T09:59:00.000Z', to: '2026-12-01T12:00:00.000Z' };
  expect(listFeedPartitions(feedShards, span)).toEqual([
    '2026-12-01T09#0',
    '2026-12-01T10#0',
    '2026-12-01T10#1',
    '2026-12-01T11#0',
    '2026-12-01T11#1',
  ]);
});

describe('the command line', () => {
  const [command] = auditCommands('seats');
  const parse = (options: Record<string, string | boolean>) =>
    command?.parse({
      words: [],
      options: { grace: '15m', rate: '10', resend: false, ...options } as never,
      wrong: (mistake) => new OperatorError('usage', mistake),
    }).request;

  test.each([
    [{ since: '1h' }, { from: 3_600, graceSeconds: 900 }],
    [
      { since: '7d', grace: '0s' },
      { from: 604_800, graceSeconds: 0 },
    ],
    [{ from: '2026-12-01T08:00:00Z' }, { from: '2026-12-01T08:00:00.000Z', to: undefined }],
    [
      { subject: 'Trip/a', resend: true, rate: '100' },
      { subject: 'Trip/a', resend: true, rate: 100 },
    ],
  ])('takes %o', (options, request) => {
    expect(parse(options)).toMatchObject(request);
  });

  test.each([
    [{}, "'audit' needs one of --since, --from and --subject."],
    [{ since: '1h', subject: 'Trip/a' }, "'audit' needs one of --since, --from and --subject."],
    [{ since: 'soon' }, "--since is 'soon': expected a number with s, m, h or d, as 90s or 1h."],
    [{ since: '1h', to: '2026-12-01T08:00:00Z' }, '--to needs --from.'],
    [{ from: 'yesterday' }, "--from is 'yesterday': expected a time, as 2026-12-01T08:00:00Z."],
    [{ subject: 'a' }, "--subject is 'a': expected the aggregate's type and id, as Trip/3f9c…"],
    [{ since: '1h', rate: '0' }, "--rate is '0': expected 1 to 100."],
  ])('refuses %o', (options, mistake) => {
    expect(() => parse(options)).toThrow(mistake);
  });
});

describe('a commit that can not be read', () => {
  const POISON = 'Trip#poison/COMMIT#0000000001';
  const poisoned = async () => {
    await booked('a', ago(40));
    await booked('poison', ago(30), { events: [] });
    await booked('b', ago(20));
  };

  test('an unreadable commit is reported, and the audit continues behind it', async () => {
    await poisoned();
    const { exitCode, text, found } = await audited(heardBy(SEATS));
    expect(found).toMatchObject({
      commits: 2,
      deliveries: { missing: 2 },
      unreadable: [{ service: 'trips', commit: POISON, isRecorded: false, fault: expect.stringContaining('events') }],
    });
    expect(text).toMatch(/1 commit can't be read/);
    expect(text).toContain(`trips ${POISON}: `);
    expect(exitCode).toBe(4);
  });

  test('becomes a failure record, once, if missing deliveries are sent; a discarded one is not reported', async () => {
    await poisoned();
    for (let times = 0; times < 2; times++) {
      const { found, text } = await audited(heardBy(SEATS), { resend: true });
      expect(found).toMatchObject({ unreadable: [{ isRecorded: true }] });
      expect(text).toContain(`failures show relay '${POISON}'`);
    }
    await put('trips-records', { pk: recordKey(relayConsumer, POISON), status: 'DISCARDED' });
    const { found, text } = await audited(heardBy(SEATS));
    expect([found, text]).toEqual([expect.objectContaining({ unreadable: [] }), expect.not.stringContaining('read')]);
  });

  test('hides no other commit of its aggregate', async () => {
    await booked('a', ago(40));
    await put('trips', { pk: 'Trip#a', sk: 'COMMIT#0000000002', events: [] });
    const { found } = await audited(heardBy(SEATS), { subject: 'Trip/a' });
    expect(found).toMatchObject({ commits: 1, deliveries: { missing: 1 }, unreadable: [{ service: 'trips' }] });
  });
});

describe('a delivery without a record', () => {
  const LANE = consumer('seats', { lane: { writer: 'lane-writer' } });
  const behindRelay = (services: readonly Service[]) => services.map((one) => ({ ...one, relay: `${one.name}-relay` }));

  test.each([
    ['its lane', heardBy(LANE), 'lane-writer'],
    ['the stream of its relay', behindRelay(heardBy(SEATS)), 'trips-relay'],
  ])('a delivery is pending as long as %s may have it, and is not sent again', async (_, services, reader) => {
    await booked('a', ago(90));
    lag = { [reader]: 40 * 60 };
    const { states } = await audited(services, { resend: true });
    expect([states, sent]).toEqual([{ pending: 1 }, []]);
    // A reader that is not behind has nothing of it, and one that is less behind than the message is old has read past it.
    for (const [seconds, age] of [
      [30, 90],
      [40 * 60, 110],
    ] as const) {
      lag = { [reader]: seconds };
      dynamodb = emptyTables();
      await booked('a', ago(age));
      expect((await audited(services)).states).toEqual({ missing: 1 });
    }
    lag = {};
    expect((await audited(services, { resend: true })).states).toEqual({ missing: 1 });
    expect(sent).toHaveLength(1);
  });
});

test('a record that can not be read hides no other: an operator looks at it', async () => {
  await booked('a', ago(30));
  await booked('b', ago(30));
  await record('seats', 'event-a', 'OF ANOTHER RELEASE');
  expect((await audited(heardBy(SEATS))).states).toEqual({ failed: 1, missing: 1 });
});
