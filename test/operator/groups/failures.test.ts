import { GetCommand, PutCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { clock } from '../../../packages/kit/aws/clock.js';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { listAuditLog } from '../../../packages/operator/audit-log/audit-log.js';
import type { Outcome } from '../../../packages/operator/cli/outcome.js';
import { commandFormatter, wrapText } from '../../../packages/operator/cli/text-format.js';
import type { Service } from '../../../packages/operator/deployment/services.js';
import { type CustomerSource, type FailedItem, findCustomers } from '../../../packages/operator/groups/customers.js';
import { discardGroup } from '../../../packages/operator/groups/discard.js';
import { listFailureGroups } from '../../../packages/operator/groups/list.js';
import { redriveGroup } from '../../../packages/operator/groups/redrive.js';
import type { GroupRequest } from '../../../packages/operator/groups/run.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';

const NOW = Date.parse('2026-12-01T12:00:00.000Z');
const ago = (minutes: number): string => new Date(NOW - minutes * 60_000).toISOString();

const service = {
  name: 'trips',
  table: 'table',
  records: 'records',
  relay: 'trips-relay',
  feedShards: [],
  consumers: ['seats', 'meals'].map((name) => ({
    name,
    generation: 0,
    queueUrl: `https://queue.test/${name}`,
    events: [],
    dedupeWindowSeconds: 1,
    longestRedeliverySeconds: 1,
    projection: false,
    takesCommands: false,
  })),
} satisfies Service;

let said: string[];
let stopAfter: number;
let sent: string[];
/** Fate of a message when time passes. */
let consume: (id: string) => Promise<void>;
let waited: number[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW - 60_000 });
  inProcessDynamoDb(
    { table: ['pk', 'sk'], records: ['pk'] },
    { records: { failed: ['failedConsumer', 'failedAt'], due: ['duePk', 'executeAt'] } },
  );
  said = [];
  sent = [];
  waited = [];
  stopAfter = Number.POSITIVE_INFINITY;
  consume = processed;
});
afterEach(() => void vi.useRealTimers());

const context = {
  app: 'shop',
  documents: documentClient,
  clock,
  services: [service],
  command: commandFormatter('trips'),
  actor: async () => 'olga',
  say: (line: string) => void said.push(line),
  pageOn: ({ what }: { readonly what: string }) => `runbook, "${what}"`,
  stopped: () => sent.length >= stopAfter,
  wait: async (seconds: number) => {
    waited.push(seconds);
    vi.setSystemTime(Date.now() + seconds * 1000);
    for (const id of waiting.splice(0)) await consume(id);
  },
};
/** Messages that were sent, and that no consumer has looked at. */
const waiting: string[] = [];
const ways = {
  documents: documentClient,
  clock,
  send: async (queueUrl: string, body: string) => {
    const { id } = JSON.parse(body) as { id: string };
    sent.push(`${queueUrl.split('/').at(-1)} ${id}`);
    waiting.push(id);
  },
  invoke: () => Promise.reject(new Error('no relay')),
};

interface Failed {
  readonly minutesAgo?: number;
  readonly message?: string;
  readonly consumer?: string;
  readonly subject?: string;
  readonly unknown?: boolean;
  readonly payload?: string;
}

const pkOf = (id: string, consumer = 'seats') => `${consumer}@0#${id}`;

async function failed(id: string, more: Failed = {}): Promise<void> {
  const { minutesAgo = 10, message = 'line 1 is wrong', consumer = 'seats', ...rest } = more;
  const failedAt = ago(minutesAgo);
  const failures = [{ at: failedAt, name: 'Broken', message, stack: [] }];
  const payload = JSON.stringify({ id });
  const Item = { status: 'FAILED', messageId: id, failedConsumer: consumer, failedAt, failures, payload, ...rest };
  await documentClient.send(new PutCommand({ TableName: 'records', Item: { pk: pkOf(id, consumer), ...Item } }));
}

/** Failures of one cause; the first one has failed first. */
async function group(count: number): Promise<void> {
  for (let n = 0; n < count; n++)
    await failed(`m${n}`, { minutesAgo: 100 - n, message: `line ${n} is wrong`, subject: `Trip/t${n}` });
  indexed();
}
/** A message as a rule of the bus sends it. */
const busBody = (data: object): string =>
  JSON.stringify({
    'detail-type': 'TripBooked',
    source: 'shop.trips',
    detail: {
      ...{
        id: 'm1',
        source: 'shop.trips',
        type: 'TripBooked',
        subject: 'Trip/t1',
        time: ago(9),
        sequence: 1,
        epoch: 0,
      },
      ...{
        dataschema: 'urn:shop:trips:TripBooked:1',
        correlationid: 'c',
        causationid: 'c',
        traceparent: 't',
        actor: 'a',
      },
      data,
    },
  });
/** An index comes a moment later. */
const indexed = () => vi.setSystemTime(Date.now() + 60_000);

async function processed(id: string): Promise<void> {
  await documentClient.send(
    new UpdateCommand({
      TableName: 'records',
      Key: { pk: pkOf(id) },
      UpdateExpression: 'SET #status = :processed REMOVE failedConsumer',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':processed': 'PROCESSED' },
    }),
  );
}
async function failsAgain(id: string): Promise<void> {
  const at = new Date().toISOString();
  await documentClient.send(
    new UpdateCommand({
      TableName: 'records',
      Key: { pk: pkOf(id) },
      UpdateExpression: 'SET failures = :failures, failedAt = :at',
      ExpressionAttributeValues: {
        ':at': at,
        ':failures': [{ at, name: 'Broken', message: 'line 7 is wrong', stack: [] }],
      },
    }),
  );
}
const recordOf = async (id: string) =>
  (await documentClient.send(new GetCommand({ TableName: 'records', Key: { pk: pkOf(id) } }))).Item;

const groups = (consumer?: string): Promise<Outcome> => listFailureGroups(context, { consumer });
const idsOf = async (): Promise<readonly string[]> =>
  ((await groups()).json.groups as { id: string }[]).map(({ id }) => id);
async function redrive(more: Partial<GroupRequest> = {}): Promise<Outcome> {
  const [id = 'none'] = await idsOf();
  return redriveGroup(context, { group: id.slice(0, 7), rate: 10, dryRun: false, ...more }, ways);
}
const actions = async () =>
  (await listAuditLog(context, { back: 366 * 86_400 })).json.actions as readonly Record<string, unknown>[];

test('an empty audit log speaks of operators and of the delivery audit', async () =>
  expect((await listAuditLog(context, { back: 366 * 86_400 })).text).toMatch(
    /^no entry since \S+: no operator changed anything, and the delivery audit sent nothing again$/,
  ));

describe('orderly failures groups', () => {
  test('says that there are none', async () => {
    expect(await groups()).toEqual({
      exitCode: 0,
      text: 'no failures',
      json: { groups: [], causes: [], unreadable: 0 },
    });
    expect((await groups('meals')).text).toBe('no failures of meals');
  });

  test('shows causes, the largest first, with trend, subjects, a sample, and what to do', async () => {
    await failed('019aa4f2-0000-7000-8000-000000000001', {
      minutesAgo: 90,
      message: 'line 1 is wrong',
      subject: 'Trip/a',
    });
    await failed('019aa4f2-0000-7000-8000-000000000002', {
      minutesAgo: 30,
      message: 'line 2 is wrong',
      subject: 'Trip/b',
    });
    await failed('019aa4f2-0000-7000-8000-000000000003', {
      minutesAgo: 20,
      message: 'line 3 is wrong',
      subject: 'Trip/b',
      unknown: true,
    });
    await failed('body:0123456789', { minutesAgo: 200, consumer: 'meals', message: '' });
    indexed();
    const { exitCode, text, json } = await groups();
    expect(exitCode).toBe(4);
    expect(text).toBe(`4 failures in 2 groups, 2 in the last hour

871dfe3  3 failures  trips/seats
  Broken: line # is wrong
  failed   first 90 min ago, last 20 min ago; in the last hour 2, in the hour before 1
  unknown  1 may have been processed before; a redrive of the group skips them
  about    Trip/b, Trip/a
  sample   trips failures show seats 019aa4f2-0000-7000-8000-000000000003
  see      runbook, "failure"

79e712b  1 failure  trips/meals
  Broken
  failed   first 3 h ago, last 3 h ago; in the last hour 0, in the hour before 0
  about    no subject: the messages can’t be read
  sample   trips failures show meals body:0123456789
  see      runbook, "failure"

next, once the cause is gone (the first message is sent alone, as a probe):
  trips failures redrive --group 871dfe3
or, if they must never be processed:
  trips failures discard --group 871dfe3 --reason '<why>'`);
    expect(json.groups).toMatchObject([
      { count: 3, lastHour: 2, hourBefore: 1, unknown: 1, subjects: { count: 2, newest: ['Trip/b', 'Trip/a'] } },
      { consumer: 'meals', error: 'Broken', message: '' },
    ]);
    expect((await groups('meals')).text).toMatch(/^1 failure of meals in 1 group, 0 in the last hour\n/);
  });

  test('names the customers of the newest 100 failures: by their subjects, and else by their messages', async () => {
    const asked: string[][] = [];
    const source: CustomerSource = {
      findBySubjects: async (_, subjects) => {
        asked.push([...subjects]);
        return new Map(
          subjects.filter((one) => one !== 'Trip/t1').map((one) => [one, `customer-${Number(one.slice(-1)) % 4}`]),
        );
      },
      findInMessage: (data) => (data as { readonly customer?: string }).customer,
    };
    const named = (customers: object) => expect.objectContaining({ customers });
    const list = async () => listFailureGroups(context, { consumer: undefined }, source);
    await group(5);
    const body = busBody({ customer: 'zoe' });
    await failed('m1', { minutesAgo: 1, message: 'line 1 is wrong', subject: 'Trip/t1', payload: body });
    await failed('unreadable', { consumer: 'meals', payload: '{' });
    indexed();
    const { text, json } = await list();
    expect(json.groups).toEqual([
      named({ count: 4, newest: ['zoe', 'customer-0', 'customer-3'], looked: 5 }),
      named({ count: 0, newest: [], looked: 1 }),
    ]);
    expect(text).toContain('\n  customers  zoe, customer-0, customer-3 and 1 more\n');
    expect(asked).toEqual([['Trip/t1', 'Trip/t4', 'Trip/t3', 'Trip/t2', 'Trip/t0']]);

    await group(120);
    expect((await list()).json.groups).toContainEqual(named(expect.objectContaining({ looked: 100 })));
    expect((await list()).text).toMatch(/customers {2}.* and \d more \(of the newest 100\)\n/);
  });

  test('reads the messages of one group after those of the other', async () => {
    let running = 0;
    let most = 0;
    const send = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return { Responses: {} };
    };
    const things = (pk: string) =>
      [{ failure: { record: { pk }, listener: { service: { records: 'records' } } } }] as unknown as FailedItem[];
    const source: CustomerSource = { findBySubjects: async () => new Map(), findInMessage: () => undefined };
    await findCustomers({ documents: { send }, services: [] } as never, source, [
      things('a'),
      things('b'),
      things('c'),
    ]);
    expect(most).toBe(1);
  });

  test('fits 100 columns, whatever the failures say', async () => {
    for (let n = 0; n < 30; n++) {
      const id = `body:${n}${'0123456789abcdef'.repeat(8)}`;
      const message = `${'x'.repeat(200 + n)} ${'ABC_DEF '.repeat(20 + n)}`;
      await failed(id, { message, subject: `Trip/${'s'.repeat(200)}` });
    }
    indexed();
    const { text } = await groups();
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
    expect(text).toContain('and 10 smaller groups: --json');
    expect(wrapText('a bc def', 4)).toEqual(['a bc', 'def']);
    expect(wrapText('abcdefghi j', 4)).toEqual(['abcd', 'efgh', 'i j']);
  });
});

describe('orderly failures redrive --group', () => {
  test('sends a probe, then all others, the oldest first, at the rate', async () => {
    await group(5);
    const { exitCode, text, json } = await redrive({ rate: 20 });
    expect({ exitCode, text }).toEqual({
      exitCode: 0,
      text: '871dfe3: done: all 5 were processed\n  sent 5: 5 processed, 0 failed again, 0 without a result\n\nnext:\n  trips failures groups',
    });
    expect(sent).toEqual(['seats m0', 'seats m1', 'seats m2', 'seats m3', 'seats m4']);
    expect(waited.filter((seconds) => seconds === 0.05)).toHaveLength(4);
    expect(json).toMatchObject({ redriveGroup: { result: 'ended', sent: 5, processed: 5, failedAgain: 0, left: 0 } });
    indexed();
    expect((await groups()).text).toBe('no failures');
  });

  test('stops if the probe fails again: nothing else is sent', async () => {
    await group(3);
    consume = failsAgain;
    const { exitCode, text } = await redrive();
    expect({ exitCode, text }).toEqual({
      exitCode: 5,
      text: `871dfe3: stopped, since the probe failed again: Broken: line 7 is wrong
  sent 1: 0 processed, 1 failed again, 0 without a result
  not reached: 2

next (see runbook, "failure"):
  trips failures show seats m0`,
    });
    expect(sent).toEqual(['seats m0']);
    // The next run takes another one: one message that is broken by itself holds up no group.
    consume = processed;
    indexed();
    expect(await redrive()).toMatchObject({ exitCode: 0 });
    expect(sent).toEqual(['seats m0', 'seats m1', 'seats m2', 'seats m0']);
  });

  test('stops if the probe has no result, and can be run again', async () => {
    await group(2);
    consume = async () => {};
    const { exitCode, text } = await redrive();
    expect(exitCode).toBe(3);
    expect(text).toMatch(
      /^871dfe3: stopped, since the probe has no result within 20 s: its consumer still tries it, or is behind\n/,
    );
    expect(text).toMatch(/next, to continue:\n {2}trips failures redrive --group 871dfe3$/);
    expect(sent).toHaveLength(1);
  });

  test('counts those that fail again behind the probe', async () => {
    await group(4);
    consume = (id) => (id === 'm2' ? failsAgain(id) : processed(id));
    const { exitCode, text } = await redrive();
    expect(exitCode).toBe(4);
    expect(text).toMatch(
      /^871dfe3: 1 of 4 failed again: Broken: line 7 is wrong\n {2}sent 4: 3 processed, 1 failed again/,
    );
  });

  test('skips what may have been done before, what can’t be sent, and what has ended meanwhile', async () => {
    await group(3);
    await failed('u1', { minutesAgo: 200, unknown: true });
    await failed('r1', { minutesAgo: 150 });
    await documentClient.send(
      new UpdateCommand({
        TableName: 'records',
        Key: { pk: pkOf('r1') },
        UpdateExpression: 'REMOVE payload SET payloadBegin = :begin',
        ExpressionAttributeValues: { ':begin': '{' },
      }),
    );
    indexed();
    // Another operator redrives the second one while the first one is probed.
    consume = async (id) => {
      await processed(id);
      if (id === 'm0') await failsAgain('m1');
    };
    const { exitCode, text, json } = await redrive();
    expect(exitCode).toBe(4);
    expect(sent).toEqual(['seats m0', 'seats m2']);
    expect(text).toBe(`871dfe3: done, but for those that need a decision
  sent 2: 2 processed, 0 failed again, 0 without a result
  skipped 1: they may have been processed before (unknown)
  skipped 1: they can't be redriven
  skipped 1: ended or failed again in the meantime

next, of those that may have been processed before:
  trips failures show seats u1
next, of those that can't be redriven:
  trips failures show seats r1`);
    expect(json).toMatchObject({ redriveGroup: { skipped: { unknown: 1, notRedrivable: 1, changed: 1 } } });
  });

  test('a redrive may be stopped and run again: processed messages are not sent again', async () => {
    await group(6);
    stopAfter = 3;
    const stopped = await redrive();
    expect(stopped.exitCode).toBe(3);
    expect(stopped.text).toMatch(/^871dfe3: stopped by you\n {2}sent 3: 3 processed.*\n {2}not reached: 3\n/);
    stopAfter = Number.POSITIVE_INFINITY;
    indexed();
    expect((await redrive()).exitCode).toBe(0);
    expect(sent).toHaveLength(6);
    expect(new Set(sent).size).toBe(6);
  });

  test('waits for a consumer that doesn’t keep up, and then stops', async () => {
    await group(60);
    consume = async (id) => void (id === 'm0' && (await processed(id)));
    const { exitCode, text } = await redrive({ rate: 100 });
    expect(exitCode).toBe(3);
    expect(text).toMatch(/^871dfe3: stopped, since 25 messages have no result within 20 s/);
    expect(sent).toHaveLength(26);
    expect(said).toContain('871dfe3: 25 of 60, 1 processed, 0 failed again, 24 without a result, about 1 s left');
  });

  test('only says what it would do, if asked', async () => {
    await group(3);
    await failed('u1', { unknown: true });
    indexed();
    const { exitCode, text } = await redrive({ dryRun: true, rate: 1 });
    expect(exitCode).toBe(0);
    expect(text).toMatch(/^871dfe3: would send 3 messages to seats, the first one as a probe, in about 3 s\n/);
    expect(text).toMatch(/skipped 1: they may have been processed before/);
    expect(sent).toEqual([]);
    expect(await actions()).toEqual([]);
  });

  test('finds a group as git finds a commit', async () => {
    await group(1);
    await expect(redrive({ group: 'ffff' })).rejects.toMatchObject({ code: 'not-found', next: ['failures', 'groups'] });
    // Two groups whose ids begin alike.
    for (let n = 0; n < 40; n++) await failed(`x${n}`, { message: `cause ${'y'.repeat(n + 1)}` });
    indexed();
    const ids = await idsOf();
    const twice = ids.map((id) => id.slice(0, 1)).find((first, at, all) => all.indexOf(first) !== at) ?? '';
    await expect(redrive({ group: twice })).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringMatching(/^\d+ groups begin with/),
    });
  });

  test('writes each message into the audit log before it is sent, and then what came of it', async () => {
    await group(2);
    const before: number[] = [];
    consume = async (id) => {
      before.push((await actions()).length);
      await (id === 'm0' ? processed(id) : failsAgain(id));
    };
    await redrive();
    expect(before).toEqual([1, 2]);
    const [second, first] = await actions();
    expect(first).toMatchObject({
      service: 'trips',
      actor: 'olga',
      action: 'redrive',
      target: 'seats m0',
      result: 'processed',
    });
    expect(second).toMatchObject({ target: 'seats m1', result: 'failed again', group: first?.group, run: first?.run });
    const { text } = await listAuditLog(context, { back: 366 * 86_400 });
    expect(text).toMatch(/^2 actions by 1 actor since /);
    expect(text).toMatch(
      /to {6}trips: group 871dfe3[0-9a-f]{9}: 2 messages\n {4}result {2}1 failed again, 1 processed$/,
    );
  });
});

describe('orderly failures discard --group', () => {
  const discard = async (more: Partial<GroupRequest> = {}): Promise<Outcome> => {
    const [id = 'none'] = await idsOf();
    return discardGroup(context, { group: id, rate: 10, dryRun: false, reason: 'ticket 4711', ...more });
  };

  test('discards each with its reason, in one transaction with its entry in the audit log', async () => {
    await group(3);
    const { exitCode, text } = await discard();
    expect({ exitCode, text }).toEqual({
      exitCode: 0,
      text: '871dfe3: 3 failures discarded: ticket 4711\n  cause: Broken: line # is wrong\n\nnext:\n  trips failures groups',
    });
    expect(await recordOf('m1')).toMatchObject({
      status: 'DISCARDED',
      discardReason: 'ticket 4711',
      discardedBy: 'olga',
    });
    const all = await actions();
    expect(all.map(({ target }) => target).toSorted()).toEqual(['seats m0', 'seats m1', 'seats m2']);
    expect(all[0]).toMatchObject({
      action: 'discard',
      reason: 'ticket 4711',
      actor: 'olga',
      group: expect.any(String),
    });
    expect(waited).toEqual([0.1, 0.1]);
    indexed();
    expect((await groups()).text).toBe('no failures');
  });

  test('leaves what has been redriven meanwhile, and keeps no entry of it', async () => {
    await group(2);
    const { wait } = context;
    const meanwhile = { ...context, wait: (seconds: number) => wait(seconds).then(() => processed('m1')) };
    const [id = ''] = await idsOf();
    const { text } = await discardGroup(meanwhile, { group: id, rate: 10, dryRun: false, reason: 'no' });
    expect(text).toMatch(/1 failure discarded: no\n.*\n {2}skipped 1: ended or failed again/);
    expect(await recordOf('m1')).toMatchObject({ status: 'PROCESSED' });
    expect(await actions()).toHaveLength(1);
  });

  test('only says what it would do, if asked', async () => {
    await group(2);
    expect((await discard({ dryRun: true })).text).toMatch(/^871dfe3: 2 failures would be discarded: ticket 4711\n/);
    expect(await actions()).toEqual([]);
    expect(await recordOf('m0')).toMatchObject({ status: 'FAILED' });
  });
});

test('entries of the audit log expire after 400 days', async () => {
  await group(1);
  await redrive();
  const { Items = [] } = await documentClient.send(new ScanCommand({ TableName: 'table' }));
  expect(Items).toHaveLength(1);
  expect(Items[0]).toMatchObject({ pk: 'AUDIT#2026-12', expiresAt: Math.floor(NOW / 1000) + 400 * 86_400 });
});
