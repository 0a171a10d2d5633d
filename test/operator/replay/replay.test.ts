import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { clock } from '../../../packages/kit/aws/clock.js';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { newId } from '../../../packages/kit/aws/ids.js';
import { REPLAY } from '../../../packages/kit/failures/delivery.js';
import { relayConsumer } from '../../../packages/kit/failures/failure-records.js';
import { readEnvelope } from '../../../packages/kit/messages/envelope.js';
import { listAuditLog } from '../../../packages/operator/audit-log/audit-log.js';
import { OperatorError } from '../../../packages/operator/cli/errors.js';
import { commandFormatter } from '../../../packages/operator/cli/text-format.js';
import { replayCommand } from '../../../packages/operator/commands/replay.js';
import type { Service } from '../../../packages/operator/deployment/services.js';
import { replay } from '../../../packages/operator/replay/replay-command.js';
import type { ReplayAccess } from '../../../packages/operator/replay/replay-run.js';
import type { ReplayRequest } from '../../../packages/operator/replay/request.js';
import {
  ago,
  booked,
  consumer,
  DAY_MINUTES,
  emptyTables,
  heardBy,
  NOW,
  placeInFeed,
  put,
  record,
} from '../bookings.js';

const SEATS = consumer('seats');
/** Consumer that was deployed today. */
const NEW = consumer('seats', { since: ago(600) });
const POINTS = consumer('seats', { inbox: { mode: 'sequential', queueUrl: 'https://queue/runner' } });
const LIST = consumer('seats', { projection: true, rebuild: 'rebuild-list' });

interface Sent {
  readonly queueUrl: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, string>> | undefined;
  readonly group: string | undefined;
}

let sent: Sent[] = [];
let waits: number[] = [];
let said: string[] = [];
let confirmed: string[] = [];
/** Number of messages in the queue at each look; then none. */
let backlog: number[] = [];
let created: string | undefined;
/** Called after each message that was sent. */
let afterSend: () => void = () => undefined;
let stopped = false;
const access: ReplayAccess = {
  now: () => NOW,
  messagesIn: async () => backlog.shift() ?? 0,
  createdAt: async () => created,
  send: async (queueUrl, body, attributes, group) => {
    sent.push({ queueUrl, body, attributes, group });
    afterSend();
  },
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(NOW) - 86_400_000 });
  sent = [];
  waits = [];
  said = [];
  confirmed = [];
  backlog = [];
  created = ago(600);
  afterSend = () => undefined;
  stopped = false;
  emptyTables();
});
afterEach(() => void vi.useRealTimers());

const lastHours = (hours: number) => ({ kind: 'span', from: ago(hours * 60), to: undefined }) as const;

async function replayed(services: readonly Service[], request: Partial<ReplayRequest> = {}) {
  const asked: ReplayRequest = {
    consumer: 'seats',
    selection: lastHours(3),
    rate: 10,
    again: false,
    dryRun: false,
    ...request,
  };
  const { exitCode, text, json } = await replay(
    {
      app: 'shop',
      documents: documentClient,
      clock,
      services,
      command: commandFormatter('shop'),
      say: (line) => void said.push(line),
      actor: async () => 'olga',
      place: 'prod',
      confirm: async (what) => void confirmed.push(what),
      wait: async (seconds) => void waits.push(seconds),
      stopped: () => stopped,
    },
    asked,
    access,
  );
  return { exitCode, text, found: json.replay as Readonly<Record<string, unknown>> };
}
const refused = (services: readonly Service[], request: Partial<ReplayRequest> = {}) =>
  replayed(services, request).then(
    () => expect.fail('it was not refused'),
    (error: unknown) => {
      if (!(error instanceof OperatorError)) throw error;
      expect(sent).toEqual([]);
      return { code: error.code, message: error.message, next: [error.next ?? []].flat().join(' ') };
    },
  );
const idsSent = () => sent.map(({ body }) => readEnvelope(body).id);

describe('a replay', () => {
  test('sends what has no record, as the bus would have sent it, to that consumer only, and says first how long it takes', async () => {
    await booked('b', ago(30));
    await booked('a', ago(90));
    await booked('done', ago(90));
    await record('seats', 'event-done', 'PROCESSED');
    const { exitCode, text } = await replayed(heardBy(SEATS, consumer('rooms')));
    expect(said[0]).toMatch(/^seats: 3 messages in 3 commits, --from \S+ --to \S+\n {2}to send +2\n/);
    expect(said[0]).toMatch(/processed, not sent +1\nit takes 0 s at 10 in a second\n/);
    expect(confirmed).toEqual(['replay of 2 messages to seats in prod']);
    expect(sent.map(({ queueUrl, group }) => [queueUrl, group])).toEqual([
      ['https://queue/seats', 'replay'],
      ['https://queue/seats', 'replay'],
    ]);
    expect(sent.map(({ body }) => readEnvelope(body))).toMatchObject([
      { id: 'event-a', source: 'shop.trips', subject: 'Trip/a', sequence: 1, time: ago(90), data: { seat: '14A' } },
      { id: 'event-b', source: 'shop.trips', subject: 'Trip/b', sequence: 1 },
    ]);
    expect(waits).toEqual([0.1]);
    expect(exitCode).toBe(0);
    expect(text).toMatch(/^seats: done: sent 2 messages\n/);
    expect(text).toMatch(/did all of them arrive\?:\n {2}shop replay --consumer seats --from \S+ --to \S+ --dry-run$/);
    const log = await listAuditLog({ documents: documentClient, clock, services: heardBy(SEATS) }, { back: 2_000 });
    expect(log.text).toMatch(/replay\n +by +olga\n +to +hotel: seats\n +why +--from .*: 2 messages\n +result +2 sent$/);
  });

  test('a replay with --dry-run says the same, and sends and keeps nothing', async () => {
    await booked('a', ago(30));
    const { exitCode, text, found } = await replayed(heardBy(SEATS), { dryRun: true });
    expect({ exitCode, sent, confirmed }).toEqual({ exitCode: 0, sent: [], confirmed: [] });
    expect(text).toMatch(/to send +1\n/);
    expect(text).toMatch(/next: shop replay --consumer seats --from \S+ --to \S+$/);
    expect(found).toMatchObject({ result: 'dry-run', estimate: { commits: 1, messages: 1, toSend: 1 } });
    expect(
      (await listAuditLog({ documents: documentClient, clock, services: heardBy(SEATS) }, { back: 2_000 })).json,
    ).toEqual({
      actions: [],
    });
  });

  test.each(['FAILED', 'DISCARDED', 'PENDING', 'REPEATED'])('leaves out what is %s', async (status) => {
    await booked('a', ago(30));
    await record('seats', 'event-a', status);
    const { exitCode, text } = await replayed(heardBy(SEATS));
    expect(sent).toEqual([]);
    expect(confirmed).toEqual([]);
    expect(text).toMatch(/^seats: nothing to send: every message has a record/);
    expect(exitCode).toBe(/FAILED|REPEATED/.test(status) ? 4 : 0);
  });

  test.each(['FAILED', 'DISCARDED'])('leaves out a commit whose publication is %s', async (status) => {
    await booked('a', ago(30));
    await record(relayConsumer.name, 'Trip#a/COMMIT#0000000001', status, 'trips-records');
    await replayed(heardBy(SEATS));
    expect(sent).toEqual([]);
  });

  test('leaves out a commit that must not be published', async () => {
    await booked('backfill', ago(30), { published: false });
    await booked('a', ago(30));
    await replayed(heardBy(SEATS));
    expect(idsSent()).toEqual(['event-a']);
  });

  test('a replay of a time without messages for the consumer says so', async () => {
    expect((await replayed(heardBy(SEATS))).text).toBe('seats: nothing to send: it receives no message of them');
  });

  test('a replay of one aggregate sends its messages only', async () => {
    await booked('a', ago(30));
    await booked('b', ago(30));
    await replayed(heardBy(SEATS), { selection: { kind: 'aggregate', subject: 'Trip/b' } });
    expect(idsSent()).toEqual(['event-b']);
  });

  test('a replay of one event finds its commit by the time in the id', async () => {
    vi.setSystemTime(Date.parse(ago(90)));
    const [id, other, feedSk] = [newId(), newId(), newId()];
    const event = (eventId: string) => ({ id: eventId, type: 'TripBooked', schemaVersion: 1, data: '{}' });
    await booked('a', ago(90), { events: [event(other), event(id)], lastVersion: 2, feedSk });
    await booked('b', ago(90));
    await replayed(heardBy(SEATS), { selection: { kind: 'event', id } });
    expect(idsSent()).toEqual([id]);
    expect(readEnvelope(sent[0]?.body ?? '')).toMatchObject({ sequence: 2, subject: 'Trip/a' });
  });

  test('sends in portions at a high rate', async () => {
    for (let at = 0; at < 12; at++) await booked(`trip-${at}`, ago(30));
    await replayed(heardBy(SEATS), { rate: 50 });
    expect(waits).toEqual([0.1, 0.1]);
  });

  test('waits while the queue is full, so that others are processed soon', async () => {
    await booked('a', ago(30));
    backlog = [5_000, 1_001];
    expect((await replayed(heardBy(SEATS))).exitCode).toBe(0);
    expect(waits).toEqual([5, 5]);
    expect(said).toContain('seats: waits, since its queue has 5000 messages');
  });

  test('ends if the queue stays full', async () => {
    await booked('a', ago(30));
    backlog = Array.from({ length: 100 }, () => 5_000);
    const { exitCode, text } = await replayed(heardBy(SEATS));
    expect({ exitCode, sent }).toEqual({ exitCode: 3, sent: [] });
    expect(text).toMatch(/^seats: stopped, since its queue stays full: sent 0, about 1 are left/);
  });
});

describe('a replay that was stopped', () => {
  const selection = { kind: 'span', from: ago(240), to: ago(10) } as const;
  const stopAfter = (messages: number): void => {
    afterSend = () => {
      stopped = sent.length >= messages;
    };
  };

  test('prints the command that continues, from the hour that was not finished', async () => {
    await booked('a', ago(200));
    // Both of one hour, in shards of which the later one has the earlier commit.
    await booked('cc', ago(110));
    await booked('b', ago(100 + 15));
    stopAfter(2);
    const { exitCode, text, found } = await replayed(heardBy(SEATS), { selection, rate: 5 });
    expect(exitCode).toBe(3);
    expect(text).toMatch(/^seats: stopped by you: sent 2, about 1 are left/);
    const words = `replay --consumer seats --from 2026-12-01T10:00:00.000Z --to ${ago(10)} --rate 5`;
    expect(text).toContain(`to continue:\n  shop ${words}`);
    expect(found).toMatchObject({ result: 'stopped', sent: 2, left: 1, next: [`shop ${words}`] });
    // What was sent is processed meanwhile.
    for (const id of idsSent()) await record('seats', id, 'PROCESSED');
    const first = idsSent();
    stopped = false;
    stopAfter(100);
    const from = '2026-12-01T10:00:00.000Z';
    await replayed(heardBy(SEATS), { selection: { ...selection, from } });
    expect(idsSent().slice(2)).toEqual(['event-a', 'event-b', 'event-cc'].filter((id) => !first.includes(id)));
  });

  test('continues from its own beginning, if that is later than the hour', async () => {
    await booked('a', ago(100));
    await booked('b', ago(99));
    stopAfter(1);
    const { text } = await replayed(heardBy(SEATS), { selection: { ...selection, from: ago(101) } });
    expect(text).toContain(`--from ${ago(101)} --to ${ago(10)}`);
  });

  test('a replay that an error stopped says how to continue, and keeps what it has sent', async () => {
    await booked('a', ago(200));
    await booked('b', ago(100));
    afterSend = () => {
      if (sent.length === 2) throw new Error('network');
    };
    await expect(replayed(heardBy(SEATS), { selection })).rejects.toThrow('network');
    expect(said.at(-1)).toMatch(/to continue: shop replay --consumer seats --from 2026-12-01T10:00:00.000Z --to /);
    const log = await listAuditLog({ documents: documentClient, clock, services: heardBy(SEATS) }, { back: 2_000 });
    expect(log.json).toMatchObject({ actions: [{ action: 'replay', result: '1 sent' }] });
  });
});

describe('an event that is older than the deduplication window', () => {
  const old = ago(40 * DAY_MINUTES);
  const selection = { kind: 'span', from: ago(40 * DAY_MINUTES + 5), to: ago(39 * DAY_MINUTES) } as const;
  beforeEach(() => booked('old', old));

  test('an old event is refused at a consumer that may have processed it', async () => {
    expect(await refused(heardBy(SEATS), { selection })).toEqual({
      code: 'refused',
      message: expect.stringMatching(
        /^Not replayed: 1 message is so old, of 1, that .*: 'seats' may have processed such a message, and would do it again\. Only a consumer whose stack says `since`.* raise its generation to 1, with `since`, and add --again\.$/,
      ),
      next: 'failures list --consumer seats',
    });
  });

  test('an old event is refused, with the time from which on nothing is too old', async () => {
    await booked('a', ago(30));
    await booked('b', ago(20));
    const { next } = await refused(heardBy(SEATS), { selection: { ...selection, to: ago(1) } });
    expect(next).toBe(`replay --consumer seats --from ${ago(30)} --to ${ago(1)}`);
  });

  test('an old event with a record is no reason to refuse', async () => {
    await record('seats', 'event-old', 'PROCESSED');
    expect((await replayed(heardBy(SEATS), { selection })).exitCode).toBe(0);
  });

  test('an old event is sent, marked, to a consumer that did not exist then', async () => {
    await replayed(heardBy(NEW), { selection });
    expect(idsSent()).toEqual(['event-old']);
    expect(sent[0]?.attributes).toHaveProperty(REPLAY);
  });

  test('an old event is refused at a consumer whose first records may have expired', async () => {
    const services = heardBy(consumer('seats', { since: ago(34 * DAY_MINUTES - 30) }));
    created = ago(34 * DAY_MINUTES);
    expect((await refused(services, { selection })).message).toMatch(/deployed since .*, so its first records have/);
  });

  test('an old event is refused if the queue is older than what the stack says', async () => {
    created = ago(600 + DAY_MINUTES + 1);
    expect((await refused(heardBy(NEW), { selection })).message).toContain('but its queue exists since');
    created = undefined;
    expect((await refused(heardBy(NEW), { selection })).message).toContain("but its queue can't be read");
  });

  test('an old command is refused, since a new consumer has no claim on it', async () => {
    const commands = [{ id: 'command', to: 'hotel', type: 'BookMeal', schemaVersion: 1, data: '{}' }];
    await booked('b', old, { commands });
    const meals = consumer('seats', { events: [], takesCommands: true, since: ago(600) });
    expect((await refused(heardBy(meals), { selection })).message).toMatch(
      /^Not replayed: 1 message is so old, of 1, /,
    );
  });

  test('an old event is sent to a sequential inbox, whose cursor never expires', async () => {
    await replayed(heardBy(POINTS), { selection });
    expect(idsSent()).toEqual(['event-old']);
    expect(said[0]).toMatch(/the inbox restores the order of each aggregate/);
  });

  test('an old event is not marked for a consumer without a reliable time', async () => {
    await booked('a', ago(30));
    created = ago(600 + DAY_MINUTES + 1);
    await replayed(heardBy(NEW), { selection: lastHours(2) });
    expect(sent.map(({ attributes }) => attributes)).toEqual([{}]);
  });
});

describe('--again', () => {
  test('needs a new generation, and says how to get it', async () => {
    await booked('a', ago(30));
    const { message, next } = await refused(heardBy(SEATS), { again: true });
    expect(message).toMatch(
      /'seats' has generation 0, .* set `generation: 1` and `since: '<today>'` of 'seats' in the/,
    );
    expect(next).toMatch(/^replay --consumer seats --from \S+ --to \S+ --again$/);
  });

  test('a new generation needs --again, since it does not recognise what the earlier one did', async () => {
    await booked('a', ago(30));
    await record('seats', 'event-a', 'PROCESSED');
    const raised = heardBy(consumer('seats', { generation: 1, since: ago(60) }));
    const { message, next } = await refused(raised);
    expect(message).toMatch(/has generation 1, which doesn't recognise what an earlier generation processed/);
    expect(next).toMatch(/ --again$/);
    await replayed(raised, { again: true });
    expect(idsSent()).toEqual(['event-a']);
  });

  test('sends what is too old for the records of an earlier generation', async () => {
    await booked('old', ago(40 * DAY_MINUTES));
    const selection = { kind: 'span', from: ago(40 * DAY_MINUTES + 5), to: ago(39 * DAY_MINUTES) } as const;
    // The queue is as old as generation 0.
    created = ago(300 * DAY_MINUTES);
    await replayed(heardBy(consumer('seats', { generation: 1, since: ago(60) })), { selection, again: true });
    expect(idsSent()).toEqual(['event-old']);
  });
});

describe('a replay is refused', () => {
  test('a replay to a projection is refused, since that is rebuilt', async () => {
    expect(await refused(heardBy(LIST))).toMatchObject({
      message: expect.stringContaining('is a projection'),
      next: 'projections rebuild seats',
    });
  });

  test.each<[string, Partial<ReplayRequest>, RegExp]>([
    ['to a consumer that does not exist', { consumer: 'nobody' }, /There is no consumer 'nobody'; there are: /],
    ['to a relay', { consumer: 'relay' }, /'relay' publishes commits/],
    ['of an empty span', { selection: { kind: 'span', from: ago(1), to: ago(2) } }, /ends .* before it begins/],
    [
      'of an aggregate without commits',
      { selection: { kind: 'aggregate', subject: 'Trip/x' } },
      /has a commit of Trip\/x/,
    ],
    ['of an unknown event', { selection: { kind: 'event', id: 'x' } }, /has a commit of event x/],
  ])('%s', async (_, request, message) => {
    expect((await refused(heardBy(SEATS), request)).message).toMatch(message);
  });

  test('a replay of an event without a subscription of the consumer is refused', async () => {
    await booked('a', ago(30), { events: [{ id: 'e', type: 'TripMoved', schemaVersion: 1, data: '{}' }] });
    const selection = { kind: 'aggregate', subject: 'Trip/a' } as const;
    expect((await refused(heardBy(SEATS), { selection })).message).toBe("Not replayed: 'seats' doesn't hear Trip/a.");
  });
});

test('a span is read hour by hour, of all services that the consumer subscribes to', async () => {
  const events = ['trips', 'hotel'].map((service) => ({ service, types: ['TripBooked'] }));
  await booked('late', ago(30));
  await booked('early', ago(130));
  const commit = (id: string, at: string) => ({
    pk: `Room#${id}`,
    sk: 'COMMIT#0000000001',
    events: [{ id: `event-${id}`, type: 'TripBooked', schemaVersion: 1, data: '{}' }],
    lastVersion: 1,
    trigger: 't',
    actor: 'user:alice',
    correlationId: 'c',
    traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
    at,
    feedPk: `${at.slice(0, 13)}#1`,
    feedSk: placeInFeed(at, id),
  });
  await put('hotel', commit('room-late', ago(31)));
  await put('hotel', commit('room-early', ago(131)));
  vi.advanceTimersByTime(60_000);
  await replayed(heardBy(consumer('seats', { events })), { selection: lastHours(4) });
  expect(idsSent().map((id) => id.replace('room-', ''))).toEqual([
    'event-early',
    'event-early',
    'event-late',
    'event-late',
  ]);
});

describe('the command line', () => {
  const parse = (options: Record<string, string | boolean>) =>
    replayCommand('seats').parse({
      words: [],
      options: { rate: '10', again: false, 'dry-run': false, ...options } as never,
      wrong: (mistake) => new OperatorError('usage', mistake),
    }).request;

  test.each([
    [
      { consumer: 'seats', from: '2026-12-01T08:00:00Z', rate: '100' },
      { selection: { kind: 'span', from: '2026-12-01T08:00:00.000Z', to: undefined }, rate: 100, again: false },
    ],
    [{ consumer: 'seats', aggregate: 'Trip/a' }, { selection: { kind: 'aggregate', subject: 'Trip/a' } }],
    [
      { consumer: 'seats', event: 'e', again: true },
      { selection: { kind: 'event', id: 'e' }, again: true },
    ],
  ])('takes %o', (options, request) => expect(parse(options)).toMatchObject(request));

  test.each([
    [{ from: '2026-12-01' }, "'replay' needs --consumer."],
    [{ consumer: 'seats' }, "'replay' needs one of --from, --aggregate and --event."],
    [{ consumer: 'seats', from: '2026-12-01', event: 'e' }, "'replay' needs one of --from, --aggregate and --event."],
    [{ consumer: 'seats', event: 'e', to: '2026-12-01' }, '--to needs --from.'],
    [{ consumer: 'seats', from: 'yesterday' }, "--from is 'yesterday': expected a time"],
    [{ consumer: 'seats', aggregate: 'a' }, "--aggregate is 'a': expected its type and id, as Trip/3f9c…"],
    [{ consumer: 'seats', event: 'e', rate: '0' }, "--rate is '0': expected 1 to 100."],
  ])('refuses %o', (options, mistake) => expect(() => parse(options)).toThrow(mistake));
});
