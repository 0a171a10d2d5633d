import { expect, test } from 'vitest';
import { arnOf, createCloud, queuePolicy } from '../../support/clouds.js';
import type { Refused } from '../../wire/operation.js';
import { putEvents } from './put-events.js';

const answerOf = (call: () => object): object => {
  try {
    return { output: call() };
  } catch (error) {
    return { error: (error as Refused).error };
  }
};

const put = (entries: readonly object[]) => {
  const { events, world } = createCloud({});
  const answer = answerOf(() => putEvents(events, { Entries: entries }, world.now));
  return { answer, taken: events.accepted.length };
};

const entry = (Detail = '{}') => ({ Source: 'shop', DetailType: 'Sold', Detail });
const entries = (count: number, Detail?: string) => Array.from({ length: count }, () => entry(Detail));

test('ten entries pass, and eleven are refused as a whole', () => {
  expect(put(entries(10)).taken).toBe(10);
  const { answer, taken } = put(entries(11));
  expect(answer).toMatchObject({ error: { code: 'ValidationException', message: expect.stringContaining('10') } });
  expect(taken).toBe(0);
});

/**
 * User Guide, "Calculating PutEvents event entry size", whose example counts 14 bytes for a time. No public recording was found of
 * the exact byte at which AWS refuses.
 */
test('a time and resources count too', () => {
  const room = 1024 * 1024 - 'shopSold{"e":""}'.length - 14 - 'arn:a'.length;
  const full = (more: number) => ({
    ...entry(JSON.stringify({ e: 'e'.repeat(room + more) })),
    Time: 0,
    Resources: ['arn:a'],
  });
  expect(put([full(0)]).taken).toBe(1);
  expect(put([full(1)]).taken).toBe(0);
});

test('an event has the time and the resources of its entry', () => {
  const { events, world } = createCloud({});
  putEvents(events, { Entries: [{ ...entry(), Time: 1_640_995_200, Resources: ['arn:a'] }] }, world.now);
  expect(events.accepted[0]?.event).toMatchObject({ time: '2022-01-01T00:00:00Z', resources: ['arn:a'] });
});

test('a megabyte passes, and a byte more is refused as a whole', () => {
  const quarter = 256 * 1024 - 'shopSold'.length;
  const detail = (bytes: number): string => JSON.stringify({ e: 'é'.repeat((bytes - '{"e":""}'.length) / 2) });
  expect(put(entries(4, detail(quarter))).taken).toBe(4);
  const { answer, taken } = put([...entries(3, detail(quarter)), entry(`${detail(quarter)} `)]);
  expect(answer).toMatchObject({ error: { code: 'ValidationException', message: expect.stringContaining('size') } });
  expect(taken).toBe(0);
});

test('an entry that is wrong in itself holds up no other', () => {
  const { answer, taken } = put([entry(), entry('{'), { Source: 'shop' }]);
  expect(answer).toMatchObject({
    output: { FailedEntryCount: 2, Entries: [{}, { ErrorCode: 'MalformedDetail' }, { ErrorCode: 'InvalidArgument' }] },
  });
  expect(taken).toBe(1);
});

/**
 * Answers that were recorded at AWS: aws-samples/serverless-patterns, pull request 3089, for `aws.aidevops`. More of them stand in
 * conformance/eventbridge.test.ts.
 */
test('AWS refuses an entry with a source that is reserved for AWS', () => {
  const { answer, taken } = put([entry(), { ...entry(), Source: 'aws.aidevops' }]);
  const refused = { ErrorCode: 'NotAuthorizedForSourceException', ErrorMessage: 'Not authorized for the source.' };
  expect(answer).toMatchObject({ output: { FailedEntryCount: 1, Entries: [{}, refused] } });
  expect(taken).toBe(1);
});

/** No public recording was found: the API Reference asks for "a valid JSON object". */
test.each(['null', '1'])('the detail %s is not an object', (detail) => {
  const { answer, taken } = put([entry(), entry(detail)]);
  const refused = { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' };
  expect(answer).toMatchObject({ output: { FailedEntryCount: 1, Entries: [{}, refused] } });
  expect(taken).toBe(1);
});

/** No public recording was found: the API Reference reserves "the aws. value prefix". */
test('a source that only begins like one of AWS may be used by any sender', () => {
  expect(
    put([
      { ...entry(), Source: 'aws' },
      { ...entry(), Source: 'awsome.shop' },
    ]).taken,
  ).toBe(2);
});

/** A cloud with a rule whose target is a queue, and has a message group. */
const cloudWithRule = (MessageGroupId: string) =>
  createCloud({
    Queue: { Type: 'AWS::SQS::Queue', Properties: {} },
    Policy: queuePolicy('events'),
    Rule: {
      Type: 'AWS::Events::Rule',
      Properties: {
        EventPattern: { source: ['shop'] },
        Targets: [{ Id: 'Queue', Arn: arnOf('Queue'), SqsParameters: { MessageGroupId } }],
      },
    },
  });

/** Returns the groups of the messages of a queue after one event. */
async function grouped(messageGroup: string, detail: object, cloud = cloudWithRule(messageGroup)) {
  cloud.events.put('default', { source: 'shop', detailType: 'Sold', detail });
  await cloud.world.settle();
  return cloud
    .queue('Shop/Queue')
    .listMessages()
    .map(({ group }) => group);
}

test('a target gives a message the given group, or the group of the event', async () => {
  expect(await grouped('all', {})).toEqual(['all']);
  expect(await grouped('$.detail.buyer', { buyer: 'anna' })).toEqual(['anna']);
  expect(await grouped('$.detail.buyer.id', { buyer: { id: 'anna' } })).toEqual(['anna']);
});

test('an event without the field of the message group is refused, since AWS does not document it', async () => {
  await expect(grouped('$.detail.buyer', {})).rejects.toThrow("an event without $.detail.buyer isn't modelled");
});

test('a disabled rule matches no event', async () => {
  const cloud = cloudWithRule('all');
  cloud.events.disable((label) => label === 'Shop/Rule');
  expect(await grouped('all', {}, cloud)).toEqual([]);
});
