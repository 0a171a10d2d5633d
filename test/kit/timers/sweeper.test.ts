import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import type { Context } from 'aws-lambda';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { documentClient, type Item, transact } from '../../../packages/kit/aws/dynamodb.js';
import { Env } from '../../../packages/kit/aws/environment.js';
import { Metric } from '../../../packages/kit/aws/metric-names.js';
import * as telemetry from '../../../packages/kit/aws/telemetry.js';
import { messageGroupOf } from '../../../packages/kit/messages/envelope.js';
import { duePartition, LEASES } from '../../../packages/kit/timers/contract.js';
import { Sweeper } from '../../../packages/kit/timers/sweeper.js';
import { TimerDispatcher } from '../../../packages/kit/timers/timer-dispatcher.js';
import { functionEnvironment } from '../../support/function-environment.js';
import { buildTrace } from '../../support/tally.js';
import { WAITER, waitId } from '../../support/waiter/contract.js';
import { environment, INTERVAL, QUEUE, Waiting } from './waiting.js';

let waiting: Waiting;
/** Runs in front of each call to DynamoDB, by the command's name: a rival's moment, or the end of the function. */
let before: ((command: string) => Promise<unknown>) | undefined;
beforeAll(() => {
  environment();
  documentClient.middlewareStack.add(
    (next, context) => async (args) => {
      await before?.(context.commandName ?? '');
      return next(args);
    },
    { step: 'initialize' },
  );
});
beforeEach(() => {
  waiting = new Waiting();
});
afterEach(() => {
  before = undefined;
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const records = () => waiting.sent.map(({ record }) => record);
const lease = `${LEASES}${WAITER.name}`;
const names = (count: number) => Array.from({ length: count }, (_, at) => `waiter-${at}`);

const setAll = async (count: number): Promise<void> => {
  for (let at = 0; at < count; at += 50)
    await transact(
      names(count)
        .slice(at, at + 50)
        .map((name) => waiting.write(name)),
    );
};

/** Once, in front of the first call of that name. */
function inFrontOf(wanted: string, work: () => Promise<unknown>): void {
  before = async (command) => {
    if (command !== wanted) return;
    before = undefined;
    await work();
  };
}
/** Its environment is gone. */
const dies = () => Promise.reject(new Error('killed'));

describe('a sweep', () => {
  test('sends due timers, and none before its time', async () => {
    const pk = await waiting.set('anna', waiting.in(600));
    await waiting.sweep();
    expect(waiting.sent).toEqual([]);
    waiting.pass(600);
    await waiting.sweep();
    expect(waiting.sent).toEqual([{ record: pk, body: (await waiting.read(pk))?.payload }]);
  });

  test('sends each timer in the message group of its cause', async () => {
    await waiting.set('anna');
    await waiting.sweep();
    expect(waiting.groups).toEqual([messageGroupOf(buildTrace('any').actor)]);
  });

  test('leaves a timer to its owner for the interval, then hands it out again, until it is done', async () => {
    await waiting.waits('anna');
    const pk = await waiting.set('anna');
    await waiting.sweep();
    expect(await waiting.read(pk)).toMatchObject({
      status: 'PENDING',
      attempts: 1,
      executeAt: waiting.in(INTERVAL),
    });
    waiting.pass(INTERVAL - 20);
    await waiting.sweep();
    expect(waiting.sent).toHaveLength(1);
    waiting.pass(20);
    await waiting.sweep();
    expect(waiting.sent).toHaveLength(2);
    expect(await waiting.read(pk)).toMatchObject({ status: 'PENDING', attempts: 2 });
    for (const message of waiting.sent) await waiting.deliver(message);
    expect(await waiting.stateOf('anna')).toMatchObject({ waits: 'OVER', times: 1 });
    waiting.pass(2 * INTERVAL);
    await waiting.sweep();
    expect(waiting.sent).toHaveLength(2);
  });

  test('a sweep that finds nothing writes nothing', async () => {
    waiting.calls.length = 0;
    await waiting.sweep();
    expect(waiting.calls.map(({ operation }) => operation)).toEqual(['Query', 'Query', 'Query', 'Query']);
    expect(await waiting.read(lease)).toBeUndefined();
  });

  test('reports how late the latest timer came, counted from the moment that it was set for', async () => {
    const told = vi.spyOn(Metrics.prototype, 'addMetric');
    await waiting.set('anna');
    await waiting.set('bert');
    await waiting.sweep();
    expect(told).toHaveBeenLastCalledWith('TimerLateness', MetricUnit.Seconds, 10);
    waiting.pass(INTERVAL);
    await waiting.sweep();
    expect(told).toHaveBeenLastCalledWith('TimerLateness', MetricUnit.Seconds, INTERVAL + 20);
  });

  test('reports the latest timer even if its page was done before another one', async () => {
    const told = vi.spyOn(Metrics.prototype, 'addMetric');
    await setAll(20);
    const late = duePartition(WAITER.name, 0);
    await waiting.put({ ...waiting.write('late', waiting.in(-600)).Put!.Item!, duePk: late });
    await waiting.sweep();
    expect(told).toHaveBeenLastCalledWith('TimerLateness', MetricUnit.Seconds, 610);
  });

  test('continues page by page until nothing is left, ten messages a call', async () => {
    await setAll(100);
    await waiting.sweep();
    expect(records().toSorted()).toEqual(names(100).map(waiting.record).toSorted());
    expect(Math.max(...waiting.batches.map((batch) => batch.length))).toBe(10);
    const pages = waiting.calls.filter(({ operation }) => operation === 'Query');
    expect(pages.length).toBeGreaterThan(4);
  });

  test('a sweep whose time is over leaves the rest to the next one', async () => {
    await setAll(100);
    waiting.timeLeft = () => 7_000;
    await waiting.sweep();
    expect(waiting.sent.length).toBeLessThanOrEqual(80);
    waiting.timeLeft = () => 50_000;
    await waiting.sweep();
    expect(new Set(records()).size).toBe(100);
    expect(waiting.sent).toHaveLength(100);
  });
});

describe('changes during a sweep', () => {
  test('a timer is sent again, with one effect, after a crash between its sending and its rescheduling', async () => {
    await waiting.waits('anna');
    const pk = await waiting.set('anna');
    inFrontOf('UpdateItemCommand', dies);
    await expect(waiting.sweep()).rejects.toThrow('killed');
    expect(await waiting.read(pk)).toMatchObject({ status: 'PENDING', attempts: 0 });
    waiting.pass(60);
    await waiting.sweep();
    expect(records()).toEqual([pk, pk]);
    for (const message of waiting.sent) await waiting.deliver(message);
    expect(await waiting.stateOf('anna')).toMatchObject({ waits: 'OVER', times: 1 });
  });

  test('a timer stays done if its owner is faster than the sweeper', async () => {
    await waiting.waits('anna');
    const pk = await waiting.set('anna');
    inFrontOf('UpdateItemCommand', () => waiting.deliver(waiting.sent[0]!));
    await waiting.sweep();
    const done = await waiting.read(pk);
    expect(done).toMatchObject({ status: 'PROCESSED', attempts: 0 });
    expect(Date.parse(String(done?.executeAt))).toBeLessThan(Date.now());
  });

  test('a timer that is cleared between sending and rescheduling does not come back', async () => {
    const pk = await waiting.set('anna');
    inFrontOf('UpdateItemCommand', () => transact([waiting.timers.clear(waitId('anna'))]));
    await waiting.sweep();
    expect(await waiting.read(pk)).toBeUndefined();
  });

  test('a timer that is done or rescheduled is not sent if the index is behind', async () => {
    await waiting.waits('done');
    await waiting.set('done');
    await waiting.set('moved');
    // In front of the lease: the index was asked by then.
    inFrontOf('PutItemCommand', async () => {
      const record = (await waiting.read(waiting.record('done')))!;
      await waiting.deliver({ body: String(record.payload), record: String(record.pk) });
      await waiting.put({ ...(await waiting.read(waiting.record('moved'))), executeAt: waiting.in(60) });
    });
    await waiting.sweep();
    expect(waiting.sent).toEqual([]);
  });

  test('a timer is sent once if the index shows its record at two places', async () => {
    const pk = await waiting.set('anna');
    const options = { table: 'records', owner: WAITER.name, queue: QUEUE, intervalSeconds: INTERVAL };
    await new TimerDispatcher(options).dispatchPage([pk, pk]);
    expect(records()).toEqual([pk]);
  });

  test("a conflict with its owner's transaction does not fail the sweep, and the timer is due again", async () => {
    await waiting.set('anna');
    const conflict = new TransactionConflictException({ message: 'ongoing', $metadata: {} });
    inFrontOf('UpdateItemCommand', () => Promise.reject(conflict));
    await waiting.sweep();
    waiting.pass(60);
    await waiting.sweep();
    expect(waiting.sent).toHaveLength(2);
  });

  test('a sweep that can not ask for its lease fails, and sends nothing', async () => {
    await waiting.set('anna');
    inFrontOf('PutItemCommand', dies);
    await expect(waiting.sweep()).rejects.toThrow('killed');
    expect(waiting.sent).toEqual([]);
  });

  test('a timer is not sent while another sweeper has the lease', async () => {
    await waiting.set('anna');
    inFrontOf('BatchGetItemCommand', dies);
    await expect(waiting.sweep()).rejects.toThrow('killed');
    await waiting.sweep();
    expect(waiting.sent).toEqual([]);
    waiting.pass(50);
    await waiting.sweep();
    expect(waiting.sent).toHaveLength(1);
  });

  test('two concurrent sweepers send a timer twice, reschedule it once, and have one effect', async () => {
    await waiting.waits('anna');
    const pk = await waiting.set('anna');
    inFrontOf('UpdateItemCommand', async () => {
      await waiting.put({ pk: lease, heldUntil: waiting.in(-1) });
      await waiting.sweeper.sweep(waiting.timeLeft);
    });
    await waiting.sweep();
    expect(records()).toEqual([pk, pk]);
    expect(await waiting.read(pk)).toMatchObject({ attempts: 1 });
    for (const message of waiting.sent) await waiting.deliver(message);
    expect(await waiting.stateOf('anna')).toMatchObject({ waits: 'OVER', times: 1 });
  });
});

describe('timers that can not be sent', () => {
  test('a timer that can not be sent now is due at the next sweep; the others are not sent again', async () => {
    for (const name of ['anna', 'bert']) await waiting.set(name);
    waiting.refused.set(waiting.record('anna'), { Code: 'InternalError', SenderFault: false });
    await waiting.sweep();
    expect(records()).toEqual([waiting.record('bert')]);
    waiting.refused.clear();
    waiting.pass(60);
    await waiting.sweep();
    expect(records()).toEqual([waiting.record('bert'), waiting.record('anna')]);
  });

  test('a timer that can never be sent is a failure; the others of its batch are rescheduled', async () => {
    for (const name of ['anna', 'bert']) await waiting.set(name);
    waiting.refused.set(waiting.record('anna'), { Code: 'InvalidMessageContents', SenderFault: true });
    await waiting.sweep();
    expect(await waiting.read(waiting.record('anna'))).toMatchObject({
      status: 'FAILED',
      failures: [{ name: 'Unsendable', message: 'InvalidMessageContents' }],
    });
    expect(await waiting.read(waiting.record('bert'))).toMatchObject({ status: 'PENDING', attempts: 1 });
    expect(await waiting.index('failed', 'failedConsumer', WAITER.name)).toHaveLength(1);
  });

  test.each<[string, (good: string) => Item]>([
    ['no payload', () => ({})],
    ['a payload that is no message', () => ({ payload: '{}' })],
    ['a payload that would fill a batch', (good) => ({ payload: good + ' '.repeat(24 * 1024) })],
  ])('a timer with %s is a failure, and nothing waits behind it', async (_, poison) => {
    const shard = duePartition(WAITER.name, 0);
    const good: Item = { ...waiting.write('anna').Put!.Item!, duePk: shard };
    for (const name of names(25)) {
      await waiting.put({
        pk: waiting.record(name),
        status: 'PENDING',
        executeAt: waiting.in(-60),
        duePk: shard,
        ...poison(String(good.payload)),
      });
    }
    await waiting.put(good);
    await waiting.sweep();
    expect(records()).toEqual([waiting.record('anna')]);
    expect(await waiting.index('due', 'duePk', shard)).toHaveLength(1);
    expect(await waiting.index('failed', 'failedConsumer', WAITER.name)).toHaveLength(25);
  });

  test('a page whose read fails does not delay the pages behind it', async () => {
    const shard = duePartition(WAITER.name, 0);
    for (const name of names(50)) await waiting.put({ ...waiting.write(name).Put!.Item!, duePk: shard });
    inFrontOf('BatchGetItemCommand', dies);
    await expect(waiting.sweep()).rejects.toThrow('killed');
    expect(waiting.sent).toHaveLength(30);
  });

  test('a shard whose read fails stays due, and other shards continue', async () => {
    for (const name of names(20)) await waiting.set(name);
    let calls = 0;
    before = async (command) => {
      if (command === 'BatchGetItemCommand' && ++calls === 1) await dies();
    };
    await expect(waiting.sweep()).rejects.toThrow('killed');
    const first = waiting.sent.length;
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(20);
    waiting.pass(60);
    await waiting.sweep();
    expect(new Set(records()).size).toBe(20);
    expect(waiting.sent).toHaveLength(20);
  });
});

describe('stored messages that are sent by their keys', () => {
  test('leave their bodies and their attempts to whoever takes them', async () => {
    const sweeper = new Sweeper({
      table: 'records',
      owner: WAITER.name,
      queue: QUEUE,
      intervalSeconds: INTERVAL,
      sends: 'key',
    });
    const due = { status: 'PENDING', executeAt: waiting.in(0), duePk: duePartition(WAITER.name, 0), attempts: 0 };
    // Nobody reads it here, so its size and form don't matter.
    await waiting.put({ pk: 'stored', group: 'of a subject', payload: 'x'.repeat(30_000), ...due });
    waiting.pass(10);
    await sweeper.sweep(() => 50_000);
    expect(waiting.sent).toEqual([{ record: 'stored', body: '{"record":"stored"}' }]);
    expect(waiting.groups).toEqual(['of a subject']);
    expect(await waiting.read('stored')).toMatchObject({ attempts: 0, executeAt: waiting.in(INTERVAL) });
  });
});

describe('what a sweep tells', () => {
  test('a timer that can never be sent is counted and logged once, with the reason', async () => {
    const counted: string[] = [];
    vi.spyOn(telemetry, 'count').mockImplementation((name) => {
      counted.push(name);
    });
    const told = vi.spyOn(telemetry.logger, 'error').mockImplementation(() => undefined);
    const pk = await waiting.set('anna');
    waiting.refused.set(pk, { Code: 'InvalidMessageContents', SenderFault: true });
    await waiting.sweep();
    expect(counted).toEqual([Metric.CONSUMER_FAILURES]);
    const fields = { record: pk, outcome: 'recorded', name: 'Unsendable', text: 'InvalidMessageContents' };
    expect(told).toHaveBeenCalledWith('a timer can never be sent', expect.objectContaining(fields));
    // Another sweeper has recorded it meanwhile.
    await waiting.put({ ...(await waiting.read(pk)), status: 'PENDING', duePk: duePartition(WAITER.name, 0) });
    inFrontOf('UpdateItemCommand', async () => {
      const { duePk: _, ...record } = (await waiting.read(pk)) ?? {};
      await waiting.put({ ...record, status: 'FAILED' });
    });
    waiting.pass(60);
    await waiting.sweep();
    expect(counted).toEqual([Metric.CONSUMER_FAILURES]);
    expect(told).toHaveBeenLastCalledWith('a timer can never be sent', expect.objectContaining({ outcome: 'known' }));
  });

  test('its function writes the metrics in any case', async () => {
    const written = vi.spyOn(telemetry, 'publishMetrics').mockImplementation(() => undefined);
    functionEnvironment({ [Env.CONSUMER]: WAITER.name, [Env.QUEUE_URL]: QUEUE, [Env.RESEND_SECONDS]: '60' });
    const { handler } = await import('../../../packages/kit/timers/sweeper.lambda.js');
    const context = { getRemainingTimeInMillis: () => 50_000 } as Context;
    await handler(undefined, context);
    expect(written).toHaveBeenCalledTimes(1);
    inFrontOf('QueryCommand', dies);
    await expect(handler(undefined, context)).rejects.toThrow();
    expect(written).toHaveBeenCalledTimes(2);
  });
});

test('records are read strongly consistent, since the index may be behind; messages go to the endpoint of the Region', async () => {
  const asked = vi.spyOn(documentClient, 'send');
  const clients: SQSClient[] = [];
  const send = vi.mocked(SQSClient.prototype.send);
  const take = send.getMockImplementation();
  send.mockImplementation(function (this: SQSClient, ...given) {
    clients.push(this);
    return take?.apply(this, given) as never;
  });
  await waiting.set('anna');
  await waiting.sweep();
  const reads = asked.mock.calls.map(([command]) => command as unknown).filter((one) => one instanceof BatchGetCommand);
  expect(reads.map(({ input }) => input.RequestItems?.records?.ConsistentRead)).toEqual([true]);
  // A queue's address names another host in a VPC with an endpoint.
  expect(clients.map(({ config }) => config.useQueueUrlAsEndpoint)).toEqual([false]);
});
