import { BatchGetCommand, GetCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { clock } from '../../../packages/kit/aws/clock.js';
import { documentClient, type Item } from '../../../packages/kit/aws/dynamodb.js';
import { logger } from '../../../packages/kit/aws/telemetry.js';
import { recordKey } from '../../../packages/kit/failures/failure-records.js';
import { BatchRunner, type BatchRunnerOptions } from '../../../packages/kit/inbox/batch-runner.js';
import { type BatchHandlers, type ClosedWindow, collect } from '../../../packages/kit/inbox/batch-source.js';
import { CollectedMessages } from '../../../packages/kit/inbox/collected-messages.js';
import { Receiver } from '../../../packages/kit/inbox/receiver.js';
import { calendarKey, windowKey } from '../../../packages/kit/inbox/window-keys.js';
import type { Work } from '../../../packages/kit/inbox/work.js';
import { eventMessage } from '../../../packages/kit/testing/messages.js';
import type { CommandContext } from '../../../packages/operator/cli/context.js';
import { commandFormatter } from '../../../packages/operator/cli/text-format.js';
import { discard } from '../../../packages/operator/failures/discard.js';
import { redrive } from '../../../packages/operator/failures/redrive.js';
import { retryInbox } from '../../../packages/operator/inboxes/inbox.js';
import { functionEnvironment } from '../../support/function-environment.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { SALES, sales, shopContract, TENS } from '../../support/inboxes/contract.js';
import { type SentMessage, sentMessages } from '../../support/sent-messages.js';
import { bodyOf, Refused, SETTINGS } from './parcels.js';

const MINUTE = 60_000;
/** 35 days by the time of the tests. */
const DEDUPLICATION = [
  { from: '1970-01-01T00:00:00.000Z', seconds: 23 * 86_400 },
  { from: '2026-02-01T00:00:00.000Z', seconds: 35 * 86_400 },
];
const BEGIN = Date.parse('2026-03-01T00:00:00.000Z');
const settings = { ...SETTINGS, mode: 'batch', pageSize: 2, graceSeconds: 60 } as const;
const options = { table: 'records', consumer: SALES };
type Sale = { readonly type: 'SaleMade'; readonly data: { readonly name: string } };
let handlers: BatchHandlers<Sale>;
let sent: readonly SentMessage[];
/** Messages that the handlers received. */
let seen: string[];
let receiver: Receiver;
let runner: BatchRunner;
beforeAll(() => functionEnvironment());
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: BEGIN });
  inProcessDynamoDb(
    { table: ['pk', 'sk'], records: ['pk'] },
    { records: { due: ['duePk', 'executeAt'], failed: ['failedConsumer', 'failedAt'] } },
  );
  sent = sentMessages();
  seen = [];
  handlers = {
    page: ({ page, messages }, { id }) => {
      const names = messages.map(({ event, lateFrom }) => event.data.name + (lateFrom ? ` late from ${lateFrom}` : ''));
      seen.push(`${id} ${page}: ${names.join(', ')}`);
      return { decide: async () => [counted(id, messages.length)] };
    },
    close: ({ id, number, size, pages }) => {
      seen.push(`${id} closes as ${number}, ${size} in ${pages}`);
      return { decide: async () => [counted(`${id} closed`, 1)] };
    },
  };
  receiver = new Receiver({ ...options, app: 'app', windowSeconds: DEDUPLICATION, commanders: [], mode: 'batch' });
  runner = new BatchRunner(runnerOptions());
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const runnerOptions = (): BatchRunnerOptions => ({
  ...options,
  service: 'desk',
  windowSeconds: DEDUPLICATION,
  settings,
  queue: 'queue',
  isRefusal: (error) => error instanceof Refused,
  sources: [collect(sales)],
  windows: TENS,
  handlers: {
    page: (...given) => handlers.page(...(given as Parameters<typeof handlers.page>)),
    close: (...given) => handlers.close(...given),
  },
});

const counted = (name: string, by: number) => ({
  Update: {
    TableName: 'table',
    Key: { pk: name, sk: 'STATE' },
    UpdateExpression: 'ADD times :by',
    ExpressionAttributeValues: { ':by': by },
  },
});
const read = async (TableName: string, Key: Item): Promise<Item> =>
  (await documentClient.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item ?? {};
const times = async (name: string) => (await read('table', { pk: name, sk: 'STATE' })).times;
const key = (name: string): string => recordKey(SALES, `app.shop:${name}`);
const record = (name: string) => read('records', { pk: key(name) });
const window = (id: string) => read('records', { pk: windowKey(SALES, id) });
const minute = (number: number) => vi.setSystemTime(BEGIN + number * MINUTE);
/** Runs a window, as the sweeper hands it out. */
const runWindow = (id: string, timeLeft = () => 60_000) => runner.runAll([{ record: windowKey(SALES, id) }], timeLeft);

/** Sales that come together. @param at minute of their events */
async function sell(names: readonly string[], at: number): Promise<void> {
  const Records = names.map((name) => {
    const time = new Date(BEGIN + at * MINUTE).toISOString();
    const event = { type: 'SaleMade', data: { name } };
    const body = bodyOf(eventMessage(shopContract, event, { id: name, subject: `Sale/${name}`, time }));
    return { messageId: name, body, attributes: { ApproximateReceiveCount: '1' }, messageAttributes: {} };
  });
  await receiver.receiveBatch({ Records } as never);
  await runner.runAll(
    names.map((name) => ({ record: key(name) })),
    () => 60_000,
  );
}

const [FIRST, SECOND, THIRD] = ['2026-03-01T00:00', '2026-03-01T00:10', '2026-03-01T00:20'];

describe('messages of a window', () => {
  test('messages of a window are processed together after it has closed, in pages, before the window ends', async () => {
    await sell(['a', 'b', 'c'], 1);
    await sell(['d', 'e'], 9);
    expect(seen).toEqual([]);
    minute(11);
    await runWindow(FIRST);
    expect(seen).toEqual([`${FIRST} 1: a, b`, `${FIRST} 2: c, d`, `${FIRST} 3: e`, `${FIRST} closes as 1, 5 in 3`]);
    expect([await times(FIRST), await times(`${FIRST} closed`)]).toEqual([5, 1]);
    const kept = { status: 'PROCESSED', expiresAt: Date.now() / 1000 + 35 * 86_400 };
    for (const name of ['a', 'e']) expect(await record(name)).toMatchObject({ ...kept, window: FIRST });
    expect(await window(FIRST)).toMatchObject({ ...kept, number: 1 });
  });

  test('wait until it closes, some time after its end', async () => {
    await sell(['a'], 1);
    expect(await record('a')).toMatchObject({ status: 'PENDING', window: FIRST });
    expect(await record('a')).not.toHaveProperty('duePk');
    expect(await window(FIRST)).toMatchObject({ executeAt: '2026-03-01T00:11:00.000Z', size: 1 });
    minute(10);
    await runWindow(FIRST);
    expect(seen).toEqual([]);
  });

  test('messages have one place each, however often they are handed out', async () => {
    await sell(['a', 'b'], 1);
    await runner.runAll([{ record: key('a') }, { record: key('a') }, { record: key('b') }], () => 60_000);
    expect(await window(FIRST)).toMatchObject({ size: 2 });
  });

  test('messages have one place each when many come at once', async () => {
    await Promise.all([sell(['a', 'b', 'c'], 1), sell(['d', 'e', 'f'], 1), sell(['g'], 12)]);
    expect([(await window(FIRST)).size, (await window(SECOND)).size]).toEqual([6, 1]);
    minute(11);
    await runWindow(FIRST);
    expect(seen.filter((line) => line.includes(`${FIRST} `) && !line.includes('closes'))).toHaveLength(3);
    expect(await times(FIRST)).toBe(6);
  });

  test('messages that break their contract fail alone', async () => {
    const strange = eventMessage(
      shopContract,
      { type: 'SaleMade', data: { name: 'x' } },
      { id: 'x', subject: 'Sale/x' },
    );
    const body = bodyOf({ ...strange, data: { name: 1 } });
    const attributes = { ApproximateReceiveCount: '1' };
    await receiver.receiveBatch({ Records: [{ messageId: 'x', body, attributes, messageAttributes: {} }] } as never);
    await sell(['a'], 1);
    await runner.runAll([{ record: key('x') }], () => 60_000);
    expect(await record('x')).toMatchObject({ status: 'FAILED', failures: [{ name: 'ContractViolation' }] });
    expect(await window(FIRST)).toMatchObject({ size: 1 });
  });

  test('messages of a newer version wait until their attempts are used up', async () => {
    const newer = eventMessage(shopContract, { type: 'SaleMade', data: { name: 'x' } }, { id: 'x', subject: 'Sale/x' });
    const body = bodyOf({ ...newer, dataschema: newer.dataschema.replace(/1$/, '2') });
    const attributes = { ApproximateReceiveCount: '1' };
    await receiver.receiveBatch({ Records: [{ messageId: 'x', body, attributes, messageAttributes: {} }] } as never);
    for (let attempt = 1; attempt < settings.attempts; attempt++) {
      await runner.runAll([{ record: key('x') }], () => 60_000);
      expect(await record('x')).toMatchObject({ status: 'PENDING', attempts: attempt });
      if (attempt === 1) minute(5);
    }
    // Its delayed hand-out, which may come together with another one.
    await runner.runAll([{ record: key('x'), fence: 2 }, { record: key('x') }], () => 60_000);
    expect(sent.map(({ MessageBody }) => MessageBody)).toEqual(
      [1, 2].map((fence) => JSON.stringify({ record: key('x'), fence })),
    );
    expect(await record('x')).toMatchObject({ status: 'FAILED', attempts: 3, failures: [{}, {}, {}] });
    expect(await window(FIRST)).toEqual({});
  });
});

describe('windows', () => {
  test('close in their order, with numbers without gaps, also those without messages', async () => {
    await sell(['a'], 1);
    await sell(['c'], 21);
    minute(31);
    await runWindow(THIRD);
    expect(seen).toEqual([]);
    expect((await window(THIRD)).executeAt).toBe('2026-03-01T00:32:00.000Z');
    for (const id of [FIRST, SECOND, THIRD]) await runWindow(id);
    expect(seen.filter((line) => line.includes('closes'))).toEqual([
      `${FIRST} closes as 1, 1 in 1`,
      `${SECOND} closes as 2, 0 in 0`,
      `${THIRD} closes as 3, 1 in 1`,
    ]);
    expect(await read('records', { pk: calendarKey(SALES) })).toMatchObject({ next: '2026-03-01T00:30', closed: 3 });
  });

  test('a window that closes while a message gets its place refuses it: it goes to the next one', async () => {
    await sell(['a'], 1);
    minute(11);
    const read = CollectedMessages.prototype.readWindow;
    vi.spyOn(CollectedMessages.prototype, 'readWindow').mockImplementationOnce(async function (
      this: CollectedMessages,
      id,
    ) {
      const open = await read.call(this, id);
      await runWindow(FIRST);
      return open;
    });
    await sell(['b'], 1);
    expect(await record('b')).toMatchObject({ status: 'PENDING', window: SECOND, lateFrom: FIRST });
    expect([(await window(FIRST)).size, await times(FIRST)]).toEqual([1, 1]);
  });

  test('keep the size of their pages, whatever a deployment sets meanwhile', async () => {
    await sell(['a', 'b', 'c'], 1);
    runner = new BatchRunner({ ...runnerOptions(), settings: { ...settings, pageSize: 5 } });
    await sell(['d', 'e'], 2);
    minute(11);
    await runWindow(FIRST);
    expect(seen).toEqual([`${FIRST} 1: a, b`, `${FIRST} 2: c, d`, `${FIRST} 3: e`, `${FIRST} closes as 1, 5 in 3`]);
  });
});

describe('a page', () => {
  const page = (work: BatchHandlers<Sale>['page']) => {
    handlers = { ...handlers, page: work };
  };
  beforeEach(async () => {
    await sell(['a', 'b', 'c'], 1);
    minute(11);
  });

  test('a page that fails is tried again alone, with attempts of its own', async () => {
    const good = handlers.page;
    page((given, ...rest) => {
      if (given.page === 2) throw new Error('not today');
      return good(given, ...rest);
    });
    await runWindow(FIRST);
    expect(await window(FIRST)).toMatchObject({
      status: 'PENDING',
      done: 1,
      attempts: 1,
      failures: [{ name: 'Error' }],
    });
    page(good);
    minute(12);
    await runWindow(FIRST);
    expect(seen).toEqual([`${FIRST} 1: a, b`, `${FIRST} 2: c`, `${FIRST} closes as 1, 3 in 2`]);
    expect(await times(FIRST)).toBe(3);
  });

  test('the queue hands out a failed page again after its pause', async () => {
    await sell(['a'], 1);
    minute(11);
    const good = handlers;
    handlers = { ...good, page: () => Promise.reject(new Error('not today')) };
    await runWindow(FIRST);
    handlers = good;
    await runWindow(FIRST);
    const delayed = { record: windowKey(SALES, FIRST), fence: 1 };
    expect(sent).toMatchObject([{ MessageBody: JSON.stringify(delayed), DelaySeconds: 30 }]);
    await runner.runAll([delayed], () => 60_000);
    expect(await window(FIRST)).toMatchObject({ status: 'PROCESSED', fence: 2 });
  });

  test('a page that fails in each attempt fails its window, and nothing of it is lost', async () => {
    page(() => Promise.reject(new Error('never')));
    for (let attempt = 0; attempt < 3; attempt++) {
      await runWindow(FIRST);
      minute(13 + 5 * attempt);
    }
    expect(await window(FIRST)).toMatchObject({ status: 'FAILED', done: 0, failedConsumer: 'sales' });
    expect(await record('a')).toMatchObject({ status: 'PENDING', window: FIRST });
    // An operator lets it continue.
    const services = [
      {
        name: 'desk',
        table: 'table',
        records: 'records',
        consumers: [{ name: 'sales', generation: 0, inbox: { mode: 'batch' } }],
      },
    ];
    const context = {
      documents: documentClient,
      clock,
      services,
      command: commandFormatter('orderly'),
      actor: async () => 'olga',
    } as unknown as CommandContext;
    const messageId = `WINDOW#${FIRST}`;
    const asked = { consumer: 'sales', messageId, notDone: false, dryRun: false };
    await expect(discard(context, { ...asked, reason: 'test' })).rejects.toThrow(/it is a window of messages/);
    await expect(redrive(context, asked)).rejects.toThrow(/it is a window of messages/);
    expect((await retryInbox(context, asked)).text).toContain('continues with its next page');
    expect(await window(FIRST)).toMatchObject({ status: 'PENDING', attempts: 0, wake: true });
  });

  test('a page of which DynamoDB returns a part is read again, and nothing of it is left out', async () => {
    const send = documentClient.send.bind(documentClient) as (
      command: unknown,
    ) => Promise<{ Responses: { records: Item[] } }>;
    let isThrottled = true;
    vi.spyOn(documentClient, 'send').mockImplementation((async (command: unknown) => {
      const output = await send(command);
      if (!(command instanceof BatchGetCommand) || !isThrottled) return output;
      isThrottled = false;
      const [first, ...others] = output.Responses.records;
      return { ...output, Responses: { records: others }, UnprocessedKeys: { records: { Keys: [{ pk: first?.pk }] } } };
    }) as never);
    await runWindow(FIRST);
    expect([isThrottled, await times(FIRST)]).toEqual([false, 3]);
  });

  test('a page of a runner that lost its lease has no effect', async () => {
    const good = handlers.page;
    page(async (...given) => {
      vi.setSystemTime(Date.now() + 61_000);
      page(good);
      await runWindow(FIRST);
      return good(...given);
    });
    await runWindow(FIRST);
    expect([await times(FIRST), await times(`${FIRST} closed`)]).toEqual([3, 1]);
    expect(seen.filter((line) => line.includes('1: a, b'))).toHaveLength(2);
  });

  test('a page is left to another invocation when half of the time is over', async () => {
    let left = 60_000;
    const good = handlers.page;
    page((...given) => {
      left = 20_000;
      return good(...given);
    });
    await runWindow(FIRST, () => left);
    expect(await window(FIRST)).toMatchObject({ done: 1, attempts: 0, wake: true });
    page(good);
    await runWindow(FIRST);
    expect(await times(FIRST)).toBe(3);
  });

  test('each step has an actor, a trigger and idempotency keys of its own, the same in each attempt', async () => {
    const keys: string[] = [];
    const traces: object[] = [];
    const note = ({ trace: { actor, trigger } }: ClosedWindow, work: Work) => {
      keys.push(work.idempotencyKey('pay'));
      traces.push({ actor, trigger });
    };
    const good = handlers;
    handlers = {
      page: (given, closed, work) => {
        note(closed, work);
        if (given.page === 1 && work.attempt === 1) throw new Error('not today');
        return good.page(given, closed, work);
      },
      close: (closed, work) => {
        note(closed, work);
        return good.close(closed, work);
      },
    };
    await runWindow(FIRST);
    minute(12);
    await runWindow(FIRST);
    const [failed, again, ...others] = keys;
    expect(failed).toBe(again);
    expect(new Set([again, ...others]).size).toBe(3);
    const steps = ['page 1', 'page 1', 'page 2', 'close'];
    expect(traces).toEqual(steps.map((step) => ({ actor: 'service:desk', trigger: `sales/${FIRST}/${step}` })));
  });

  test('a page that projects has its effect before its messages count as processed', async () => {
    const statuses: unknown[] = [];
    page(() => ({
      project: async () => {
        statuses.push((await record('a')).status);
        return 'applied';
      },
    }));
    await runWindow(FIRST);
    expect([statuses[0], statuses.length]).toEqual(['PENDING', 2]);
    expect(await record('a')).toMatchObject({ status: 'PROCESSED' });
  });

  test('knows of each message whether it came late, and from which window', async () => {
    await runWindow(FIRST);
    await sell(['d'], 1);
    await sell(['e'], 11);
    minute(21);
    await runWindow(SECOND);
    expect(seen).toContain(`${SECOND} 1: d late from ${FIRST}, e`);
  });
});

test('the log says what was collected, and which window another runner holds; records are read strongly consistent', async () => {
  const info = vi.spyOn(logger, 'info').mockImplementation(() => undefined);
  const send = vi.spyOn(documentClient, 'send');
  await sell(['a'], 1);
  await sell(['b'], 2);
  const told = () =>
    info.mock.calls.map(([word]) => word).filter((word) => word === 'collected' || word === 'not free');
  expect(told()).toEqual(['collected', 'collected']);
  minute(11);
  await new CollectedMessages({ ...options, windows: TENS, pageSize: 2, graceSeconds: 60 }).claim(
    { record: windowKey(SALES, FIRST) },
    settings,
  );
  await runWindow(FIRST);
  // Where there is a window and no message, nothing is collected.
  expect(told()).toEqual(['collected', 'collected', 'not free']);
  const asked = send.mock.calls.map(([command]) => command as unknown);
  const reads = asked.filter((command) => command instanceof BatchGetCommand);
  expect(reads.length).toBeGreaterThan(0);
  for (const { input } of reads) expect(input.RequestItems?.records?.ConsistentRead).toBe(true);
  // Only what opens a window checks the calendar: the second message opened none.
  const checks = asked.flatMap((command) =>
    command instanceof TransactWriteCommand
      ? [command.input.TransactItems?.filter((one) => one.ConditionCheck).length]
      : [],
  );
  expect(checks).toEqual([0, 0]);
});
