/**
 * Behaviour of AWS with messages and queues: cases of LocalStack's tests that were recorded at AWS
 * (https://github.com/localstack/localstack, commit 8b9a79f, Apache-2.0), `tests/aws/services/sqs/test_sqs.py` and
 * `test_sqs_move_task.py`. Each has the name of the test that it comes from; digests are those that AWS answered.
 */
import { describe, expect, test } from 'vitest';
import { expectRefusal, QueueAccount, sortedBodies } from '../support/queues.js';

type Case = readonly [test: string, play: (aws: QueueAccount) => Promise<void>];

const TIMES: readonly Case[] = [
  [
    'test_receive_message_wait_time_seconds_and_max_number_of_messages_does_not_block',
    async (aws) => {
      const queue = await aws.create();
      for (const body of ['foobar1', 'foobar2']) await aws.send(queue, body);
      const begun = aws.cloud.world.now;
      await aws.one(queue, { MaxNumberOfMessages: 3, WaitTimeSeconds: 5 });
      expect(aws.cloud.world.now - begun).toBeLessThan(2_000);
    },
  ],
  ...[{}, { ReceiveMessageWaitTimeSeconds: '10' }].map(
    (attributes, at): Case => [
      ['test_wait_time_seconds_waits_correctly', 'test_wait_time_seconds_queue_attribute_waits_correctly'][at] ?? '',
      async (aws) => {
        const queue = await aws.create(attributes);
        aws.cloud.world.after(1_000, () => void aws.cloud.queue('queue-1').send({ body: 'foobared' }));
        const [message] = await aws.receive(queue, at === 0 ? { WaitTimeSeconds: 10 } : {});
        expect(message?.Body).toBe('foobared');
      },
    ],
  ),
  [
    'test_send_delay_and_wait_time',
    async (aws) => {
      const queue = await aws.create();
      await aws.send(queue, 'foobar', { DelaySeconds: 1 });
      expect(await aws.receive(queue)).toEqual([]);
      expect(await aws.receive(queue, { WaitTimeSeconds: 2 })).toHaveLength(1);
    },
  ],
  [
    'test_receive_after_visibility_timeout',
    async (aws) => {
      const queue = await aws.create({ VisibilityTimeout: '1' });
      await aws.send(queue, 'foobar');
      const first = await aws.one(queue);
      expect(await aws.receive(queue)).toEqual([]);
      expect((await aws.one(queue, { WaitTimeSeconds: 5 })).ReceiptHandle).not.toBe(first.ReceiptHandle);
    },
  ],
  ...['test_delete_after_visibility_timeout', 'test_remove_message_with_old_receipt_handle'].map(
    (name): Case => [
      name,
      async (aws) => {
        const queue = await aws.create({ VisibilityTimeout: '1' });
        await aws.send(queue, 'foobar');
        const message = await aws.one(queue);
        await aws.pass(2);
        await aws.delete(queue, message);
        expect(await aws.receive(queue)).toEqual([]);
        const count = await aws.attributes(queue, 'ApproximateNumberOfMessages');
        expect(count).toEqual({ ApproximateNumberOfMessages: '0' });
      },
    ],
  ),
  [
    'test_receive_terminate_visibility_timeout',
    async (aws) => {
      const queue = await aws.create();
      await aws.send(queue, 'foobar');
      const first = await aws.one(queue, { VisibilityTimeout: 0 });
      expect((await aws.one(queue)).ReceiptHandle).not.toBe(first.ReceiptHandle);
      expect(await aws.receive(queue)).toEqual([]);
    },
  ],
  [
    'test_extend_message_visibility_timeout_set_in_queue',
    async (aws) => {
      const queue = await aws.create({ VisibilityTimeout: '2' });
      await aws.send(queue, 'test');
      const message = await aws.one(queue);
      for (let times = 0; times < 4; times++) {
        await aws.pass(1);
        await aws.hide(queue, message, 2);
        expect(await aws.receive(queue)).toEqual([]);
      }
      expect(sortedBodies(await aws.receive(queue, { WaitTimeSeconds: 5 }))).toEqual(['test']);
    },
  ],
  [
    'test_change_message_visibility_after_visibility_timeout_expiration',
    async (aws) => {
      const queue = await aws.create({ VisibilityTimeout: '1' });
      await aws.send(queue, 'test');
      const message = await aws.one(queue);
      await aws.pass(2);
      await aws.hide(queue, message, 2);
      expect(await aws.receive(queue)).toEqual([]);
    },
  ],
  [
    'test_receive_message_with_visibility_timeout_updates_timeout',
    async (aws) => {
      const queue = await aws.create();
      await aws.send(queue, 'test');
      await aws.one(queue, { VisibilityTimeout: 0 });
      await aws.one(queue, { VisibilityTimeout: 3 });
      expect(await aws.receive(queue)).toEqual([]);
    },
  ],
  [
    'test_terminate_visibility_timeout_after_receive',
    async (aws) => {
      const queue = await aws.create();
      await aws.send(queue, 'test');
      const first = await aws.one(queue, { VisibilityTimeout: 0 });
      await aws.one(queue, { VisibilityTimeout: 3 });
      await aws.hide(queue, first, 0);
      await aws.one(queue, { WaitTimeSeconds: 1 });
    },
  ],
  [
    'test_delete_message_deletes_with_change_visibility_timeout',
    async (aws) => {
      const queue = await aws.create();
      const { MessageId } = await aws.send(queue, 'test');
      await aws.hide(queue, await aws.one(queue), 0);
      const again = await aws.one(queue);
      expect(again.MessageId).toBe(MessageId);
      await aws.delete(queue, again);
      await aws.pass(60);
      expect(await aws.receive(queue)).toEqual([]);
    },
  ],
  [
    'test_change_message_visibility_not_permanent',
    async (aws) => {
      const queue = await aws.create();
      await aws.send(queue, 'test');
      const first = await aws.one(queue);
      await aws.hide(queue, first, 0);
      expect((await aws.one(queue)).MessageId).toBe(first.MessageId);
      expect(await aws.receive(queue)).toEqual([]);
    },
  ],
  [
    'test_inflight_message_requeue',
    async (aws) => {
      const queue = await aws.create();
      await aws.send(queue, 'test1');
      await aws.one(queue, { VisibilityTimeout: 3 });
      await aws.pass(1.5);
      await aws.send(queue, 'test2');
      await aws.pass(3);
      // A standard queue promises no order: AWS's test relies on it, this one doesn't.
      expect(sortedBodies(await aws.receive(queue, { MaxNumberOfMessages: 2 }))).toEqual(['test1', 'test2']);
    },
  ],
  [
    'test_change_visibility_on_deleted_message_raises_invalid_parameter_value',
    async (aws) => {
      const queue = await aws.create();
      await aws.send(queue, 'foo');
      const message = await aws.one(queue);
      await aws.hide(queue, message, 42);
      await aws.delete(queue, message);
      await expectRefusal(
        aws.hide(queue, message, 42),
        'InvalidParameterValue',
        `Value ${message.ReceiptHandle} for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not available for visibility timeout change.`,
      );
    },
  ],
  [
    'test_delete_message_with_deleted_receipt_handle',
    async (aws) => {
      const queue = await aws.create();
      await aws.send(queue, 'foo');
      const message = await aws.one(queue);
      for (let times = 0; times < 3; times++) await aws.delete(queue, message);
    },
  ],
  [
    'test_message_retention',
    async (aws) => {
      const queue = await aws.create({ MessageRetentionPeriod: '60' });
      await aws.send(queue, 'foobar1');
      await aws.pass(65);
      expect(await aws.receive(queue)).toEqual([]);
    },
  ],
  [
    'test_message_retention_with_inflight',
    async (aws) => {
      const queue = await aws.create({ MessageRetentionPeriod: '60', VisibilityTimeout: '60' });
      for (const body of ['foobar1', 'foobar2']) await aws.send(queue, body);
      await aws.pass(5);
      const message = await aws.one(queue);
      await aws.pass(61);
      expect(await aws.receive(queue, { MaxNumberOfMessages: 10 })).toEqual([]);
      await aws.delete(queue, message);
    },
  ],
];

describe.each([['times', TIMES]])('SQS does what AWS does with %s', (_, cases) => {
  test.each(cases)('%s', (__, play) => play(new QueueAccount()));
});
