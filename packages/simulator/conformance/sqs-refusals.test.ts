/**
 * Refusals of AWS, with their words: cases of public tests that were recorded at AWS. LocalStack
 * (https://github.com/localstack/localstack, commit 8b9a79f, Apache-2.0), `tests/aws/services/sqs/`; Moto
 * (https://github.com/getmoto/moto, commit 0af643a, Apache-2.0), `tests/test_sqs/test_sqs.py`, those with the mark
 * `aws_verified`. Each has the name of the test that it comes from.
 */
import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import { describe, test } from 'vitest';
import { expectRefusal, QueueAccount } from '../support/queues.js';

/** Commands of the SDK have no type in common. */
type Command = object;
/** @param QueueUrl of a queue without a setting @returns what is sent; all but the last are accepted */
type Requests = (QueueUrl: string) => Command | readonly Command[];
/** Name of the public test, requests, code, message if the test has one. */
type Case = readonly [test: string, requests: Requests, code: string, message?: string];

const ATTRIBUTE = { k: { DataType: 'String', StringValue: 'x' } };
const BATCH = 'AWS.SimpleQueueService.';
const ENTRY_ID =
  'A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.';
const GROUP = (id: string) =>
  `Value ${id} for parameter MessageGroupId is invalid. Reason: MessageGroupId can only include alphanumeric and punctuation characters. 1 to 128 in length.`;
const MANY = Array.from({ length: 20 }, (_, at) => ({ Id: String(at), MessageBody: 'a', ReceiptHandle: `a~${at}` }));
const NO_QUEUE = 'The specified queue does not exist.';
const OTHER_DELAY = 'A queue already exists with the same name and a different value for attribute DelaySeconds';
const oneEntry = (Id: string) => [{ Id, MessageBody: 'a', ReceiptHandle: 'a~1' }];
const withAttribute = (name: string, DataType = 'String', StringValue = 'Valid') =>
  ((QueueUrl) => {
    const MessageAttributes = { [name]: { DataType, StringValue } };
    return new SendMessageCommand({ QueueUrl, MessageBody: 'a', MessageAttributes });
  }) satisfies Requests;
const creating = (Attributes: Record<string, string>, QueueName = 'other') =>
  new CreateQueueCommand({ QueueName, Attributes });
const redriving = (policy: object) => (QueueUrl: string) =>
  new SetQueueAttributesCommand({ QueueUrl, Attributes: { RedrivePolicy: JSON.stringify(policy) } });

const LOCALSTACK: readonly Case[] = [
  [
    'test_send_empty_message',
    (QueueUrl) => new SendMessageCommand({ QueueUrl, MessageBody: '' }),
    'MissingParameter',
    'The request must contain the parameter MessageBody.',
  ],
  [
    'test_send_receive_max_number_of_messages',
    (QueueUrl) => new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 11 }),
    'InvalidParameterValue',
    'Value 11 for parameter MaxNumberOfMessages is invalid. Reason: Must be between 1 and 10, if provided.',
  ],
  ...[21, -1].map(
    (WaitTimeSeconds): Case => [
      `test_send_receive_wait_time_seconds, ${WaitTimeSeconds}`,
      (QueueUrl) => new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds }),
      'InvalidParameterValue',
      `Value ${WaitTimeSeconds} for parameter WaitTimeSeconds is invalid. Reason: Must be >= 0 and <= 20, if provided.`,
    ],
  ),
  [
    'test_send_oversized_message',
    (QueueUrl) =>
      new SendMessageCommand({ QueueUrl, MessageBody: 'a'.repeat(1_048_569), MessageAttributes: ATTRIBUTE }),
    'InvalidParameterValue',
    'One or more parameters are invalid. Reason: Message must be shorter than 1048576 bytes.',
  ],
  [
    'test_send_message_with_updated_maximum_message_size',
    (QueueUrl) => [
      new SetQueueAttributesCommand({ QueueUrl, Attributes: { MaximumMessageSize: '1024' } }),
      new SendMessageCommand({ QueueUrl, MessageBody: 'a'.repeat(1_024) }),
      new SendMessageCommand({ QueueUrl, MessageBody: 'a'.repeat(1_017), MessageAttributes: ATTRIBUTE }),
    ],
    'InvalidParameterValue',
    'One or more parameters are invalid. Reason: Message must be shorter than 1024 bytes.',
  ],
  [
    'test_send_message_batch_with_oversized_contents',
    (QueueUrl) => {
      const first = { Id: '1', MessageBody: 'a'.repeat(1_048_568), MessageAttributes: ATTRIBUTE };
      return new SendMessageBatchCommand({ QueueUrl, Entries: [first, { Id: '2', MessageBody: 'a' }] });
    },
    `${BATCH}BatchRequestTooLong`,
    'Batch requests cannot be longer than 1048576 bytes. You have sent 1048577 bytes.',
  ],
  ...['', 'a'.repeat(129), 'group 123'].map(
    (MessageGroupId): Case => [
      `test_send_message_to_standard_queue_with_invalid_message_group_id, ${MessageGroupId.length} characters`,
      (QueueUrl) => new SendMessageCommand({ QueueUrl, MessageBody: 'a', MessageGroupId }),
      'InvalidParameterValue',
      GROUP(MessageGroupId),
    ],
  ),
  [
    'test_send_message_batch_with_empty_list',
    (QueueUrl) => new SendMessageBatchCommand({ QueueUrl, Entries: [] }),
    `${BATCH}EmptyBatchRequest`,
  ],
  [
    'test_too_many_entries_in_batch_request',
    (QueueUrl) => new SendMessageBatchCommand({ QueueUrl, Entries: MANY }),
    `${BATCH}TooManyEntriesInBatchRequest`,
    'Maximum number of entries per request are 10. You have sent 20.',
  ],
  [
    'test_delete_message_batch_with_too_large_batch',
    (QueueUrl) => new DeleteMessageBatchCommand({ QueueUrl, Entries: MANY }),
    `${BATCH}TooManyEntriesInBatchRequest`,
    'Maximum number of entries per request are 10. You have sent 20.',
  ],
  [
    'test_change_message_visibility_batch_with_too_large_batch',
    (QueueUrl) => new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries: MANY }),
    `${BATCH}TooManyEntriesInBatchRequest`,
    'Maximum number of entries per request are 10. You have sent 20.',
  ],
  [
    'test_invalid_batch_id',
    (QueueUrl) => new SendMessageBatchCommand({ QueueUrl, Entries: oneEntry('message:1') }),
    `${BATCH}InvalidBatchEntryId`,
    ENTRY_ID,
  ],
  ...['', 'testLongId'.repeat(10), 'invalid:id'].map(
    (id): Case => [
      `test_delete_message_batch_invalid_msg_id, ${id.length} characters`,
      (QueueUrl) => new DeleteMessageBatchCommand({ QueueUrl, Entries: oneEntry(id) }),
      `${BATCH}InvalidBatchEntryId`,
      ENTRY_ID,
    ],
  ),
  [
    'test_invalid_receipt_handle_should_return_error_message',
    (QueueUrl) => new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle: 'INVALID', VisibilityTimeout: 60 }),
    'ReceiptHandleIsInvalid',
  ],
  [
    'test_delete_message_with_illegal_receipt_handle',
    (QueueUrl) => new DeleteMessageCommand({ QueueUrl, ReceiptHandle: 'garbage' }),
    'ReceiptHandleIsInvalid',
    'The input receipt handle "garbage" is not a valid receipt handle.',
  ],
  [
    'test_send_message_with_empty_string_attribute',
    withAttribute('ErrorDetails', 'String', ''),
    'InvalidParameterValue',
    "Message (user) attribute 'ErrorDetails' must contain a non-empty value of type 'String'.",
  ],
  [
    'test_invalid_string_attributes_cause_invalid_parameter_value_error',
    withAttribute('attr1', 'String', 'Invalid-\b,\v'),
    'InvalidParameterValue',
  ],
  ...['aWs.-Invalid-attr', 'AMAZON.-Invalid-attr', '.-Invalid-attr', 'Invalid.', 'L'.repeat(257)]
    .concat(['!', '"', '§', '(', '?'].map((character) => `Invalid-${character}-attr`))
    .map(
      (name): Case => [
        `test_send_message_with_invalid_string_attributes, ${name.slice(0, 20)}`,
        withAttribute(name),
        'InvalidParameterValue',
      ],
    ),
  ...['Invalid', `Number.${'L'.repeat(256)}`].map(
    (type): Case => [
      `test_send_message_with_invalid_string_attributes, a type ${type.slice(0, 10)}`,
      withAttribute('Attribute_name', type),
      'InvalidParameterValue',
    ],
  ),
  [
    'test_send_message_with_invalid_payload_characters',
    (QueueUrl) => new SendMessageCommand({ QueueUrl, MessageBody: 'Invalid-\0-\b-\u0013-\uffff' }),
    'InvalidMessageContents',
  ],
  [
    'test_non_existent_queue',
    (QueueUrl) => [new DeleteQueueCommand({ QueueUrl }), new GetQueueAttributesCommand({ QueueUrl })],
    'AWS.SimpleQueueService.NonExistentQueue',
    NO_QUEUE,
  ],
  [
    'test_non_existent_queue, by name',
    () => new GetQueueUrlCommand({ QueueName: 'missing' }),
    'AWS.SimpleQueueService.NonExistentQueue',
    NO_QUEUE,
  ],
  [
    'test_create_queue_recently_deleted',
    (QueueUrl) => [new DeleteQueueCommand({ QueueUrl }), creating({}, 'queue-1')],
    'AWS.SimpleQueueService.QueueDeletedRecently',
    'You must wait 60 seconds after deleting a queue before you can create another with the same name.',
  ],
  [
    'test_successive_purge_calls_fail',
    (QueueUrl) => [new PurgeQueueCommand({ QueueUrl }), new PurgeQueueCommand({ QueueUrl })],
    'AWS.SimpleQueueService.PurgeQueueInProgress',
    'Only one PurgeQueue operation on queue-1 is allowed every 60 seconds.',
  ],
  [
    'test_create_queue_with_different_attributes_raises_exception',
    () => [
      creating({ ReceiveMessageWaitTimeSeconds: '1', DelaySeconds: '1' }),
      creating({}),
      creating({ DelaySeconds: '1' }),
      creating({ ReceiveMessageWaitTimeSeconds: '1', DelaySeconds: '2' }),
    ],
    'QueueAlreadyExists',
    OTHER_DELAY,
  ],
  [
    'test_create_queue_with_different_attributes_raises_exception, after a change',
    (QueueUrl) => [
      new SetQueueAttributesCommand({ QueueUrl, Attributes: { DelaySeconds: '2' } }),
      creating({ DelaySeconds: '2' }, 'queue-1'),
      creating({ DelaySeconds: '1' }, 'queue-1'),
    ],
    'QueueAlreadyExists',
    OTHER_DELAY,
  ],
  ...[
    'test_create_queue_with_default_arguments_works_with_modified_attributes',
    'test_create_queue_after_modified_attributes',
  ].map(
    (name, at): Case => [
      name,
      () => [
        creating(at === 0 ? {} : { VisibilityTimeout: '1', ReceiveMessageWaitTimeSeconds: '1' }),
        new SetQueueAttributesCommand({
          QueueUrl: 'other',
          Attributes: { VisibilityTimeout: '2', ReceiveMessageWaitTimeSeconds: '2' },
        }),
        creating({ VisibilityTimeout: '2', ReceiveMessageWaitTimeSeconds: '2' }),
        creating({}),
        creating({ VisibilityTimeout: '1', ReceiveMessageWaitTimeSeconds: '1' }),
      ],
      'QueueAlreadyExists',
    ],
  ),
  ...(
    [
      ['FifoQueue', 'false', 'Unknown Attribute FifoQueue.'],
      ['ContentBasedDeduplication', 'false', 'Unknown Attribute ContentBasedDeduplication.'],
      ['DeduplicationScope', 'queue', 'You can specify the DeduplicationScope only when FifoQueue is set to true.'],
      [
        'FifoThroughputLimit',
        'perQueue',
        'You can specify the FifoThroughputLimit only when FifoQueue is set to true.',
      ],
    ] as const
  ).map(
    ([name, value, message]): Case => [
      `test_create_standard_queue_with_fifo_attribute_raises_error, ${name}`,
      () => creating({ [name]: value }),
      'InvalidAttributeName',
      message,
    ],
  ),
  ...['true', 'false'].map(
    (FifoQueue): Case => [
      `test_set_unsupported_attribute_standard, ${FifoQueue}`,
      (QueueUrl) => new SetQueueAttributesCommand({ QueueUrl, Attributes: { FifoQueue } }),
      'InvalidAttributeName',
      'Unknown Attribute FifoQueue.',
    ],
  ),
  ['test_fifo_queue_requires_suffix', () => creating({ FifoQueue: 'true' }), 'InvalidParameterValue'],
  ['test_standard_queue_cannot_have_fifo_suffix', () => creating({}, 'other.fifo'), 'InvalidParameterValue'],
  ['test_disallow_queue_name_with_slashes', () => creating({}, 'queue/1/'), 'InvalidParameterValue'],
  [
    'test_sse_kms_and_sqs_are_mutually_exclusive',
    (QueueUrl) => {
      const Attributes = { KmsMasterKeyId: 'testKeyId', SqsManagedSseEnabled: 'true' };
      return new SetQueueAttributesCommand({ QueueUrl, Attributes });
    },
    'InvalidAttributeName',
    'You can use one type of server-side encryption (SSE) at one time. You can either enable KMS SSE or SQS SSE.',
  ],
  ...[
    { deadLetterTargetArn: 'arn:aws:sqs:eu-west-1:123456789012:queue-1' },
    { maxReceiveCount: '42' },
    { deadLetterTargetArn: 'arn:aws:sqs:eu-west-1:123456789012:queue-1', maxReceiveCount: 'invalid' },
  ].map(
    (policy): Case => [
      `test_redrive_policy_attribute_validity, ${Object.values(policy).at(-1)}`,
      redriving(policy),
      'InvalidParameterValue',
    ],
  ),
  [
    'test_source_needs_redrive_policy',
    () => {
      const SourceArn = 'arn:aws:sqs:eu-west-1:123456789012:queue-1';
      return new StartMessageMoveTaskCommand({ SourceArn, DestinationArn: SourceArn });
    },
    'InvalidParameterValue',
    'Source queue must be configured as a Dead Letter Queue.',
  ],
  [
    'test_destination_needs_to_exist',
    (QueueUrl) => {
      const SourceArn = 'arn:aws:sqs:eu-west-1:123456789012:queue-1';
      return [
        creating({ RedrivePolicy: JSON.stringify({ deadLetterTargetArn: SourceArn, maxReceiveCount: 1 }) }),
        new SendMessageCommand({ QueueUrl, MessageBody: 'a' }),
        new StartMessageMoveTaskCommand({ SourceArn, DestinationArn: `${SourceArn}doesntexist` }),
      ];
    },
    'ResourceNotFoundException',
    "The resource that you specified for the DestinationArn parameter doesn't exist.",
  ],
];

const MISSING = 'https://queue.amazonaws.com/123456789012/unknown';
const sends = (Entries: { Id: string; MessageBody: string }[]) => (QueueUrl: string) =>
  new SendMessageBatchCommand({ QueueUrl, Entries });

const MOTO: readonly Case[] = [
  ...(
    [
      ['test_get_unknown_queue_by_name', new GetQueueUrlCommand({ QueueName: 'unknown' })],
      ['test_get_queue_url_error_not_exists', new GetQueueUrlCommand({ QueueName: 'not-existing-queue' })],
      ['test_delete_queue_error_not_exists', new DeleteQueueCommand({ QueueUrl: MISSING })],
      ['test_get_queue_attributes_error_not_exists', new GetQueueAttributesCommand({ QueueUrl: MISSING })],
      [
        'test_delete_message_from_unknown_url',
        new DeleteMessageCommand({ QueueUrl: MISSING, ReceiptHandle: 'unknown' }),
      ],
      [
        'test_send_message_batch_errors, no queue',
        new SendMessageBatchCommand({ QueueUrl: MISSING, Entries: oneEntry('1') }),
      ],
    ] as const
  ).map(([name, command]): Case => [name, () => command, 'AWS.SimpleQueueService.NonExistentQueue', NO_QUEUE]),
  [
    'test_delete_message_batch_with_zero_entries',
    (QueueUrl) => new DeleteMessageBatchCommand({ QueueUrl, Entries: [] }),
    `${BATCH}EmptyBatchRequest`,
    'There should be at least one DeleteMessageBatchRequestEntry in the request.',
  ],
  [
    'test_send_message_batch_errors, no entry',
    sends([]),
    `${BATCH}EmptyBatchRequest`,
    'There should be at least one SendMessageBatchRequestEntry in the request.',
  ],
  ...['', '.!@#$%^&*()+=', 'i'.repeat(81)].map(
    (id): Case => [
      `test_send_message_batch_errors, an id of ${id.length} characters`,
      sends(oneEntry(id)),
      `${BATCH}InvalidBatchEntryId`,
      ENTRY_ID,
    ],
  ),
  [
    'test_send_message_batch_errors, too long',
    sends([{ Id: 'id_1', MessageBody: 'b'.repeat(1_048_577) }]),
    `${BATCH}BatchRequestTooLong`,
    'Batch requests cannot be longer than 1048576 bytes. You have sent 1048577 bytes.',
  ],
  [
    'test_send_message_batch_errors, the first id that is repeated',
    sends(['id_1', 'id_2', 'id_2', 'id_1'].map((Id) => ({ Id, MessageBody: 'a' }))),
    `${BATCH}BatchEntryIdsNotDistinct`,
    'Id id_2 repeated.',
  ],
  [
    'test_send_message_batch_errors, too many entries',
    sends(MANY.slice(0, 11)),
    `${BATCH}TooManyEntriesInBatchRequest`,
    'Maximum number of entries per request are 10. You have sent 11.',
  ],
];

describe.each<readonly [string, readonly Case[]]>([
  ['LocalStack', LOCALSTACK],
  ['Moto', MOTO],
])('SQS refuses as AWS does in tests of %s', (_, cases) => {
  test.each(cases.map(([name, ...rest]) => [name, rest] as const))('%s', async (__, [requestsOf, code, message]) => {
    const aws = new QueueAccount();
    const requests = [requestsOf(await aws.create())].flat() as Command[];
    for (const request of requests.slice(0, -1)) await aws.sqs.send(request as never);
    await expectRefusal(aws.sqs.send(requests.at(-1) as never), code, message);
  });
});
