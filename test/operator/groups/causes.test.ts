import { PutCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { clock } from '../../../packages/kit/aws/clock.js';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { listAuditLog } from '../../../packages/operator/audit-log/audit-log.js';
import type { Outcome } from '../../../packages/operator/cli/outcome.js';
import { commandFormatter } from '../../../packages/operator/cli/text-format.js';
import { failuresCommands } from '../../../packages/operator/commands/failures.js';
import type { Service } from '../../../packages/operator/deployment/services.js';
import { showFailure } from '../../../packages/operator/failures/failures.js';
import { type AnnotateRequest, annotateCause } from '../../../packages/operator/groups/annotate.js';
import { listFailureCauses } from '../../../packages/operator/groups/cause-list.js';
import type { CauseSummary } from '../../../packages/operator/groups/cause-summary.js';
import type { CustomerSource } from '../../../packages/operator/groups/customers.js';
import { discardGroup } from '../../../packages/operator/groups/discard.js';
import { listFailureGroups } from '../../../packages/operator/groups/list.js';
import { redriveGroup } from '../../../packages/operator/groups/redrive.js';
import type { GroupRequest } from '../../../packages/operator/groups/run.js';
import { countByHour, sparkline } from '../../../packages/operator/groups/trend.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';

const NOW = Date.parse('2026-12-01T12:00:00.000Z');
const ago = (minutes: number): string => new Date(NOW - minutes * 60_000).toISOString();

const serviceOf = (name: string, consumers: readonly string[]): Service => ({
  name,
  table: `${name}-table`,
  records: `${name}-records`,
  relay: `${name}-relay`,
  feedShards: [],
  consumers: consumers.map((consumer) => ({
    name: consumer,
    generation: 0,
    queueUrl: `https://queue.test/${consumer}`,
    events: [{ service: 'trips', types: ['TripBooked', 'TripEnded'] }],
    dedupeWindowSeconds: 1,
    longestRedeliverySeconds: 1,
    projection: false,
    takesCommands: false,
  })),
});
const services = [
  serviceOf('hotel', ['rooms', 'meals']),
  serviceOf('rail', ['seats', 'bikes']),
  serviceOf('trips', []),
];
const CONSUMERS = ['rooms', 'meals', 'seats', 'bikes'];
const serviceNameOf = (consumer: string): string =>
  services.find(({ consumers }) => consumers.some(({ name }) => name === consumer))?.name ?? 'trips';

let sent: string[];
let said: string[];
let waited: number;
/** Fate of a message when time passes. */
let consume: (consumer: string, id: string) => Promise<unknown>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW - 60_000 });
  const index = { failed: ['failedConsumer', 'failedAt'], due: ['duePk', 'executeAt'] } as const;
  inProcessDynamoDb(
    Object.fromEntries(
      services.flatMap(({ table, records }) => [
        [table, ['pk', 'sk']],
        [records, ['pk']],
      ]),
    ),
    Object.fromEntries(services.map(({ records }) => [records, index])),
  );
  sent = [];
  said = [];
  waited = 0;
  waiting.splice(0);
  consume = processed;
});
afterEach(() => void vi.useRealTimers());

const waiting: (readonly [consumer: string, id: string])[] = [];
const context = {
  app: 'shop',
  documents: documentClient,
  clock,
  services,
  command: commandFormatter('shop'),
  actor: async () => 'olga',
  say: (line: string) => void said.push(line),
  stopped: () => false,
  wait: async (seconds: number) => {
    waited += seconds;
    vi.setSystemTime(Date.now() + seconds * 1000);
    for (const [consumer, id] of waiting.splice(0)) await consume(consumer, id);
  },
};
const ways = {
  documents: documentClient,
  clock,
  send: async (queueUrl: string, body: string) => {
    const consumer = queueUrl.split('/').at(-1) ?? '';
    const { id } = JSON.parse(body) as { id: string };
    sent.push(`${consumer} ${id}`);
    waiting.push([consumer, id]);
  },
  invoke: () => Promise.reject(new Error('no relay')),
};

/** An index comes a moment later. */
const indexed = () => vi.setSystemTime(Date.now() + 60_000);

async function failed(consumer: string, id: string, more: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const { minutesAgo = 10, message = 'data.seats invalid_type', ...rest } = more;
  const failedAt = ago(Number(minutesAgo));
  const Item = {
    pk: `${consumer}@0#${id}`,
    status: 'FAILED',
    messageId: id,
    failedConsumer: consumer,
    failedAt,
    failures: [{ at: failedAt, name: 'ContractViolation', message, stack: [] }],
    payload: JSON.stringify({ id }),
    type: 'TripBooked',
    source: 'shop.trips',
    subject: `Trip/${id}`,
    ...rest,
  };
  await documentClient.send(new PutCommand({ TableName: `${serviceNameOf(consumer)}-records`, Item }));
}

const update = (consumer: string, id: string, UpdateExpression: string, values: object, more: object = {}) =>
  documentClient.send(
    new UpdateCommand({
      TableName: `${serviceNameOf(consumer)}-records`,
      Key: { pk: `${consumer}@0#${id}` },
      UpdateExpression,
      ExpressionAttributeValues: { ...values },
      ...more,
    }),
  );
const processed = (consumer: string, id: string) =>
  update(
    consumer,
    id,
    'SET #status = :processed REMOVE failedConsumer',
    { ':processed': 'PROCESSED' },
    { ExpressionAttributeNames: { '#status': 'status' } },
  );
function failsAgain(consumer: string, id: string) {
  const at = new Date().toISOString();
  const failures = [{ at, name: 'ContractViolation', message: 'data.seats invalid_type', stack: [] }];
  return update(consumer, id, 'SET failures = :failures, failedAt = :at', { ':failures': failures, ':at': at });
}

/** Malformed events of one publisher, each refused by four consumers. */
async function badPublisher(events: number): Promise<void> {
  for (let n = 0; n < events; n++)
    for (const consumer of CONSUMERS) await failed(consumer, `event-${n}`, { minutesAgo: 20 + n });
  indexed();
}

const causes = (source?: CustomerSource): Promise<Outcome> => listFailureCauses(context, source);
const listed = async (): Promise<readonly CauseSummary[]> =>
  (await causes()).json.causes as unknown as readonly CauseSummary[];
const idOf = async (): Promise<string> => (await listed())[0]?.id ?? '';
const annotate = async (fields: AnnotateRequest['fields'], cause?: string): Promise<Outcome> =>
  annotateCause(context, { cause: cause ?? (await idOf()).slice(0, 7), fields });
const actions = async () =>
  (await listAuditLog(context, { back: 366 * 86_400 })).json.actions as readonly Record<string, unknown>[];

describe('orderly failures causes', () => {
  test('75 malformed events of one publisher are one cause, although 4 consumers have 300 failures of them', async () => {
    await badPublisher(75);
    const source: CustomerSource = {
      findBySubjects: async (_, subjects) => new Map(subjects.map((one) => [one, `customer-${one.length}`])),
      findInMessage: () => undefined,
    };
    const { exitCode, text, json } = await causes(source);
    expect(exitCode).toBe(4);
    expect(json.groups).toHaveLength(4);
    expect(json.causes).toEqual([
      expect.objectContaining({
        error: 'ContractViolation',
        message: 'data.seats invalid_type',
        publisher: 'trips',
        type: 'TripBooked',
        count: 300,
        consumers: 4,
        groups: expect.arrayContaining([expect.objectContaining({ service: 'rail', consumer: 'seats', count: 75 })]),
        subjects: { count: 75, newest: ['Trip/event-0', 'Trip/event-1', 'Trip/event-2'] },
        customers: { count: 2, newest: ['customer-12', 'customer-13'], looked: 100 },
        first: ago(94),
        last: ago(20),
        lastHour: 160,
        older: 0,
        trend: [...Array<number>(22).fill(0), 140, 160],
      }),
    ]);
    const [cause] = json.causes as unknown as readonly CauseSummary[];
    const groups = json.groups as readonly { readonly id: string; readonly causes: readonly string[] }[];
    expect(cause?.groups.map(({ id }) => id).toSorted()).toEqual(groups.map(({ id }) => id).toSorted());
    expect(groups.map((group) => group.causes)).toEqual(Array(4).fill([cause?.id]));
    const id = cause?.id.slice(0, 7);
    expect(text.split('\n').slice(0, 6)).toEqual([
      '300 failures of 1 cause, 160 in the last hour',
      '',
      `${id}  300 failures at 4 consumers: TripBooked of trips`,
      '  ContractViolation: data.seats invalid_type',
      '  24 h       ······················▇█  160 in the last hour',
      '  failed     first 94 min ago, last 20 min ago',
    ]);
    expect(text).toContain(`\n  shop failures redrive --cause ${id}\n`);
    expect(text).toContain(`\n  shop failures discard --cause ${id} --reason '<why>'\n`);
  });

  test('what another publisher sent, of another type, or with another error, is another cause', async () => {
    await failed('rooms', 'a');
    await failed('seats', 'b', { type: 'TripEnded' });
    await failed('seats', 'c', { source: 'shop.agency' });
    await failed('bikes', 'd', { message: 'data.bikes too_big' });
    indexed();
    expect(
      (await listed()).map(({ publisher, type, message }) => `${publisher} ${type} ${message}`).toSorted(),
    ).toEqual([
      'agency TripBooked data.seats invalid_type',
      'trips TripBooked data.bikes too_big',
      'trips TripBooked data.seats invalid_type',
      'trips TripEnded data.seats invalid_type',
    ]);
  });

  test('a record without a source has the publisher to whose type its consumer subscribes', async () => {
    await failed('rooms', 'a');
    await failed('seats', 'b', { source: undefined });
    await failed('bikes', 'c', { source: undefined, type: undefined });
    await failed('meals', 'd', { source: 'other.trips' });
    await documentClient.send(
      new PutCommand({
        TableName: 'trips-records',
        Item: {
          pk: 'relay@0#Trip#1/C',
          status: 'FAILED',
          messageId: 'Trip#1/C',
          failedConsumer: 'relay',
          failedAt: ago(9),
        },
      }),
    );
    indexed();
    expect((await listed()).map(({ publisher, consumers }) => ({ publisher, consumers }))).toEqual(
      expect.arrayContaining([
        { publisher: 'trips', consumers: 2 },
        { publisher: undefined, consumers: 1 },
        // The services of another application are not ours, whatever they are called.
        { publisher: 'other.trips', consumers: 1 },
        { publisher: 'trips', consumers: 1 },
      ]),
    );
  });

  test('says that there are none', async () =>
    expect(await causes()).toEqual({
      exitCode: 0,
      text: 'no failures',
      json: { groups: [], causes: [], unreadable: 0 },
    }));

  test.each([[60], [80], [200]])('fits a terminal of %d columns, but for commands', async (columns) => {
    await badPublisher(3);
    await annotate({ note: 'x'.repeat(300) });
    vi.spyOn(process, 'stdout', 'get').mockReturnValue({ isTTY: true, columns } as never);
    const { text } = await causes();
    vi.restoreAllMocks();
    const lines = text.split('\n').filter((line) => !line.includes('shop failures') && !/^(next|or|so)/.test(line));
    const widest = Math.max(...lines.map(({ length }) => length));
    expect(widest).toBeLessThanOrEqual(columns);
    expect(widest).toBeGreaterThan(columns - 30);
  });
});

describe('a trend', () => {
  test('counts by the hour: the last hour ends now, the future belongs to it, and older times are in none', () => {
    const now = ago(0);
    const trend = countByHour([ago(-1), ago(0), ago(59), ago(60), ago(23 * 60 + 59), ago(24 * 60)], now);
    expect(trend).toEqual([1, ...Array<number>(21).fill(0), 1, 3]);
  });

  test('is drawn with one sign for each hour: a dot for none, and the full height for the most', () => {
    expect(sparkline([0, 1, 4, 8, 1000])).toBe('·▁▁▁█');
    expect(sparkline([1, 2, 3, 4, 5, 6, 7, 8])).toBe('▁▂▃▄▅▆▇█');
    expect(sparkline([0, 0])).toBe('··');
  });
});

describe('orderly failures annotate', () => {
  const noted = async () => (await listed())[0]?.note;

  test('keeps owner, ticket and note, which causes, groups and each failure show', async () => {
    await badPublisher(2);
    const id = await idOf();
    const { text, json } = await annotate({ owner: 'rosa', ticket: '4711' });
    expect(text).toMatch(new RegExp(`^${id.slice(0, 7)}: owner rosa, ticket 4711 \\(by olga\\)`));
    expect(json.annotation).toMatchObject({ cause: id, owner: 'rosa', ticket: '4711', by: 'olga' });
    indexed();
    // What is not given stays; an empty text removes.
    await annotate({ note: 'trips 2.1 is bad', ticket: '' });
    expect(await noted()).toEqual({ owner: 'rosa', note: 'trips 2.1 is bad', by: 'olga', at: expect.any(String) });
    const words = 'owner rosa: trips 2.1 is bad';
    expect((await causes()).text).toContain(`\n  noted    ${words} (by olga, `);
    expect((await listFailureGroups(context, { consumer: 'seats' })).text).toContain(`at 1 consumer; ${words}\n`);
    const shown = await showFailure(context, { consumer: 'seats', messageId: 'event-1', payload: false });
    expect(shown.text).toMatch(new RegExp(`\\ncause ${id.slice(0, 7)} \\(${words}\\): shop failures causes$`));
    expect(shown.json.failure).toMatchObject({ cause: id, note: { owner: 'rosa' } });
    expect((await actions()).toReversed()).toMatchObject([
      { action: 'annotate', actor: 'olga', cause: id, reason: 'owner rosa, ticket 4711', service: 'trips' },
      { action: 'annotate', actor: 'olga', cause: id, reason: words },
    ]);
    expect((await listAuditLog(context, { back: 86_400 })).text).toContain('result  noted');
  });

  test('is one item in the table of the publisher, which expires 400 days after its last change', async () => {
    await badPublisher(1);
    await annotate({ owner: 'rosa' });
    await annotate({ owner: 'tom' });
    const { Items = [] } = await documentClient.send(new ScanCommand({ TableName: 'trips-table' }));
    const notes = Items.filter(({ pk }) => pk === 'AUDIT#CAUSES');
    expect(notes).toEqual([expect.objectContaining({ sk: await idOf(), owner: 'tom' })]);
    expect(Number(notes[0]?.expiresAt)).toBe(Math.floor(NOW / 1000) + 400 * 86_400);
  });

  test('of two notes about one cause, as two operators may write at once, the newer one counts', async () => {
    await badPublisher(1);
    const cause = await idOf();
    for (const [service, owner, at] of [
      ['hotel', 'rosa', ago(1)],
      ['trips', 'tom', ago(2)],
    ] as const)
      await documentClient.send(
        new PutCommand({
          TableName: `${service}-table`,
          Item: { pk: 'AUDIT#CAUSES', sk: cause, owner, by: owner, at },
        }),
      );
    expect(await noted()).toMatchObject({ owner: 'rosa' });
    // The next change is made to the one that counts.
    await annotate({ ticket: '4711' });
    expect(await noted()).toMatchObject({ owner: 'rosa', ticket: '4711' });
  });

  test('stays while the cause is gone, and is deleted when it says nothing', async () => {
    await failed('rooms', 'a', { source: 'other.agency' });
    indexed();
    const id = await idOf();
    await annotate({ ticket: '4711' });
    await processed('rooms', 'a');
    indexed();
    expect(await listed()).toEqual([]);
    await failed('seats', 'b', { source: 'other.agency' });
    indexed();
    expect(await noted()).toMatchObject({ ticket: '4711' });
    await annotate({ ticket: '' }, id);
    expect(await noted()).toBeUndefined();
    await expect(annotate({ note: 'x' }, 'ffff')).rejects.toMatchObject({
      code: 'not-found',
      next: ['failures', 'causes'],
    });
  });
});

describe('orderly failures redrive --cause', () => {
  const redrive = async (more: Partial<GroupRequest> = {}): Promise<Outcome> =>
    redriveGroup(context, { group: (await idOf()).slice(0, 7), isCause: true, rate: 10, dryRun: false, ...more }, ways);

  test('sends one message of each consumer as a probe, and then all others', async () => {
    await badPublisher(10);
    const id = await idOf();
    const { exitCode, text, json } = await redrive();
    expect({ exitCode, text }).toEqual({
      exitCode: 0,
      text: `${id.slice(0, 7)}: done: all 40 were processed\n  sent 40: 40 processed, 0 failed again, 0 without a result\n\nnext:\n  shop failures causes`,
    });
    expect(sent.slice(0, 4).toSorted()).toEqual(CONSUMERS.map((consumer) => `${consumer} event-9`).toSorted());
    expect(new Set(sent).size).toBe(40);
    expect(json.redriveCause).toMatchObject({ id, cause: { publisher: 'trips' }, sent: 40, processed: 40, left: 0 });
    expect(said[0]).toContain(
      'one message of each of 4 consumers is sent as a probe; waits up to 20 s for their results',
    );
    expect(said[1]).toMatch(/: 25 of 40, .*, about \d+ s left$/);
    const entries = await actions();
    expect(entries).toHaveLength(40);
    expect(entries.every((entry) => entry.cause === id && entry.group === undefined)).toBe(true);
    expect((await listAuditLog(context, { back: 86_400 })).text).toContain(`cause ${id}: 40 messages`);
    indexed();
    expect((await causes()).text).toBe('no failures');
  });

  test('sends nothing else if the probe of one consumer fails again', async () => {
    await badPublisher(3);
    consume = (consumer, id) => (consumer === 'bikes' ? failsAgain(consumer, id) : processed(consumer, id));
    const { exitCode, text } = await redrive();
    expect(exitCode).toBe(5);
    expect(sent).toHaveLength(4);
    expect(text).toMatch(/stopped, since the probe failed again: ContractViolation: data.seats invalid_type\n/);
    expect(text).toContain('not reached: 8');
    expect(text).toContain('shop failures show bikes event-2');
  });

  test('keeps the rate, and says before how long it takes', async () => {
    await badPublisher(5);
    const dry = await redrive({ dryRun: true, rate: 2 });
    expect(dry.text).toMatch(/would send 20 messages to .*, the first one of each as a probe, in about 10 s\n/);
    expect(dry.json.redriveCause).toMatchObject({ result: 'dry-run', sendable: 20 });
    expect(sent).toEqual([]);
    expect(await actions()).toEqual([]);
    await redrive({ rate: 2 });
    // 4 probes and 16 others, half a second apart.
    expect(waited).toBeGreaterThanOrEqual(3 * 0.5 + 16 * 0.5);
  });
});

test('orderly failures discard --cause ends the failures of all consumers, each with its reason and its entry', async () => {
  await badPublisher(2);
  await failed('seats', 'other', { message: 'something else' });
  indexed();
  const request = { group: await idOf(), isCause: true, rate: 10, dryRun: false, reason: 'ticket 4711' };
  const dry = await discardGroup(context, { ...request, dryRun: true });
  expect(dry.text).toContain(': 8 failures at 4 consumers would be discarded: ticket 4711\n');
  expect(await actions()).toEqual([]);
  const { exitCode, json } = await discardGroup(context, request);
  expect(exitCode).toBe(0);
  expect(json.discardCause).toMatchObject({ id: request.group, discarded: 8, refused: 0, left: 0 });
  expect((await actions()).map(({ action, cause, reason }) => ({ action, cause, reason }))).toEqual(
    Array(8).fill({ action: 'discard', cause: request.group, reason: 'ticket 4711' }),
  );
  indexed();
  expect((await listed()).map(({ message }) => message)).toEqual(['something else']);
});

describe('the command line', () => {
  const parse = (name: string, words: readonly string[], options: object) =>
    failuresCommands('seats')
      .find((one) => one.name === name)
      ?.parse({ words, options: options as never, wrong: (mistake) => Object.assign(new Error(mistake)) as never });
  const redriveOptions = { rate: '10', 'dry-run': false, 'not-done': false, cause: undefined, group: undefined };

  test('takes a cause or a group, and not both', () => {
    const both = { ...redriveOptions, cause: '871dfe3', group: '871dfe3' };
    expect(() => parse('failures redrive', [], both)).toThrow(
      "'failures redrive' takes --cause or --group: expected one of them.",
    );
    expect(parse('failures redrive', [], { ...redriveOptions, cause: '871dfe3' })?.request).toEqual({
      group: '871dfe3',
      isCause: true,
      rate: 10,
      dryRun: false,
    });
    expect(() => parse('failures redrive', [], { ...redriveOptions, cause: 'x' })).toThrow(
      "--cause is 'x': expected 4 to 16 hexadecimal digits, as 'failures causes' prints.",
    );
  });

  test('takes a note of at most 500 characters about a cause', () => {
    const none = { owner: undefined, ticket: undefined, note: undefined };
    expect(() => parse('failures annotate', ['871dfe3'], none)).toThrow('needs --owner, --ticket or --note');
    expect(() => parse('failures annotate', ['871dfe3'], { ...none, note: 'x'.repeat(501) })).toThrow(
      '--note has 501 characters: expected at most 500.',
    );
    expect(() => parse('failures annotate', ['seats'], { ...none, owner: 'rosa' })).toThrow("the cause is 'seats'");
    expect(parse('failures annotate', ['871dfe3'], { ...none, note: ' two\n lines ' })?.request).toEqual({
      cause: '871dfe3',
      fields: { note: 'two lines' },
    });
  });
});
