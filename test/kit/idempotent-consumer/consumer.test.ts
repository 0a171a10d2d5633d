import { ChangeMessageVisibilityCommand, DeleteMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Context, SQSRecord } from 'aws-lambda';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { Metric } from '../../../packages/kit/aws/metric-names.js';
import type { SpanLine } from '../../../packages/kit/aws/spans.js';
import * as telemetry from '../../../packages/kit/aws/telemetry.js';
import { REDRIVE } from '../../../packages/kit/failures/delivery.js';
import { FailureRecords, recordKey } from '../../../packages/kit/failures/failure-records.js';
import type { OpenEntrance } from '../../../packages/kit/idempotent-consumer/lane-entrance.js';
import { type Handling, on } from '../../../packages/kit/idempotent-consumer/message-source.js';
import { ProcessedRecords } from '../../../packages/kit/idempotent-consumer/process-once.js';
import type { Envelope } from '../../../packages/kit/messages/envelope.js';
import { eventMessage, type MessageFields } from '../../../packages/kit/testing/messages.js';
import { readSpanLine } from '../../../packages/kit/traces/otlp.js';
import { functionEnvironment } from '../../support/function-environment.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { parcels, shopContract } from '../../support/inboxes/contract.js';

/** A consumer as its queue calls it: what it deletes, puts off, records, logs, counts and traces. */

class Refused extends Error {
  override readonly name = 'Refused';
}
const IDENTITY = { name: 'desk-parcels', generation: 0 };
const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

let createConsumer: typeof import('../../../packages/kit/idempotent-consumer/consumer.js').consumer;
/** Handlers by the names of parcels. */
let handle: (name: string) => Handling;
let sent: unknown[];
let handled: string[];
let asked: ReturnType<typeof inProcessDynamoDb>['calls'];
beforeAll(async () => {
  functionEnvironment({
    SERVICE: 'desk',
    CONSUMER: IDENTITY.name,
    CONSUMER_GENERATION: '0',
    COMMANDERS: '[]',
    MAX_ATTEMPTS: '3',
    QUEUE_URL: 'http://queue.test',
    AWS_REGION: 'eu-west-1',
  });
  ({ consumer: createConsumer } = await import('../../../packages/kit/idempotent-consumer/consumer.js'));
});
beforeEach(() => {
  sent = [];
  handled = [];
  handle = () => ({ decide: async () => [] });
  asked = inProcessDynamoDb({ table: ['pk', 'sk'], records: ['pk'] }).calls;
  vi.spyOn(SQSClient.prototype, 'send').mockImplementation((async (command: unknown) => {
    sent.push(command);
    return {};
  }) as never);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const message = (name: string, fields: MessageFields = {}): Envelope => ({
  ...eventMessage(
    shopContract,
    { type: 'ParcelSent', data: { name } },
    { id: name, subject: `Parcel/${name}`, time: new Date().toISOString(), traceparent: TRACEPARENT, ...fields },
  ),
  source: 'orderly.shop',
  dataschema: 'urn:orderly:shop:ParcelSent:1',
});
const recordOf = (
  one: Envelope | string,
  attempts = 1,
  attributes: Readonly<Record<string, string>> = {},
): SQSRecord => {
  const id = typeof one === 'string' ? one : one.id;
  return {
    messageId: `m-${id}`,
    receiptHandle: `receipt-${id}`,
    body: typeof one === 'string' ? one : JSON.stringify({ source: one.source, 'detail-type': one.type, detail: one }),
    attributes: { ApproximateReceiveCount: String(attempts) },
    messageAttributes: Object.fromEntries(
      Object.entries(attributes).map(([name, stringValue]) => [name, { stringValue, dataType: 'String' }]),
    ),
  } as unknown as SQSRecord;
};

/** Delivers one batch. @returns ids of the messages that stay in the queue */
async function deliver(
  records: readonly SQSRecord[],
  timeLeft = () => 30_000,
  lane?: OpenEntrance,
): Promise<readonly string[]> {
  const handler = createConsumer(
    [
      on(parcels, {
        ParcelSent: ({ event }) => {
          handled.push(event.data.name);
          return handle(event.data.name);
        },
      }),
    ],
    { isRefusal: (error) => error instanceof Refused, ...(lane && { lane }) },
  );
  const { batchItemFailures } = await handler({ Records: [...records] }, {
    getRemainingTimeInMillis: timeLeft,
  } as Context);
  return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
}
const fails = (error: Error) => {
  handle = () => ({ decide: () => Promise.reject(error) });
};
const deletions = () =>
  sent.flatMap((command) => (command instanceof DeleteMessageBatchCommand ? [command.input.Entries ?? []] : []));
const stored = async (id: string) =>
  (
    await documentClient.send(
      new GetCommand({ TableName: 'records', Key: { pk: recordKey(IDENTITY, `orderly.shop:${id}`) } }),
    )
  ).Item;

describe('a batch', () => {
  test('of messages that come for the first time deletes nothing by itself, and is done by the queue', async () => {
    expect(await deliver([recordOf(message('a')), recordOf(message('b'), 2)])).toEqual([]);
    expect(handled.toSorted()).toEqual(['a', 'b']);
    expect(sent).toEqual([]);
  });

  test('deletes what is done before it begins with a suspect, and each suspect by itself, so that a crash brings back one only', async () => {
    const records = [
      recordOf(message('a'), 3),
      recordOf(message('b')),
      recordOf(message('c'), 4),
      recordOf(message('d')),
    ];
    const deletedWhen = new Map<string, number>();
    handle = (name) => {
      deletedWhen.set(name, deletions().length);
      return { decide: async () => [] };
    };
    expect(await deliver(records)).toEqual([]);
    expect(deletions().map((entries) => entries.map(({ ReceiptHandle }) => ReceiptHandle).toSorted())).toEqual([
      ['receipt-b', 'receipt-d'],
      expect.any(Array),
      expect.any(Array),
    ]);
    expect(
      deletions()
        .slice(1)
        .flat()
        .map(({ ReceiptHandle }) => ReceiptHandle)
        .toSorted(),
    ).toEqual(['receipt-a', 'receipt-c']);
    expect(deletions()[0]?.map(({ Id }) => Id)).toEqual(['0', '1']);
    const suspects = [deletedWhen.get('a') ?? 0, deletedWhen.get('c') ?? 0];
    expect([deletedWhen.get('b'), deletedWhen.get('d'), ...suspects.toSorted()]).toEqual([0, 0, 1, 2]);
  });

  test('leaves a suspect to another invocation if its time is over', async () => {
    let left = 30_000;
    handle = () => {
      left = 1_000;
      return { decide: async () => [] };
    };
    const records = [recordOf(message('a')), recordOf(message('suspect'), 3)];
    expect(await deliver(records, () => left)).toEqual(['m-suspect']);
    expect(handled).toEqual(['a']);
  });

  test('continues if its queue deletes nothing', async () => {
    const warn = vi.spyOn(telemetry.logger, 'warn').mockImplementation(() => undefined);
    vi.mocked(SQSClient.prototype.send).mockRejectedValue(new RangeError('no') as never);
    expect(await deliver([recordOf(message('a')), recordOf(message('b'), 3)])).toEqual([]);
    expect(warn).toHaveBeenCalledWith(
      'not deleted before the end of the batch',
      expect.objectContaining({ name: 'RangeError' }),
    );
  });
});

describe('a lane', () => {
  test('takes hot messages before they are tried, and others after a lost race: their queue deletes both', async () => {
    const stored: string[] = [];
    const asked: string[] = [];
    const lane: OpenEntrance = ({ sources }) => ({
      storeHot: async (deliveries) => {
        const hot = deliveries.filter(({ record }) => record.messageId === 'm-hot');
        stored.push(...hot.map(({ record }) => record.messageId));
        return new Set(hot);
      },
      sourcesFor: ({ record }) => {
        asked.push(record.messageId);
        return sources;
      },
      storeAfter: async (error, { record }) => {
        if ((error as Error).name !== 'LostRace' || record.messageId !== 'm-lost') return false;
        stored.push(record.messageId);
        return true;
      },
    });
    fails(Object.assign(new Error('lost'), { name: 'LostRace' }));
    const batch = ['hot', 'lost', 'other'].map((name) => recordOf(message(name)));
    expect(await deliver(batch, undefined, lane)).toEqual(['m-other']);
    expect(stored).toEqual(['m-hot', 'm-lost']);
    expect(asked.toSorted()).toEqual(['m-lost', 'm-other']);
    expect(handled.toSorted()).toEqual(['lost', 'other']);
  });
});

describe('what a consumer logs and counts', () => {
  const told = (level: 'info' | 'warn' | 'error') =>
    vi.spyOn(telemetry.logger, level).mockImplementation(() => undefined);
  const counts = () => {
    const names: string[] = [];
    vi.spyOn(telemetry, 'count').mockImplementation((name) => void names.push(name));
    return names;
  };

  test('a message that was applied, with its age, and its duplicate', async () => {
    const [info, counted] = [told('info'), counts()];
    const one = message('a', { time: new Date(Date.now() - 30_000).toISOString(), correlationid: 'request-1' });
    await deliver([recordOf(one)]);
    await deliver([recordOf(one, 2)]);
    const fields = {
      consumer: IDENTITY.name,
      eventId: 'a',
      eventType: 'ParcelSent',
      subject: 'Parcel/a',
      correlationId: 'request-1',
      messageId: 'm-a',
    };
    expect(info.mock.calls).toEqual([
      ['applied', { ...fields, age: expect.any(Number) }],
      ['duplicate', { ...fields, attempts: 2, age: expect.any(Number) }],
    ]);
    const [, applied] = info.mock.calls[0] ?? [];
    expect(Number((applied as { readonly age?: number } | undefined)?.age)).toBeGreaterThanOrEqual(30);
    expect(counted).toEqual([Metric.DUPLICATES_SUPPRESSED]);
  });

  test('a message that can not be read names no event, and no age', async () => {
    const error = told('error');
    expect(await deliver([recordOf('no message')])).toEqual([]);
    const [[words, fields] = []] = error.mock.calls;
    expect(words).toBe('failed');
    expect(fields).toMatchObject({ consumer: IDENTITY.name, messageId: 'm-no message', attempts: 1, permanent: true });
    expect(Object.keys(fields as object).filter((name) => /^event|^subject|^age/.test(name))).toEqual([]);
  });

  test('a fault that passes is put off, and the last attempt is recorded; a redriven message has failed again', async () => {
    const [warn, error, counted] = [told('warn'), told('error'), counts()];
    fails(new Error('not today'));
    expect(await deliver([recordOf(message('a'))])).toEqual(['m-a']);
    expect(sent).toEqual([expect.any(ChangeMessageVisibilityCommand)]);
    expect(await deliver([recordOf(message('a'), 3)])).toEqual([]);
    expect(await deliver([recordOf(message('a'), 3, { [REDRIVE]: 'again' })])).toEqual([]);
    expect(warn.mock.calls.map(([words]) => words)).toEqual(['retrying']);
    expect(error.mock.calls.map(([words]) => words)).toEqual(['failed', 'failed again']);
    expect(counted).toEqual([Metric.TRANSIENT_FAILURES, Metric.CONSUMER_FAILURES]);
    expect((await stored('a'))?.failures).toHaveLength(2);
  });

  test('a message whose failure can not be recorded stays in its queue', async () => {
    const error = told('error');
    vi.spyOn(FailureRecords.prototype, 'record').mockRejectedValue(new RangeError('no room'));
    fails(new Refused('no'));
    expect(await deliver([recordOf(message('a'))])).toEqual(['m-a']);
    expect(error).toHaveBeenCalledWith(
      'the failure could not be recorded',
      expect.objectContaining({ name: 'RangeError', eventId: 'a' }),
    );
  });
});

describe('a span of the trace', () => {
  const spansOf = async (run: () => Promise<unknown>) => {
    const spans: Partial<SpanLine>[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      const line = readSpanLine(String(text));
      if (line) spans.push(line);
      return true;
    });
    await run();
    return spans.map(({ of, outcome, error }) => [of, outcome, error]);
  };

  test('says the outcome of each attempt', async () => {
    vi.stubEnv('KIT_TRACES', 'on');
    const spans = await spansOf(async () => {
      await deliver([recordOf(message('a'))]);
      await deliver([recordOf(message('a'), 2)]);
      fails(new RangeError('not today'));
      await deliver([recordOf(message('b'))]);
      await deliver([recordOf(message('b'), 3)]);
      fails(new Refused('no'));
      await deliver([recordOf(message('c'))]);
      // Another delivery has recorded the failure meanwhile.
      vi.spyOn(FailureRecords.prototype, 'record').mockResolvedValue('known');
      await deliver([recordOf(message('d'))]);
    });
    expect(spans).toEqual([
      ['process', 'applied', undefined],
      ['process', 'duplicate', undefined],
      ['process', 'retrying', 'RangeError'],
      ['process', 'failed', 'RangeError'],
      ['process', 'refused', 'Refused'],
      ['process', 'duplicate', undefined],
    ]);
  });

  test('is written by a consumer with traces only', async () => {
    expect(await spansOf(() => deliver([recordOf(message('a'))]))).toEqual([]);
  });
});

describe('a projection', () => {
  test('keeps no records, but ends the failure of a message that is redriven', async () => {
    let isBroken = true;
    handle = () => ({
      project: async () => {
        if (isBroken) throw new Refused('no');
        return 'applied';
      },
    });
    await deliver([recordOf(message('a'))]);
    expect(await stored('a')).toMatchObject({ status: 'FAILED' });
    isBroken = false;
    asked.length = 0;
    await deliver([recordOf(message('b'))]);
    expect(asked).toEqual([]);
    expect(await stored('b')).toBeUndefined();
    await deliver([recordOf(message('a'), 1, { [REDRIVE]: 'again' })]);
    expect(await stored('a')).toMatchObject({ status: 'PROCESSED' });
  });
});

test('whether a message was processed is read strongly consistent where it decides, and for half the price where it only saves work', async () => {
  const records = new ProcessedRecords('records', IDENTITY, 3_600);
  const read = vi.spyOn(documentClient, 'send');
  const identity = { id: 'a', source: 'orderly.shop', time: new Date().toISOString() };
  expect([await records.isProcessed(identity), await records.isKnown(identity)]).toEqual([false, false]);
  expect(read.mock.calls.map(([command]) => (command as unknown as GetCommand).input.ConsistentRead)).toEqual([
    true,
    false,
  ]);
});
