/**
 * Behaviour of AWS with messages and queues: cases of LocalStack's tests that were recorded at AWS
 * (https://github.com/localstack/localstack, commit 8b9a79f, Apache-2.0), `tests/aws/services/sqs/test_sqs.py` and
 * `test_sqs_move_task.py`. Each has the name of the test that it comes from; digests are those that AWS answered.
 */
import { DeleteMessageBatchCommand, ReceiveMessageCommand, SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { describe, expect, test } from 'vitest';
import { QueueAccount, sortedBodies } from '../support/queues.js';

type Case = readonly [test: string, play: (aws: QueueAccount) => Promise<void>];

const string = (StringValue: string) => ({ DataType: 'String', StringValue });
const TRACE = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1';
const MessageSystemAttributes = { AWSTraceHeader: string(TRACE) };
const ALL = { MessageSystemAttributeNames: ['All'], MessageAttributeNames: ['All'] };
const entries = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ Id: `message-${at}`, MessageBody: `message-${at}` }));

const MESSAGES: readonly Case[] = [
  [
    'test_send_receive_message',
    async (aws) => {
      const queue = await aws.create();
      const sent = await aws.send(queue, 'message');
      expect(sent.MD5OfMessageBody).toBe('78e731027d8fd50ed642340b7c9a63b3');
      const { MessageId, MD5OfMessageBody: MD5OfBody } = sent;
      expect(await aws.receive(queue)).toMatchObject([{ Body: 'message', MessageId, MD5OfBody }]);
    },
  ],
  [
    'test_receive_message_attributes_timestamp_types',
    async (aws) => {
      const queue = await aws.create();
      await aws.send(queue, 'message');
      const { Attributes } = await aws.one(queue, { VisibilityTimeout: 0, AttributeNames: ['All'] });
      for (const name of ['SentTimestamp', 'ApproximateFirstReceiveTimestamp'] as const)
        expect(Attributes?.[name]).toMatch(/^\d{13}$/);
    },
  ],
  [
    'test_send_receive_message_multiple_queues',
    async (aws) => {
      const [one, other] = [await aws.create(), await aws.create()];
      await aws.send(one, 'message');
      expect(await aws.receive(other)).toEqual([]);
      expect(sortedBodies(await aws.receive(one))).toEqual(['message']);
    },
  ],
  ...['"&quot;&quot;\r', '{\r\n"machineID" : "d357006e26ff47439e1ef894225d4307"}'].map(
    (body, at): Case => [
      ['test_send_receive_message_encoded_content', 'test_message_with_carriage_return'][at] ?? '',
      async (aws) => {
        const queue = await aws.create();
        const { MD5OfMessageBody: MD5OfBody } = await aws.send(queue, body);
        expect(await aws.one(queue)).toMatchObject({ Body: body, MD5OfBody });
      },
    ],
  ),
  [
    'test_receive_empty_queue',
    async (aws) => {
      const QueueUrl = await aws.create();
      for (const WaitTimeSeconds of [0, 1]) {
        const { $metadata, ...answer } = await aws.sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds }));
        expect(answer).toEqual({});
      }
    },
  ],
  [
    'test_send_message_batch',
    async (aws) => {
      const QueueUrl = await aws.create();
      await aws.sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries: entries(2) }));
      const received = [await aws.one(QueueUrl), await aws.one(QueueUrl)];
      expect(sortedBodies(received)).toEqual(['message-0', 'message-1']);
      expect(await aws.receive(QueueUrl)).toEqual([]);
    },
  ],
  [
    'test_send_batch_receive_multiple',
    async (aws) => {
      const QueueUrl = await aws.create();
      await aws.sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries: entries(2) }));
      await aws.send(QueueUrl, 'message-2');
      const received = await aws.receive(QueueUrl, { MaxNumberOfMessages: 3 });
      expect(sortedBodies(received)).toEqual(['message-0', 'message-1', 'message-2']);
    },
  ],
  [
    'test_send_message_batch_with_oversized_contents_with_updated_maximum_message_size',
    async (aws) => {
      const QueueUrl = await aws.create();
      await aws.set(QueueUrl, { MaximumMessageSize: '2048' });
      const first = { Id: '1', MessageBody: 'a'.repeat(2_040), MessageAttributes: { k: string('x') } };
      const Entries = [first, { Id: '2', MessageBody: 'a' }];
      expect((await aws.sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }))).Successful).toMatchObject([
        {
          Id: '1',
          MD5OfMessageAttributes: 'a45daa70926828a2f0a1db3418e6feb4',
          MD5OfMessageBody: 'f44facf5a7ee0af446ecf3e0f854441e',
        },
        { Id: '2', MD5OfMessageBody: '0cc175b9c0f1b6a831c399e269772661' },
      ]);
    },
  ],
  [
    'test_send_batch_message_size',
    async (aws) => {
      const QueueUrl = await aws.create({ MaximumMessageSize: '1024' });
      const Entries = [1_024, 1_025].map((size) => ({ Id: String(size), MessageBody: 'a'.repeat(size) }));
      const { Successful, Failed } = await aws.sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
      expect(Successful).toMatchObject([{ Id: '1024', MD5OfMessageBody: 'c9a34cfc85d982698c6ac89f76071abd' }]);
      const Message = 'One or more parameters cannot be validated. Reason: Message must be shorter than 1024 bytes.';
      expect(Failed).toEqual([{ Id: '1025', Code: 'InvalidParameterValue', SenderFault: true, Message }]);
    },
  ],
  [
    'test_batch_send_with_invalid_char_should_succeed',
    async (aws) => {
      const QueueUrl = await aws.create();
      const Entries = [...entries(9), { Id: '9', MessageBody: '\u0001' }];
      const { Failed } = await aws.sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
      expect(Failed).toMatchObject([{ Id: '9', Code: 'InvalidMessageContents' }]);
      expect(await aws.receive(QueueUrl, { MaxNumberOfMessages: 10 })).toHaveLength(9);
    },
  ],
  [
    'test_publish_get_delete_message',
    async (aws) => {
      const queue = await aws.create();
      await aws.send(queue, 'test message');
      await aws.delete(queue, await aws.one(queue));
      await aws.pass(60);
      expect(await aws.receive(queue)).toEqual([]);
    },
  ],
  [
    'test_publish_get_delete_message_batch',
    async (aws) => {
      const QueueUrl = await aws.create();
      const sent = await aws.sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries: entries(10) }));
      const received = await aws.receive(QueueUrl, { MaxNumberOfMessages: 10 });
      const idsOf = (all: readonly { MessageId?: string | undefined }[] = []) =>
        all.map(({ MessageId }) => MessageId).sort();
      expect(idsOf(received)).toEqual(idsOf(sent.Successful));
      const Entries = received.map(({ ReceiptHandle }, at) => ({ Id: String(at), ReceiptHandle }));
      await aws.sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
      await aws.pass(60);
      expect(await aws.receive(QueueUrl)).toEqual([]);
    },
  ],
  [
    'test_posting_to_queue_via_queue_name',
    async (aws) => {
      await aws.create({}, 'by-name');
      const { MD5OfMessageBody } = await aws.send('by-name', 'Using name instead of URL');
      expect(MD5OfMessageBody).toBe('86a83f96652a1bfad3891e7d523750cb');
    },
  ],
  [
    'test_sequence_number, of a standard queue',
    async (aws) => expect(await aws.send(await aws.create(), 'a')).not.toHaveProperty('SequenceNumber'),
  ],
];

const ATTRIBUTES: readonly Case[] = [
  [
    'test_message_with_attributes_should_be_enqueued',
    async (aws) => {
      const queue = await aws.create();
      const MessageAttributes = { timestamp: { DataType: 'Number', StringValue: '1614717034367' } };
      const { MessageId } = await aws.send(queue, 'test', { MessageAttributes });
      expect(await aws.one(queue, ALL)).toMatchObject({ MessageId, MessageAttributes });
    },
  ],
  [
    'test_send_message_with_attributes',
    async (aws) => {
      const queue = await aws.create();
      const MessageAttributes = { attr1: string('test1'), attr2: string('test2') };
      const { MD5OfMessageAttributes } = await aws.send(queue, 'test', { MessageAttributes });
      expect(await aws.one(queue, ALL)).toMatchObject({ MessageAttributes, MD5OfMessageAttributes });
    },
  ],
  [
    'test_send_message_with_binary_attributes',
    async (aws) => {
      const queue = await aws.create();
      const value = 'traceparent\u001e00-774062d6c37081a5a0b9b5b88e30627c-2d2482211f6489da-01';
      const BinaryValue = new TextEncoder().encode(value);
      await aws.send(queue, 'test', { MessageAttributes: { attr1: { DataType: 'Binary', BinaryValue } } });
      const { MessageAttributes, MD5OfMessageAttributes, MD5OfBody } = await aws.one(queue, ALL);
      expect(MD5OfBody).toBe('098f6bcd4621d373cade4e832627b4f6');
      expect(MD5OfMessageAttributes).toBe('8cbe4db156db8a94db8b801b7addb984');
      expect(new TextDecoder().decode(MessageAttributes?.attr1?.BinaryValue)).toBe(value);
    },
  ],
  [
    'test_sent_message_retains_attributes_after_receive',
    async (aws) => {
      const queue = await aws.create();
      const MessageAttributes = { attr1: string('test1') };
      await aws.send(queue, 'test', { MessageAttributes });
      await aws.receive(queue, { VisibilityTimeout: 0, ...ALL });
      expect(await aws.one(queue, ALL)).toMatchObject({ MessageAttributes });
    },
  ],
  [
    'test_send_message_with_invalid_string_attributes, a name that is valid',
    async (aws) => {
      const queue = await aws.create();
      const MessageAttributes = { 'attr.1øßä': string('Valida') };
      await aws.send(queue, 'test', { MessageAttributes });
      expect(await aws.one(queue, ALL)).toMatchObject({ MessageAttributes });
    },
  ],
  [
    'test_system_attributes_have_no_effect_on_attr_md5',
    async (aws) => {
      const queue = await aws.create();
      const MessageAttributes = { timestamp: { DataType: 'Number', StringValue: '1493147359900' } };
      const without = await aws.send(queue, 'test', { MessageAttributes });
      const sent = await aws.send(queue, 'test', { MessageAttributes, MessageSystemAttributes });
      expect(sent.MD5OfMessageAttributes).toBe(without.MD5OfMessageAttributes);
      expect(sent.MD5OfMessageAttributes).toBe('235c5c510d26fb653d073faed50ae77c');
      expect(without.MD5OfMessageSystemAttributes).toBeUndefined();
      expect(sent.MD5OfMessageSystemAttributes).toBe('5ae4d5d7636402d80f4eb6d213245a88');
    },
  ],
  ...(
    [
      [[], [], undefined],
      [['All'], ['General', 'Hello', 'Help.Me'], '4c360f3fdafd970e05fae2f149d997f5'],
      [['*'], ['General', 'Hello', 'Help.Me'], '4c360f3fdafd970e05fae2f149d997f5'],
      [['.*'], ['General', 'Hello', 'Help.Me'], '4c360f3fdafd970e05fae2f149d997f5'],
      [['Foo', 'Help'], [], undefined],
      [['Hello', 'General'], ['General', 'Hello'], 'fca026605781cb4126a1e9044df24232'],
      [['Foo', 'Hello'], ['Hello'], 'a311262e065454b75da111d535b8dacd'],
      [['Hel.*'], ['Hello', 'Help.Me'], '83fee93c1bcd8b9a5a923ffacdc636c7'],
      [['AWS.'], [], undefined],
      [['..foo'], [], undefined],
    ] as const
  ).map(
    ([MessageAttributeNames, names, digest]): Case => [
      `test_receive_message_message_attribute_names_filters, ${MessageAttributeNames.join(' ')}`,
      async (aws) => {
        const queue = await aws.create({ VisibilityTimeout: '0' });
        const MessageAttributes = { 'Help.Me': string('Me'), Hello: string('There'), General: string('Kenobi') };
        const { MD5OfMessageAttributes } = await aws.send(queue, 'msg', { MessageAttributes });
        expect(MD5OfMessageAttributes).toBe('4c360f3fdafd970e05fae2f149d997f5');
        const found = await aws.one(queue, { MessageAttributeNames });
        expect(Object.keys(found.MessageAttributes ?? {}).sort()).toEqual(names);
        expect(found.MD5OfMessageAttributes).toBe(digest);
      },
    ],
  ),
  ...(
    [
      ['test_receive_message_attribute_names_filters', { AttributeNames: ['All'] }, 4],
      ['test_receive_message_attribute_names_filters, one', { AttributeNames: ['SenderId'] }, 1],
      ['test_receive_message_attribute_names_filters, two', { AttributeNames: ['SenderId', 'SequenceNumber'] }, 1],
      ['test_receive_message_message_system_attribute_names_filters', { MessageSystemAttributeNames: ['All'] }, 4],
      [
        'test_receive_message_message_system_attribute_names_filters, two',
        { MessageSystemAttributeNames: ['SenderId', 'SequenceNumber'] },
        1,
      ],
      [
        'test_message_system_attribute_names_with_attribute_names',
        { MessageSystemAttributeNames: ['All'], AttributeNames: ['SenderId'] },
        4,
      ],
    ] as const
  ).map(
    ([name, asked, count]): Case => [
      name,
      async (aws) => {
        const queue = await aws.create();
        await aws.send(queue, 'msg', { MessageAttributes: { Foo: string('Bar') } });
        const { Attributes = {}, MD5OfMessageAttributes } = await aws.one(queue, {
          ...asked,
          MessageAttributeNames: ['All'],
        });
        expect(MD5OfMessageAttributes).toBe('ae7155c6026991b6d54b11589678bf9c');
        const all = ['ApproximateFirstReceiveTimestamp', 'ApproximateReceiveCount', 'SenderId', 'SentTimestamp'];
        expect(Object.keys(Attributes).sort()).toEqual(count === 1 ? ['SenderId'] : all);
      },
    ],
  ),
  [
    'test_fair_queue_with_message_group_id',
    async (aws) => {
      const queue = await aws.create();
      await aws.send(queue, 'message', { MessageGroupId: 'test' });
      expect((await aws.one(queue, ALL)).Attributes).toMatchObject({ MessageGroupId: 'test' });
    },
  ],
];

describe.each([
  ['messages', MESSAGES],
  ['attributes of messages', ATTRIBUTES],
])('SQS does what AWS does with %s', (_, cases) => {
  test.each(cases)('%s', (__, play) => play(new QueueAccount()));
});
