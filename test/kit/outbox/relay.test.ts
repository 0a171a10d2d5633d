import { EventBridgeClient, type PutEventsCommandInput } from '@aws-sdk/client-eventbridge';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { Context, DynamoDBStreamEvent } from 'aws-lambda';
import fc from 'fast-check';
import { beforeAll, expect, test, vi } from 'vitest';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { Env } from '../../../packages/kit/aws/environment.js';
import type { SpanLine } from '../../../packages/kit/aws/spans.js';
import * as telemetry from '../../../packages/kit/aws/telemetry.js';
import { recordKey, relayConsumer } from '../../../packages/kit/failures/failure-records.js';
import type { handler as Relay } from '../../../packages/kit/outbox/relay.lambda.js';
import { readSpanLine } from '../../../packages/kit/traces/otlp.js';
import { functionEnvironment } from '../../support/function-environment.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';

/** Types of events that the bus does not take while the relay has time. */
let refused: ReadonlySet<string> = new Set();
/** Types of events that the bus will never take. */
let malformed: ReadonlySet<string> = new Set();
/** Types of events that came to the bus. */
const sent: string[] = [];
let handler: typeof Relay;

beforeAll(async () => {
  functionEnvironment({ [Env.SERVICE]: 'shop', [Env.EPOCH]: '0', [Env.BUS]: 'bus', POWERTOOLS_LOG_LEVEL: 'SILENT' });
  process.env[Env.OFF_BUS] = JSON.stringify(['Inside']);
  vi.spyOn(EventBridgeClient.prototype, 'send').mockImplementation((async ({
    input,
  }: {
    readonly input: PutEventsCommandInput;
  }) => ({
    Entries: (input.Entries ?? []).map(({ DetailType = '' }) => {
      if (refused.has(DetailType)) return { ErrorCode: 'ThrottlingException' };
      if (malformed.has(DetailType)) return { ErrorCode: 'MalformedDetail' };
      sent.push(DetailType);
      return { EventId: '1' };
    }),
  })) as never);
  ({ handler } = await import('../../../packages/kit/outbox/relay.lambda.js'));
});

const UNHURRIED = { getRemainingTimeInMillis: () => 60_000 } as unknown as Context;
const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

/** A commit with one event of each type. */
const record = (at: number, types: readonly string[]) => ({
  dynamodb: {
    SequenceNumber: String(at),
    NewImage: marshall({
      pk: `Order#${at}`,
      sk: 'COMMIT#0000000001',
      events: types.map((type, n) => ({ id: `${at}-${n}`, type, schemaVersion: 1, data: '{}' })),
      lastVersion: types.length,
      trigger: 't',
      actor: 'a',
      correlationId: 'c',
      traceparent: 'p',
      at: '2026-03-01T00:00:00.000Z',
      feedPk: 'f',
      feedSk: 'f',
    }),
  },
});

test('the batch begins again at the first commit with an event that was not sent, whichever others were', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 12 }),
      async (commits) => {
        const types = commits.map((sent, at) => sent.map((_, n) => `T${at}x${n}`));
        refused = new Set(commits.flatMap((sent, at) => sent.flatMap((isSent, n) => (isSent ? [] : [`T${at}x${n}`]))));
        const Records = types.map((own, at) => record(at, own));
        // Time for one round.
        let looked = 0;
        const getRemainingTimeInMillis = () => (++looked > 1 ? 0 : 60_000);
        const answer = await handler(
          { Records } as unknown as DynamoDBStreamEvent,
          { getRemainingTimeInMillis } as unknown as Context,
        );
        const first = commits.findIndex((sent) => sent.includes(false));
        expect(answer.batchItemFailures).toEqual(first < 0 ? [] : [{ itemIdentifier: String(first) }]);
      },
    ),
    { numRuns: 60, endOnFailure: true },
  ));

test('a malformed commit becomes a failure record, and the others of its batch are sent', async () => {
  inProcessDynamoDb({ table: ['pk', 'sk'], records: ['pk'] });
  refused = new Set();
  sent.length = 0;
  const poison = { pk: 'Order#poison', sk: 'COMMIT#0000000001', events: 'none of our own' };
  const Keys = marshall({ pk: poison.pk, sk: poison.sk });
  const Records = [
    record(1, ['Before']),
    { dynamodb: { SequenceNumber: '2', Keys, NewImage: marshall(poison) } },
    record(3, ['Behind']),
  ];
  const answer = await handler(
    { Records } as unknown as DynamoDBStreamEvent,
    { getRemainingTimeInMillis: () => 60_000 } as unknown as Context,
  );
  expect(answer).toEqual({
    batchItemFailures: [],
    givenUp: [expect.stringContaining('INVALID_ENVELOPE')],
  });
  expect(sent).toEqual(['Before', 'Behind']);
  const Key = { pk: recordKey(relayConsumer, `${poison.pk}/${poison.sk}`) };
  const { Item } = await documentClient.send(new GetCommand({ TableName: 'records', Key, ConsistentRead: true }));
  expect(Item).toMatchObject({ status: 'FAILED', failures: [{ name: 'ContractViolation' }] });
  expect(JSON.stringify(Item?.failures)).not.toContain(poison.events);
  expect(Item?.payload).toContain(poison.events);
});

test('events that the bus does not take in time are counted, since their count is what says that the bus refuses', async () => {
  refused = new Set(['Refused']);
  sent.length = 0;
  const counted: string[] = [];
  vi.spyOn(telemetry, 'count').mockImplementation((name) => {
    counted.push(name);
  });
  // Less than the relay's reserve is left after the first round.
  const remaining = vi.fn().mockReturnValueOnce(60_000).mockReturnValue(0);
  const answer = await handler(
    { Records: [record(1, ['Refused'])] } as unknown as DynamoDBStreamEvent,
    { getRemainingTimeInMillis: remaining } as unknown as Context,
  );
  expect(answer.batchItemFailures).toEqual([{ itemIdentifier: '1' }]);
  expect(counted).toContain('EventsUnsent');
  counted.length = 0;
  refused = new Set();
  await handler(
    { Records: [record(2, ['Taken'])] } as unknown as DynamoDBStreamEvent,
    { getRemainingTimeInMillis: () => 60_000 } as unknown as Context,
  );
  expect([sent, counted]).toEqual([['Taken'], []]);
});

test('an event that stays inside of its service is not published, and its commit counts as sent', async () => {
  refused = new Set();
  sent.length = 0;
  const event = { Records: [record(1, ['Inside']), record(2, ['Inside', 'Told'])] } as unknown as DynamoDBStreamEvent;
  const context = { getRemainingTimeInMillis: () => 60_000 } as unknown as Context;
  expect(await handler(event, context)).toEqual({ batchItemFailures: [], givenUp: [] });
  expect(sent).toEqual(['Told']);
});

test('a commit that the bus will never take becomes a failure record, and counts as sent', async () => {
  inProcessDynamoDb({ table: ['pk', 'sk'], records: ['pk'] });
  refused = new Set();
  malformed = new Set(['Malformed']);
  sent.length = 0;
  const Keys = marshall({ pk: 'Order#1', sk: 'COMMIT#0000000001' });
  const { dynamodb } = record(1, ['Malformed']);
  const event = { Records: [{ dynamodb: { ...dynamodb, Keys } }, record(2, ['Behind'])] };
  const context = { getRemainingTimeInMillis: () => 60_000 } as unknown as Context;
  const answer = await handler(event as unknown as DynamoDBStreamEvent, context);
  malformed = new Set();
  expect(answer).toEqual({ batchItemFailures: [], givenUp: ['MalformedDetail'] });
  expect(sent).toEqual(['Behind']);
  const Key = { pk: recordKey(relayConsumer, 'Order#1/COMMIT#0000000001') };
  const { Item } = await documentClient.send(new GetCommand({ TableName: 'records', Key, ConsistentRead: true }));
  expect(Item).toMatchObject({ status: 'FAILED', failures: [{ name: 'Unsendable' }] });
});

test('a record without a commit becomes a failure record that says so, also if it has no keys', async () => {
  inProcessDynamoDb({ table: ['pk', 'sk'], records: ['pk'] });
  const { dynamodb: _, ...empty } = record(1, []);
  const event = { Records: [empty, { dynamodb: { Keys: marshall({ pk: 'Order#7', sk: 'x' }) } }] };
  const { givenUp } = await handler(event as unknown as DynamoDBStreamEvent, UNHURRIED);
  expect(givenUp).toEqual(Array(2).fill(expect.stringContaining('the stream record has no new image')));
  for (const [id, payload] of [
    ['/', 'null'],
    ['Order#7/x', expect.stringContaining('Order#7')],
  ]) {
    const Key = { pk: recordKey(relayConsumer, String(id)) };
    const { Item } = await documentClient.send(new GetCommand({ TableName: 'records', Key, ConsistentRead: true }));
    expect(Item).toMatchObject({ status: 'FAILED', payload });
  }
});

test('the log says how many commits come again and what the bus answered, and the metrics are written in any case', async () => {
  const warned = vi.spyOn(telemetry.logger, 'warn').mockImplementation(() => undefined);
  const written = vi.spyOn(telemetry, 'publishMetrics').mockImplementation(() => undefined);
  refused = new Set(['Refused']);
  const Records = [record(1, ['Taken']), record(2, ['Refused']), record(3, ['Taken'])];
  const event = { Records } as unknown as DynamoDBStreamEvent;
  const once = vi.fn().mockReturnValueOnce(60_000).mockReturnValue(0);
  await handler(event, { getRemainingTimeInMillis: once } as unknown as Context);
  // No time is left for a single call.
  await handler(event, { getRemainingTimeInMillis: () => 0 } as unknown as Context);
  refused = new Set();
  expect(warned.mock.calls).toEqual([
    ['some entries were not sent in time', { unsent: 2, name: 'ThrottlingException' }],
    ['some entries were not sent in time', { unsent: 3 }],
  ]);
  expect(written).toHaveBeenCalledTimes(2);
  warned.mockClear();
  await handler(event, UNHURRIED);
  expect(warned).not.toHaveBeenCalled();
  expect(written).toHaveBeenCalledTimes(3);
});

test('with traces, each publication has a span: a child of the commit, the parent of what the consumers do', async () => {
  const spans: SpanLine[] = [];
  const out = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    const line = readSpanLine(String(text));
    if (line) spans.push(line);
    return true;
  });
  vi.stubEnv('KIT_TRACES', 'on');
  malformed = new Set(['Malformed']);
  inProcessDynamoDb({ table: ['pk', 'sk'], records: ['pk'] });
  const { dynamodb } = record(4, ['Taken', 'Malformed']);
  const NewImage = { ...dynamodb.NewImage, traceparent: { S: TRACEPARENT } };
  const Keys = marshall({ pk: 'Order#4', sk: 'COMMIT#0000000001' });
  await handler(
    { Records: [{ dynamodb: { ...dynamodb, Keys, NewImage } }] } as unknown as DynamoDBStreamEvent,
    UNHURRIED,
  );
  malformed = new Set();
  vi.unstubAllEnvs();
  out.mockRestore();
  const common = { of: 'publish', bus: 'bus', correlationId: 'c', trace: TRACEPARENT.split('-')[1] };
  expect(spans).toEqual([
    expect.objectContaining({ ...common, message: '4-0', type: 'Taken', outcome: 'sent' }),
    expect.objectContaining({
      ...common,
      message: '4-1',
      type: 'Malformed',
      outcome: 'hopeless',
      error: 'MalformedDetail',
    }),
  ]);
  expect(spans[0]).not.toHaveProperty('error');
  expect(new Set(spans.map(({ span }) => span)).size).toBe(2);
});

test('without traces, nothing is written about a publication', async () => {
  const out = vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  await handler({ Records: [record(5, ['Taken'])] } as unknown as DynamoDBStreamEvent, UNHURRIED);
  const written = out.mock.calls.flatMap(([text]) => readSpanLine(String(text)) ?? []);
  out.mockRestore();
  expect(written).toEqual([]);
});
