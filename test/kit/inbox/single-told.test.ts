import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { documentClient, TransactionRefused, transact } from '../../../packages/kit/aws/dynamodb.js';
import { Metric } from '../../../packages/kit/aws/metric-names.js';
import type { SpanLine } from '../../../packages/kit/aws/spans.js';
import * as telemetry from '../../../packages/kit/aws/telemetry.js';
import { logger } from '../../../packages/kit/aws/telemetry.js';
import { REDRIVE } from '../../../packages/kit/failures/delivery.js';
import { FailureRecords } from '../../../packages/kit/failures/failure-records.js';
import { LeaseLost, toClaimedMessage } from '../../../packages/kit/inbox/claimed-message.js';
import { unfinished } from '../../../packages/kit/inbox/inbox-source.js';
import { StoredMessages } from '../../../packages/kit/inbox/stored-messages.js';
import { readSpanLine } from '../../../packages/kit/traces/otlp.js';
import { functionEnvironment } from '../../support/function-environment.js';
import { PARCELS } from '../../support/inboxes/contract.js';
import { counted, Parcels, Refused } from './parcels.js';

let parcels: Parcels;
beforeAll(() => functionEnvironment());
beforeEach(() => {
  parcels = new Parcels();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

const fails = (error = new Error('a secret')) => {
  parcels.handle = () => Promise.reject(error);
};
const told = (level: 'info' | 'warn' | 'error') => vi.spyOn(logger, level).mockImplementation(() => undefined);
const countedMetrics = (): readonly string[] => {
  const names: string[] = [];
  vi.spyOn(telemetry, 'count').mockImplementation((name) => {
    names.push(name);
  });
  return names;
};

describe('what a receiver tells', () => {
  test('a message that is stored is no duplicate, and one that can not be stored now says which one it is, and why', async () => {
    const [warn, counts] = [told('warn'), countedMetrics()];
    await parcels.receive([parcels.message('one')]);
    expect(counts).toEqual([]);
    vi.spyOn(documentClient, 'send').mockRejectedValueOnce(new RangeError('throttled') as never);
    expect(await parcels.receive([parcels.message('two')])).toEqual(['0']);
    expect(counts).toEqual([Metric.TRANSIENT_FAILURES]);
    expect(warn).toHaveBeenCalledWith(
      'not stored yet',
      expect.objectContaining({ consumer: PARCELS.name, eventId: 'two', messageId: '0', name: 'RangeError' }),
    );
  });

  test('a message that comes again is known: it leaves its queue, and is counted as a duplicate', async () => {
    await parcels.receive([parcels.message('one')]);
    const [info, counts] = [told('info'), countedMetrics()];
    expect(await parcels.receive([parcels.message('one')])).toEqual([]);
    expect(info.mock.calls.map(([word]) => word)).toEqual(['known']);
    expect(counts).toEqual([Metric.DUPLICATES_SUPPRESSED]);
  });

  test('a message whose failure can not be recorded stays in its queue, and the log names both errors', async () => {
    const error = told('error');
    vi.spyOn(FailureRecords.prototype, 'record').mockRejectedValue(new RangeError('no room'));
    expect(await parcels.receive(['no message'])).toEqual(['0']);
    expect(error).toHaveBeenCalledWith(
      'the failure could not be recorded',
      expect.objectContaining({ consumer: PARCELS.name, name: 'RangeError' }),
    );
  });
});

describe('what a runner tells', () => {
  beforeEach(() => parcels.receive([parcels.message('one')]));

  test('a message that another runner holds is not free', async () => {
    await parcels.take('one');
    const info = told('info');
    await parcels.run('one');
    expect(info.mock.calls).toEqual([['not free', { consumer: PARCELS.name, record: parcels.key('one') }]]);
  });

  test('an attempt that has not ended the message names its record, and no message: it is no attempt that an operator counts', async () => {
    const info = told('info');
    parcels.handle = async (_, work) => work.save({ page: 1 }).then(() => unfinished);
    await parcels.run('one');
    expect(info.mock.calls).toEqual([
      ['unfinished', { consumer: PARCELS.name, record: parcels.key('one'), attempts: 1 }],
    ]);
    for (const gone of ['runner', 'heldUntil']) expect(await parcels.record('one')).not.toHaveProperty(gone);
  });

  test('a lost lease is no failure: nothing says that it is tried again', async () => {
    const [info, warn, counts] = [told('info'), told('warn'), countedMetrics()];
    parcels.handle = async (name, work) => {
      parcels.pass(61);
      await parcels.take(name);
      await work.save({ page: 1 });
      return unfinished;
    };
    await parcels.run('one');
    expect(info.mock.calls.map(([word]) => word)).toEqual(['lost']);
    expect([warn.mock.calls, counts]).toEqual([[], []]);
  });
});

describe('a span of the trace', () => {
  const spansOf = async (...runs: readonly (() => Promise<unknown>)[]): Promise<readonly Partial<SpanLine>[]> => {
    const spans: Partial<SpanLine>[] = [];
    vi.stubEnv('KIT_TRACES', 'on');
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      const line = readSpanLine(String(text));
      if (line) spans.push(line);
      return true;
    });
    for (const run of runs) await run();
    return spans;
  };
  const traced = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' };

  test('of a receiver says whether the message was stored, known, refused, or comes again', async () => {
    const message = parcels.message('one', traced);
    const old = parcels.message('old', { ...traced, time: '2025-01-01T00:00:00.000Z' });
    const spans = await spansOf(
      () => parcels.receive([message]),
      () => parcels.receive([message]),
      () => parcels.receive([old]),
      async () => {
        vi.spyOn(documentClient, 'send').mockRejectedValueOnce(new RangeError('throttled') as never);
        await parcels.receive([parcels.message('two', traced)]);
      },
    );
    expect(spans.map(({ outcome, error }) => [outcome, error])).toEqual([
      ['stored', undefined],
      ['duplicate', undefined],
      ['refused', 'TooOld'],
      ['retrying', 'RangeError'],
    ]);
    expect(new Set(spans.map(({ of }) => of))).toEqual(new Set(['receive']));
  });

  test('of a runner says the outcome, and that it is an error if the message has failed or is put off', async () => {
    await parcels.receive([parcels.message('one', traced), parcels.message('two', traced)]);
    const spans = await spansOf(
      () => {
        fails();
        return parcels.run('one');
      },
      () => {
        fails(new Refused('no'));
        return parcels.run('two');
      },
      () => {
        parcels.handle = (name) => ({ decide: async () => [counted(name)] });
        parcels.pass(90);
        return parcels.run('one');
      },
    );
    expect(spans.map(({ outcome, error }) => [outcome, error])).toEqual([
      ['postponed', 'postponed'],
      ['failed', 'failed'],
      ['applied', undefined],
    ]);
  });
});

describe('an effect', () => {
  beforeEach(() => parcels.receive([parcels.message('one')]));

  test('of a handler that projects is there before the message counts as processed', async () => {
    const seen: unknown[] = [];
    parcels.handle = (name) => ({
      project: async () => {
        seen.push((await parcels.record(name)).status);
        return 'applied';
      },
    });
    await parcels.run('one');
    expect(seen).toEqual(['PENDING']);
    expect(await parcels.record('one')).toMatchObject({ status: 'PROCESSED' });
  });

  test('is not saved once an operator has ended the message, although no other runner holds it', async () => {
    let refused: unknown;
    parcels.handle = async (name, work) => {
      const held = { pk: parcels.key(name) };
      const end = {
        Update: {
          TableName: 'records',
          Key: held,
          UpdateExpression: 'SET #status = :ended',
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: { ':ended': 'DISCARDED' },
        },
      };
      await transact([end]);
      await work.save({ page: 1 }, [counted(name)]).catch((error: unknown) => {
        refused = error;
      });
      return unfinished;
    };
    await parcels.run('one');
    expect(refused).toBeInstanceOf(LeaseLost);
    expect(String(refused)).toContain('another runner holds the message');
    expect([await parcels.times('one'), (await parcels.record('one')).status]).toEqual([0, 'DISCARDED']);
  });

  test('is not saved for a record that is gone', async () => {
    let refused: unknown;
    parcels.handle = async (name, work) => {
      await documentClient.send(new DeleteCommand({ TableName: 'records', Key: { pk: parcels.key(name) } }));
      await work.save({ page: 1 }, [counted(name)]).catch((error: unknown) => {
        refused = error;
      });
      return unfinished;
    };
    await parcels.run('one');
    expect(refused).toBeInstanceOf(LeaseLost);
    expect(await parcels.times('one')).toBe(0);
  });

  test('whose own condition fails is refused to its handler, which still holds the message', async () => {
    let refused: unknown;
    parcels.handle = async (name, work) => {
      const Key = { pk: 'nobody', sk: 'x' };
      const exists = { ConditionCheck: { TableName: 'table', Key, ConditionExpression: 'attribute_exists(pk)' } };
      await work.save({ page: 1 }, [exists]).catch((error: unknown) => {
        refused = error;
      });
      expect(work.signal.aborted).toBe(false);
      return { decide: async () => [counted(name)] };
    };
    await parcels.run('one');
    expect(refused).toBeInstanceOf(TransactionRefused);
    expect(await parcels.times('one')).toBe(1);
  });

  test('that takes long is no reason to renew a lease which has ended', async () => {
    let renewing: Promise<unknown> = Promise.resolve();
    const renew = parcels.messages.renew.bind(parcels.messages);
    vi.spyOn(StoredMessages.prototype, 'renew').mockImplementation((...given) => {
      renewing = new Promise<void>((done) => setImmediate(done)).then(() => renew(...given));
      return renewing as Promise<void>;
    });
    parcels.handle = (name) => {
      vi.advanceTimersByTime(20_000);
      return { decide: async () => [counted(name)] };
    };
    await parcels.run('one');
    await renewing;
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('that fails for another reason than a refusal ends its save with that reason', async () => {
    let reason: unknown;
    parcels.handle = async (_, work) => {
      vi.spyOn(documentClient, 'send').mockRejectedValueOnce(new RangeError('the table is gone') as never);
      await work.save({ page: 1 }).catch((error: unknown) => {
        reason = error;
      });
      return unfinished;
    };
    await parcels.run('one');
    expect(reason).toMatchObject({ name: 'RangeError', message: 'the table is gone' });
  });

  test('that failed is recorded once, whichever way its caller asks', async () => {
    const taken = await parcels.take('one');
    if (!taken) throw new Error('expected to hold the message');
    expect(await parcels.messages.fail(taken, new Refused())).toBe('recorded');
    expect(await parcels.messages.fail({ ...taken, fence: 0 }, new Refused())).toBe('lost');
  });
});

describe('a record', () => {
  test('that is put off, failed or stored again names neither its runner nor its lease, and no failure once it is stored again', async () => {
    await parcels.receive([parcels.message('one')]);
    fails();
    await parcels.run('one');
    expect(await parcels.record('one')).not.toHaveProperty('runner');
    fails(new Refused('no'));
    parcels.pass(90);
    await parcels.run('one');
    const failed = await parcels.record('one');
    expect(failed).toMatchObject({ status: 'FAILED', failedConsumer: PARCELS.name, failedAt: expect.any(String) });
    for (const gone of ['runner', 'heldUntil', 'duePk', 'wake']) expect(failed).not.toHaveProperty(gone);
    // As an earlier release left it.
    await documentClient.send(
      new PutCommand({ TableName: 'records', Item: { ...failed, heldUntil: '2026-03-01T00:00:00.000Z', runner: 'r' } }),
    );
    await parcels.receive([parcels.message('one')], { [REDRIVE]: 'again' });
    const again = await parcels.record('one');
    expect(again).toMatchObject({ status: 'PENDING' });
    for (const gone of ['runner', 'heldUntil', 'failedAt', 'failedConsumer']) expect(again).not.toHaveProperty(gone);
  });

  test('of a release that stored no message group has none', () =>
    expect(toClaimedMessage({ pk: 'p', messageId: 'm', fence: 1, attempts: 1 }).group).toBe(''));
});
