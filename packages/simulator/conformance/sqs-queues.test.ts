/**
 * Behaviour of AWS with messages and queues: cases of LocalStack's tests that were recorded at AWS
 * (https://github.com/localstack/localstack, commit 8b9a79f, Apache-2.0), `tests/aws/services/sqs/test_sqs.py` and
 * `test_sqs_move_task.py`. Each has the name of the test that it comes from; digests are those that AWS answered.
 */
import {
  ListDeadLetterSourceQueuesCommand,
  ListMessageMoveTasksCommand,
  ListQueuesCommand,
  PurgeQueueCommand,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import { describe, expect, test } from 'vitest';
import { QueueAccount, sortedBodies } from '../support/queues.js';

type Case = readonly [test: string, play: (aws: QueueAccount) => Promise<void>];

const string = (StringValue: string) => ({ DataType: 'String', StringValue });
const TRACE = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1';
const MessageSystemAttributes = { AWSTraceHeader: string(TRACE) };
const ALL = { MessageSystemAttributeNames: ['All'], MessageAttributeNames: ['All'] };

const QUEUES: readonly Case[] = [
  [
    'test_list_queues',
    async (aws) => {
      const listed = async (QueueNamePrefix?: string) =>
        (await aws.sqs.send(new ListQueuesCommand({ QueueNamePrefix }))).QueueUrls;
      const urls: string[] = [];
      for (const name of ['a-1', 'a-2', 'b-1']) urls.push(await aws.create({}, name));
      expect(await listed('a-')).toEqual(urls.slice(0, 2));
      expect(await listed('b-')).toEqual(urls.slice(2));
      expect(await listed()).toEqual(urls);
      expect(await listed('nonexisting-')).toBeUndefined();
    },
  ],
  [
    'test_list_queues_pagination',
    async (aws) => {
      for (let at = 0; at < 10; at++) await aws.create();
      const first = await aws.sqs.send(new ListQueuesCommand({ MaxResults: 2, QueueNamePrefix: 'queue' }));
      const NextToken = first.NextToken;
      const rest = await aws.sqs.send(new ListQueuesCommand({ MaxResults: 10, NextToken, QueueNamePrefix: 'queue' }));
      expect([first.QueueUrls?.length, rest.QueueUrls?.length, rest.NextToken]).toEqual([2, 8, undefined]);
    },
  ],
  [
    'test_create_queue_and_get_attributes',
    async (aws) => {
      const asked = await aws.attributes(await aws.create(), 'QueueArn', 'CreatedTimestamp', 'VisibilityTimeout');
      expect(asked).toEqual({
        QueueArn: expect.stringMatching(/:queue-1$/),
        CreatedTimestamp: expect.stringMatching(/^\d{10}$/),
        VisibilityTimeout: '30',
      });
    },
  ],
  ...(
    [
      ['test_create_queue_without_attributes_is_idempotent', {}, {}],
      [
        'test_create_queue_with_same_attributes_is_idempotent',
        { VisibilityTimeout: '69' },
        { VisibilityTimeout: '69' },
      ],
      [
        'test_create_queue_with_default_attributes_is_idempotent',
        { VisibilityTimeout: '69', ReceiveMessageWaitTimeSeconds: '1' },
        {},
      ],
    ] as [string, Record<string, string>, Record<string, string>][]
  ).map(
    ([name, first, second]): Case => [
      name,
      async (aws) => expect(await aws.create(second, await nameOf(aws, first))).toMatch(/\/one$/),
    ],
  ),
  ...['test_create_queue_after_internal_attributes_changes_works', 'test_create_queue_after_send'].map(
    (name): Case => [
      name,
      async (aws) => {
        const queue = await aws.create({}, 'one');
        await aws.send(queue, 'foobar-1', { DelaySeconds: 1 });
        await aws.send(queue, 'foobar-2');
        expect(await aws.create({}, 'one')).toBe(queue);
      },
    ],
  ),
  [
    'test_create_and_update_queue_attributes',
    async (aws) => {
      const set = { MessageRetentionPeriod: '604800', ReceiveMessageWaitTimeSeconds: '10', VisibilityTimeout: '20' };
      const queue = await aws.create(set);
      expect(await shownBy(aws, queue)).toEqual({ ...DEFAULTS, ...set });
      const changed = { MaximumMessageSize: '2048', VisibilityTimeout: '69', DelaySeconds: '420' };
      await aws.set(queue, changed);
      expect(await shownBy(aws, queue)).toEqual({ ...DEFAULTS, ...set, ...changed });
    },
  ],
  [
    'test_set_queue_attributes_default_values',
    async (aws) => {
      const queue = await aws.create();
      expect(await shownBy(aws, queue)).toEqual(DEFAULTS);
      const key = { KmsMasterKeyId: 'testKeyId', KmsDataKeyReusePeriodSeconds: '6000' };
      await aws.set(queue, key);
      expect(await shownBy(aws, queue)).toEqual({ ...DEFAULTS, ...key, SqsManagedSseEnabled: 'false' });
      await aws.set(queue, { KmsMasterKeyId: '', KmsDataKeyReusePeriodSeconds: '300' });
      expect(await shownBy(aws, queue)).toEqual({ ...DEFAULTS, SqsManagedSseEnabled: 'false' });
    },
  ],
  [
    'test_sse_queue_attributes',
    async (aws) => {
      const names = ['KmsMasterKeyId', 'KmsDataKeyReusePeriodSeconds', 'SqsManagedSseEnabled'];
      const key = { KmsMasterKeyId: 'testKeyId', KmsDataKeyReusePeriodSeconds: '6000', SqsManagedSseEnabled: 'false' };
      const [one, other] = [await aws.create(), await aws.create()];
      await aws.set(one, key);
      expect(await aws.attributes(one, ...names)).toEqual(key);
      await aws.set(other, { SqsManagedSseEnabled: 'true' });
      expect(await aws.attributes(other, ...names)).toEqual({ SqsManagedSseEnabled: 'true' });
    },
  ],
  ...(['RedrivePolicy', 'Policy'] as const).map(
    (name): Case => [
      name === 'Policy' ? 'test_set_empty_queue_policy, test_set_queue_policy' : 'test_set_empty_redrive_policy',
      async (aws) => {
        const queue = await aws.create();
        const deadLetterTargetArn = await aws.readArn(queue);
        const statement = { Effect: 'Allow', Principal: '*', Action: 'sqs:SendMessage', Resource: '*' };
        const policy = name === 'Policy' ? { Statement: [statement] } : { deadLetterTargetArn, maxReceiveCount: '42' };
        for (const value of ['', JSON.stringify(policy), '']) {
          await aws.set(queue, { [name]: value });
          const shown = (await aws.attributes(queue, 'All'))[name];
          if (value === '') expect(shown).toBeUndefined();
          else expect(shown).toContain(name === 'Policy' ? 'sqs:SendMessage' : deadLetterTargetArn);
        }
      },
    ],
  ),
  [
    'test_get_specific_queue_attribute_response, test_dead_letter_queue_config',
    async (aws) => {
      const deadLetterTargetArn = await aws.readArn(await aws.create());
      const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 10 });
      const queue = await aws.create({ MessageRetentionPeriod: '604800', DelaySeconds: '10', RedrivePolicy });
      const two = await aws.attributes(queue, 'MessageRetentionPeriod', 'RedrivePolicy');
      expect(two).toEqual({ MessageRetentionPeriod: '604800', RedrivePolicy });
    },
  ],
  [
    'test_approximate_number_of_messages_not_visible',
    async (aws) => {
      const queue = await aws.create({ VisibilityTimeout: '60' });
      for (let at = 0; at < 6; at++) await aws.send(queue, `message-${at}`);
      await aws.one(queue);
      const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'];
      expect(Object.values(await aws.attributes(queue, ...names))).toEqual(['5', '1']);
      await aws.pass(60);
      expect(Object.values(await aws.attributes(queue, ...names))).toEqual(['6', '0']);
    },
  ],
  ...(
    [
      ['test_purge_queue', { DelaySeconds: 0 }, false],
      ['test_purge_queue_deletes_inflight_messages', { DelaySeconds: 0 }, true],
      ['test_purge_queue_deletes_delayed_messages', { DelaySeconds: 2 }, false],
    ] as const
  ).map(
    ([name, delay, receives]): Case => [
      name,
      async (aws) => {
        const QueueUrl = await aws.create({ VisibilityTimeout: '3' });
        for (let at = 0; at < 5; at++) await aws.send(QueueUrl, `message-${at}`, delay);
        if (receives) await aws.receive(QueueUrl, { MaxNumberOfMessages: 5 });
        await aws.sqs.send(new PurgeQueueCommand({ QueueUrl }));
        await aws.pass(4);
        expect(await aws.receive(QueueUrl)).toEqual([]);
        await aws.send(QueueUrl, 'later');
        expect(sortedBodies(await aws.receive(QueueUrl))).toEqual(['later']);
      },
    ],
  ),
];

const DEAD_LETTERS: readonly Case[] = [
  [
    'test_dead_letter_queue_list_sources',
    async (aws) => {
      const QueueUrl = await aws.create();
      const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: await aws.readArn(QueueUrl), maxReceiveCount: 50 });
      const sources = [await aws.create({ RedrivePolicy }), await aws.create({ RedrivePolicy })];
      const { queueUrls } = await aws.sqs.send(new ListDeadLetterSourceQueuesCommand({ QueueUrl }));
      expect(queueUrls).toEqual(sources);
    },
  ],
  [
    'test_dead_letter_queue_max_receive_count',
    async (aws) => {
      const [queue, dead] = await aws.createWithDeadLetters();
      const { MessageId } = await aws.send(queue, 'test');
      await aws.one(queue, { VisibilityTimeout: 0 });
      expect(await aws.receive(queue)).toEqual([]);
      expect(await aws.one(dead)).toMatchObject({ MessageId });
    },
  ],
  [
    'test_dead_letter_queue_message_attributes',
    async (aws) => {
      const [queue, dead] = await aws.createWithDeadLetters();
      const MessageAttributes = { MyAttribute: string('foobar') };
      const { MessageId } = await aws.send(queue, 'message-1', { MessageAttributes, MessageSystemAttributes });
      const first = await aws.one(queue, { VisibilityTimeout: 0, ...ALL });
      expect(first).toMatchObject({ MD5OfMessageAttributes: 'adb59cd4678ea5a855436b949cd07ab6', MessageAttributes });
      expect(first.Attributes).toMatchObject({ ApproximateReceiveCount: '1', AWSTraceHeader: TRACE });
      expect(first.Attributes).not.toHaveProperty('DeadLetterQueueSourceArn');
      await aws.receive(queue);
      const letter = await aws.one(dead, ALL);
      expect(letter).toMatchObject({ MessageId, Body: 'message-1', MessageAttributes });
      expect(letter.Attributes).toMatchObject({
        ApproximateReceiveCount: '2',
        SentTimestamp: first.Attributes?.SentTimestamp,
        AWSTraceHeader: TRACE,
        DeadLetterQueueSourceArn: await aws.readArn(queue),
      });
    },
  ],
  ...(['test_basic_move_task_workflow', 'test_move_task_workflow_with_default_destination'] as const).map(
    (name): Case => [
      name,
      async (aws) => {
        const [queue, dead] = await aws.createWithDeadLetters();
        const other = name === 'test_basic_move_task_workflow' ? await aws.create() : undefined;
        await giveUp(aws, queue, 'message-1', 'message-2');
        const SourceArn = await aws.readArn(dead);
        const DestinationArn = other && (await aws.readArn(other));
        const { TaskHandle = '' } = await aws.sqs.send(new StartMessageMoveTaskCommand({ SourceArn, DestinationArn }));
        const { taskId, sourceArn } = JSON.parse(Buffer.from(TaskHandle, 'base64').toString()) as Record<
          string,
          string
        >;
        expect([taskId, sourceArn]).toEqual([expect.stringMatching(/^[\da-f-]{36}$/), SourceArn]);
        const moved = await aws.receive(other ?? queue, { MaxNumberOfMessages: 10 });
        expect(sortedBodies(moved)).toEqual(['message-1', 'message-2']);
        const { Results } = await aws.sqs.send(new ListMessageMoveTasksCommand({ SourceArn }));
        expect(Results).toEqual([
          {
            ApproximateNumberOfMessagesMoved: 2,
            ApproximateNumberOfMessagesToMove: 2,
            ...(DestinationArn && { DestinationArn }),
            SourceArn,
            StartedTimestamp: expect.any(Number),
            Status: 'COMPLETED',
          },
        ]);
        expect(await aws.receive(dead)).toEqual([]);
      },
    ],
  ),
  [
    'test_move_task_workflow_with_multiple_sources_as_default_destination',
    async (aws) => {
      const [one, dead] = await aws.createWithDeadLetters();
      const SourceArn = await aws.readArn(dead);
      const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: SourceArn, maxReceiveCount: 1 });
      const other = await aws.create({ RedrivePolicy });
      await giveUp(aws, one, 'message-1-1', 'message-1-2');
      await giveUp(aws, other, 'message-2-1', 'message-2-2');
      await aws.sqs.send(new StartMessageMoveTaskCommand({ SourceArn }));
      expect(sortedBodies(await aws.receive(one, { MaxNumberOfMessages: 10 }))).toEqual(['message-1-1', 'message-1-2']);
      expect(sortedBodies(await aws.receive(other, { MaxNumberOfMessages: 10 }))).toEqual([
        'message-2-1',
        'message-2-2',
      ]);
    },
  ],
];

/** Attributes of a new queue, besides times and its ARN. */
const DEFAULTS = {
  ApproximateNumberOfMessages: '0',
  ApproximateNumberOfMessagesDelayed: '0',
  ApproximateNumberOfMessagesNotVisible: '0',
  DelaySeconds: '0',
  MaximumMessageSize: '1048576',
  MessageRetentionPeriod: '345600',
  ReceiveMessageWaitTimeSeconds: '0',
  SqsManagedSseEnabled: 'true',
  VisibilityTimeout: '30',
};

async function shownBy(aws: QueueAccount, queue: string): Promise<object> {
  const { QueueArn, CreatedTimestamp, LastModifiedTimestamp, ...others } = await aws.attributes(queue, 'All');
  expect([QueueArn, CreatedTimestamp, LastModifiedTimestamp]).not.toContain(undefined);
  return others;
}

/** Creates a queue, and returns its name. */
async function nameOf(aws: QueueAccount, attributes: Record<string, string>): Promise<string> {
  await aws.create(attributes, 'one');
  return 'one';
}

/** Sends messages to a queue, and receives them until they are in its dead-letter queue. */
async function giveUp(aws: QueueAccount, queue: string, ...bodies: readonly string[]): Promise<void> {
  for (const body of bodies) await aws.send(queue, body);
  for (let times = 0; times < 2; times++) {
    await aws.receive(queue, { VisibilityTimeout: 0, MaxNumberOfMessages: 10 });
    await aws.pass(1);
  }
}

describe.each([
  ['queues', QUEUES],
  ['dead letters', DEAD_LETTERS],
])('SQS does what AWS does with %s', (_, cases) => {
  test.each(cases)('%s', (__, play) => play(new QueueAccount()));
});
