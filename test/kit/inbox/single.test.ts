import { SQSClient } from '@aws-sdk/client-sqs';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { documentClient, transact } from '../../../packages/kit/aws/dynamodb.js';
import { logger } from '../../../packages/kit/aws/telemetry.js';
import { REDRIVE, REPLAY } from '../../../packages/kit/failures/delivery.js';
import { recordKey } from '../../../packages/kit/failures/failure-records.js';
import { computeBackoff } from '../../../packages/kit/inbox/backoff.js';
import { LeaseLost } from '../../../packages/kit/inbox/claimed-message.js';
import { unfinished, type WorkResult } from '../../../packages/kit/inbox/inbox-source.js';
import type { Work } from '../../../packages/kit/inbox/work.js';
import type { MessageFields } from '../../../packages/kit/testing/messages.js';
import { functionEnvironment } from '../../support/function-environment.js';
import { PARCELS } from '../../support/inboxes/contract.js';
import { BEGIN, counted, Parcels, Refused } from './parcels.js';

let parcels: Parcels;
beforeAll(() => functionEnvironment());
beforeEach(() => {
  parcels = new Parcels();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const at = (seconds: number): string => new Date(Date.parse(BEGIN) + seconds * 1000).toISOString();
const fails = (error = new Error('a secret')) => {
  parcels.handle = () => Promise.reject(error);
};

test('each line of a runner about an attempt names the message by which an operator looks for it', async () => {
  const [info, warn, error] = [vi.spyOn(logger, 'info'), vi.spyOn(logger, 'warn'), vi.spyOn(logger, 'error')];
  await parcels.receive([parcels.message('one', { correlationid: 'request-1' })]);
  info.mockClear();
  const names = { consumer: PARCELS.name, eventId: 'one', correlationId: 'request-1' };
  fails();
  await parcels.run('one');
  expect(warn).toHaveBeenCalledWith('retrying', expect.objectContaining({ ...names, attempts: 1 }));
  fails(new Refused('no'));
  parcels.pass(90);
  await parcels.run('one');
  expect(error).toHaveBeenCalledWith('failed', expect.objectContaining({ ...names, attempts: 2 }));
  parcels.handle = (name) => ({ decide: async () => [counted(name)] });
  await parcels.receive([parcels.message('one', { correlationid: 'request-1' })], { [REDRIVE]: 'again' });
  info.mockClear();
  await parcels.run('one');
  expect(info).toHaveBeenCalledWith('applied', expect.objectContaining({ ...names, attempts: 1 }));
});

describe('receiving', () => {
  test('stores an event from before the inbox existed, if an operator replays it', async () => {
    const old = parcels.message('old', { time: at(-400 * 86_400) });
    await parcels.receive([old], { [REPLAY]: 'run' });
    expect(await parcels.record('old')).toMatchObject({ status: 'FAILED', unknown: true });
    parcels = new Parcels(at(-86_400));
    await parcels.receive([old]);
    expect(await parcels.record('old')).toMatchObject({ status: 'FAILED', unknown: true });
    parcels = new Parcels(at(-86_400));
    for (let times = 0; times < 2; times++) {
      await parcels.receive([old], { [REPLAY]: 'run' });
      await parcels.run('old');
    }
    expect(await parcels.times('old')).toBe(1);
  });

  test('stores ten messages by ten puts, with all that processing needs', async () => {
    const names = Array.from({ length: 10 }, (_, at) => `parcel-${at}`);
    expect(await parcels.receive(names.map((name) => parcels.message(name)))).toEqual([]);
    expect(parcels.calls.map(({ operation }) => operation)).toEqual(Array(10).fill('PutItem'));
    expect(await parcels.record('parcel-3')).toMatchObject({
      status: 'PENDING',
      attempts: 0,
      fence: 0,
      wake: true,
      topic: 'shop/ParcelSent',
      subject: 'Parcel/parcel-3',
      storedAt: BEGIN,
      // The stream hands it out at once, and the sweeper a minute later.
      executeAt: at(60),
      duePk: expect.stringMatching(/^parcels#/),
    });
  });

  test('stores two messages that have one id, if they are of two publishers', async () => {
    const other = { source: 'app.second', dataschema: 'urn:app:second:ParcelSent:1' };
    const messages = [parcels.message('one'), parcels.message('one', other as MessageFields)];
    for (let times = 0; times < 2; times++) await parcels.receive(messages);
    expect(await parcels.record('one')).toMatchObject({ status: 'PENDING', messageId: 'app.shop:one' });
    expect(
      (
        await documentClient.send(
          new GetCommand({ TableName: 'records', Key: { pk: recordKey(PARCELS, 'app.second:one') } }),
        )
      ).Item,
    ).toMatchObject({ status: 'PENDING' });
  });

  test('records what it can never store, and keeps it out of the queue', async () => {
    const old = parcels.message('old', { time: at(-40 * 86_400) });
    expect(await parcels.receive(['no message', old, parcels.message('good')])).toEqual([]);
    expect(await parcels.record('old')).toMatchObject({ status: 'FAILED', unknown: true });
    expect(await parcels.record('good')).toMatchObject({ status: 'PENDING' });
  });
});

describe('processing', () => {
  beforeEach(() => parcels.receive([parcels.message('one')]));

  test('commits the effect and the final status together', async () => {
    await parcels.run('one');
    expect(await parcels.times('one')).toBe(1);
    const record = await parcels.record('one');
    expect(record).toMatchObject({ status: 'PROCESSED', attempts: 1, fence: 1 });
    expect(record.expiresAt).toBeGreaterThan(Date.parse(BEGIN) / 1000 + 34 * 86_400);
    for (const gone of ['duePk', 'heldUntil', 'wake', 'runner']) expect(record).not.toHaveProperty(gone);
  });

  test('delays a failed message, with the reason and no values, and no runner takes it before', async () => {
    fails();
    await parcels.run('one');
    await parcels.run('one');
    const record = await parcels.record('one');
    expect(record).toMatchObject({ status: 'PENDING', attempts: 1, executeAt: at(35), heldUntil: at(30) });
    expect(record.failures).toMatchObject([{ at: BEGIN, name: 'Error', message: '' }]);
    expect(JSON.stringify(record.failures)).not.toContain('secret');
    parcels.pass(30);
    await parcels.run('one');
    expect(await parcels.record('one')).toMatchObject({ attempts: 2, heldUntil: at(90) });
  });

  test('fails a message after its last attempt, with each reason', async () => {
    fails();
    for (let attempt = 1; attempt <= 3; attempt++) {
      await parcels.run('one');
      parcels.pass(3600);
    }
    const record = await parcels.record('one');
    expect(record).toMatchObject({ status: 'FAILED', attempts: 3, failedConsumer: 'parcels' });
    expect(record.failures).toHaveLength(3);
    expect(record).not.toHaveProperty('duePk');
  });

  test('keeps the newest ten reasons, the newest first', async () => {
    parcels = new Parcels(undefined, { attempts: 12 });
    await parcels.receive([parcels.message('one')]);
    const begun: string[] = [];
    for (let attempt = 1; attempt <= 12; attempt++) {
      fails();
      begun.push(new Date().toISOString());
      await parcels.run('one');
      parcels.pass(3600);
    }
    const { failures, status } = await parcels.record('one');
    expect(status).toBe('FAILED');
    expect((failures as { at: string }[]).map((reason) => reason.at)).toEqual(begun.toReversed().slice(0, 10));
  });

  test('fails a refused message at once, and attempts that ended without a word count', async () => {
    fails(new Refused());
    await parcels.run('one');
    expect(await parcels.record('one')).toMatchObject({ status: 'FAILED', attempts: 1 });
    await parcels.receive([parcels.message('two')]);
    for (let crash = 0; crash < 3; crash++) {
      await parcels.take('two');
      parcels.pass(60);
    }
    await parcels.run('two');
    expect(await parcels.record('two')).toMatchObject({ status: 'FAILED', failures: [{ name: 'DeadLettered' }] });
  });

  test('an event has attempts of its own from each new progress on, whether an attempt fails or dies', async () => {
    const PAGES = 8;
    parcels.handle = async (name, work) => {
      const page = (work.progress as { page: number } | undefined)?.page ?? 0;
      if (page === PAGES) return { decide: async () => [counted(name)] };
      await work.save({ page: page + 1 }, [counted(`${name}/${page}`)]);
      throw new Error('after each page');
    };
    for (let page = 1; page <= PAGES; page++) {
      await parcels.run('one');
      parcels.pass(60);
      expect(await parcels.record('one')).toMatchObject({ status: 'PENDING', attempts: 1 });
      // An attempt that ends without a word counts, too.
      await parcels.take('one');
      parcels.pass(60);
    }
    await parcels.run('one');
    expect(await parcels.record('one')).toMatchObject({ status: 'PROCESSED' });
    expect(await Promise.all([0, PAGES - 1].map((page) => parcels.times(`one/${page}`)))).toEqual([1, 1]);
  });

  test('fails after its last attempt if each of them saves the same progress', async () => {
    parcels.handle = async (_, work) => {
      await work.save({ page: 1, of: { pages: 2 } });
      throw new Error('always');
    };
    for (let attempt = 1; attempt <= 4; attempt++) {
      await parcels.run('one');
      parcels.pass(3600);
    }
    expect(await parcels.record('one')).toMatchObject({ status: 'FAILED', attempts: 3 });
  });

  test('an event that is unfinished without progress has failed, and waits before it is tried again', async () => {
    parcels.handle = async (_, work) => {
      if (work.attempt === 1) await work.save({ page: 1 });
      return unfinished;
    };
    await parcels.run('one');
    expect(await parcels.record('one')).toMatchObject({ attempts: 0, wake: true });
    parcels.handle = () => unfinished;
    await parcels.run('one');
    const record = await parcels.record('one');
    expect(record).toMatchObject({ status: 'PENDING', attempts: 1, failures: [{ name: 'NoProgress' }] });
    expect(record).not.toHaveProperty('wake');
  });
});

describe('a pause of up to 15 minutes', () => {
  const linear = (baseSeconds: number) => ({ backoff: { kind: 'linear', baseSeconds, capSeconds: 3_600 } as const });
  const begin = async (baseSeconds: number, attempts = 9) => {
    parcels = new Parcels(undefined, { ...linear(baseSeconds), attempts });
    await parcels.receive([parcels.message('one', { actor: 'customer:bob' })]);
    fails();
  };
  const delayed = (fence: number, DelaySeconds: number) => ({
    QueueUrl: 'queue',
    MessageBody: JSON.stringify({ record: parcels.key('one'), fence }),
    DelaySeconds,
    MessageGroupId: expect.stringMatching(/./),
  });

  test("the runners' own queue keeps a pause to the second", async () => {
    await begin(2);
    for (let fence = 0; fence < 3; fence++) await parcels.run('one', fence || undefined);
    expect(parcels.sent).toEqual([delayed(1, 2), delayed(2, 4), delayed(3, 6)]);
    expect(await parcels.record('one')).toMatchObject({ attempts: 3, heldUntil: at(6), executeAt: at(11) });
  });

  test('ends by the queue’s clock: a runner whose own clock is behind takes the message', async () => {
    await begin(900);
    await parcels.run('one');
    parcels.pass(-2);
    await parcels.run('one', 1);
    expect(await parcels.record('one')).toMatchObject({ attempts: 2, fence: 2 });
  });

  test('a pause is not cut short by a hand-out that comes twice, nor by one of the stream or the sweeper', async () => {
    await begin(2);
    await parcels.run('one');
    await parcels.run('one');
    await parcels.run('one', 1);
    await parcels.run('one', 1);
    parcels.pass(3);
    await parcels.run('one');
    expect(await parcels.record('one')).toMatchObject({ attempts: 2, fence: 2 });
    expect(parcels.sent).toHaveLength(2);
    parcels.pass(1);
    await parcels.run('one');
    expect(await parcels.record('one')).toMatchObject({ attempts: 3 });
  });

  test('a pause does not interrupt the runner that took the message meanwhile', async () => {
    await begin(2);
    await parcels.run('one');
    parcels.pass(2);
    await parcels.take('one');
    await parcels.run('one', 1);
    expect(await parcels.record('one')).toMatchObject({ attempts: 2, fence: 2, runner: expect.any(String) });
  });

  test('a pause is recorded before its hand-out is sent, and left to the sweeper if that fails', async () => {
    await begin(2);
    let sent: Record<string, unknown> = {};
    vi.spyOn(SQSClient.prototype, 'send').mockImplementation((async () => {
      sent = await parcels.record('one');
      throw new Error('no queue');
    }) as never);
    await parcels.run('one');
    expect(sent).toMatchObject({ attempts: 1, heldUntil: at(2), executeAt: at(7) });
    expect(await parcels.record('one')).toEqual(sent);
  });

  test('sends nothing for a message that failed, nor if another runner holds it', async () => {
    await begin(2, 1);
    await parcels.run('one');
    expect((await parcels.record('one')).status).toBe('FAILED');
    await begin(2);
    parcels.handle = async (name) => {
      parcels.pass(61);
      await parcels.take(name);
      throw new Error('too late');
    };
    await parcels.run('one');
    expect(parcels.sent).toEqual([]);
  });

  test('a longer pause is left to the sweeper', async () => {
    await begin(450);
    for (let attempt = 1; attempt <= 3; attempt++) {
      await parcels.run('one');
      parcels.pass(3_600);
    }
    expect(parcels.sent).toEqual([delayed(1, 450), delayed(2, 900)]);
  });
});

describe('a lease', () => {
  beforeEach(() => parcels.receive([parcels.message('one')]));

  /** Another runner takes the message when the lease is over. */
  const takenByAnother = async (name: string) => {
    parcels.pass(61);
    await parcels.take(name);
  };

  test('a lease belongs to one runner until its end', async () => {
    expect(await parcels.take('one')).toMatchObject({ fence: 1 });
    expect(await parcels.take('one')).toBeUndefined();
    parcels.pass(60);
    expect(await parcels.take('one')).toMatchObject({ fence: 2 });
  });

  test.each<[string, (name: string, work: Work) => Promise<WorkResult>]>([
    ['commit nothing', async (name) => ({ decide: async () => [counted(name)] })],
    ['save nothing', (name, work) => work.save({}, [counted(name)]).then(() => unfinished)],
    ['fail nothing', () => Promise.reject(new Refused())],
    ['postpone nothing', () => Promise.reject(new Error('not today'))],
    ['give nothing back', async () => unfinished],
  ])('a lost lease lets its runner %s', async (way, then) => {
    parcels.handle = async (name, work) => {
      if (way === 'give nothing back') await work.save({});
      await takenByAnother(name);
      return then(name, work);
    };
    await parcels.run('one');
    expect(await parcels.times('one')).toBe(0);
    const record = await parcels.record('one');
    expect(record).toMatchObject({ status: 'PENDING', fence: 2, attempts: 2, runner: expect.any(String) });
    expect(record).not.toHaveProperty('failures');
  });

  test('a lost lease aborts the calls of its runner', async () => {
    let signal: AbortSignal | undefined;
    parcels.handle = async (name, work) => {
      signal = work.signal;
      await takenByAnother(name);
      expect(signal.aborted).toBe(false);
      vi.advanceTimersByTime(20_000);
      for (let turn = 0; turn < 30; turn++) await new Promise(setImmediate);
      signal.throwIfAborted();
      return { decide: async () => [counted(name)] };
    };
    await parcels.run('one');
    expect(signal?.reason).toBeInstanceOf(LeaseLost);
    expect(await parcels.record('one')).toMatchObject({ status: 'PENDING', fence: 2 });
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('an answer that is lost', () => {
  beforeEach(() => parcels.receive([parcels.message('one')]));

  /** Sends each update twice, as the SDK does when the first answer is lost. */
  const updatesAreRepeated = () => {
    const send = documentClient.send.bind(documentClient) as (command: unknown) => Promise<unknown>;
    vi.spyOn(documentClient, 'send').mockImplementation((async (command: unknown) => {
      if (command instanceof UpdateCommand) await send(command);
      return send(command);
    }) as never);
  };

  test('a lost answer to taking a message leaves it with the runner that took it', async () => {
    updatesAreRepeated();
    await parcels.run('one');
    expect(await parcels.record('one')).toMatchObject({ status: 'PROCESSED', attempts: 1, fence: 1 });
  });

  test('a lost answer to recording a failure is no lost lease; the failure of an earlier runner is one', async () => {
    const taken = await parcels.take('one');
    if (!taken) throw new Error('expected to hold the message');
    updatesAreRepeated();
    expect(await parcels.messages.fail(taken, new Refused())).toBe('recorded');
    expect(await parcels.messages.fail({ ...taken, fence: 0 }, new Refused())).toBe('lost');
    expect((await parcels.record('one')).failures).toHaveLength(1);
  });
});

describe('a save', () => {
  test('a save whose predecessor took effect without an answer ends the attempt, and writes nothing', async () => {
    await parcels.receive([parcels.message('one')]);
    parcels.handle = async (name, work) => {
      const taken = { pk: parcels.key(name), fence: work.attempt };
      const unanswered = { progress: { page: 1 }, id: 'unanswered', follows: undefined, isNew: true };
      await transact([parcels.messages.saveWrite(taken, unanswered, 60)]);
      await work.save({ page: 2 }, [counted(`${name}/2`)]);
      return unfinished;
    };
    await parcels.run('one');
    expect(await parcels.times('one/2')).toBe(0);
    expect(await parcels.record('one')).toMatchObject({
      status: 'PENDING',
      progress: { page: 1 },
      failures: [{ name: 'Error' }],
    });
  });
});

describe('a redrive', () => {
  test('gives a failed message new attempts, and keeps its reasons and its fencing token', async () => {
    await parcels.receive([parcels.message('one')]);
    fails(new Refused());
    await parcels.run('one');
    await parcels.receive([parcels.message('one')], { [REDRIVE]: 'again' });
    const record = await parcels.record('one');
    expect(record).toMatchObject({
      status: 'PENDING',
      attempts: 0,
      fence: 1,
      wake: true,
      failures: [{ name: 'Error' }],
    });
    expect(record).not.toHaveProperty('failedConsumer');
    parcels.handle = (name) => ({ decide: async () => [counted(name)] });
    await parcels.run('one');
    await parcels.receive([parcels.message('one')], { [REDRIVE]: 'again' });
    expect(await parcels.record('one')).toMatchObject({ status: 'PROCESSED', fence: 2 });
  });

  test('a redrive of work that may have been done needs the confirmation that it was not', async () => {
    const old = parcels.message('old', { time: at(-40 * 86_400) });
    await parcels.receive([old]);
    await parcels.receive([old], { [REDRIVE]: 'again' });
    expect((await parcels.record('old')).status).toBe('FAILED');
    await parcels.receive([old], { [REDRIVE]: 'not-done' });
    await parcels.run('old');
    expect((await parcels.record('old')).status).toBe('PROCESSED');
  });
});

test('pauses grow by their kind, up to the cap', () => {
  const cap = { capSeconds: 100 };
  expect([1, 2, 3, 20].map((n) => computeBackoff(n, { kind: 'linear', baseSeconds: 30, ...cap }))).toEqual([
    30, 60, 90, 100,
  ]);
  expect([1, 2, 3, 20].map((n) => computeBackoff(n, { kind: 'exponential', baseSeconds: 20, ...cap }))).toEqual([
    20, 40, 80, 100,
  ]);
});
