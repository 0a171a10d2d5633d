import { EventBridgeClient, type PutEventsCommandInput } from '@aws-sdk/client-eventbridge';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { Context, DynamoDBStreamEvent } from 'aws-lambda';
import fc from 'fast-check';
import { beforeAll, expect, test, vi } from 'vitest';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { Env } from '../../../packages/kit/aws/environment.js';
import * as telemetry from '../../../packages/kit/aws/telemetry.js';
import { recordKey, relayConsumer } from '../../../packages/kit/failures/failure-records.js';
import type { handler as Relay } from '../../../packages/kit/outbox/relay.lambda.js';
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
