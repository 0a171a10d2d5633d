import { createHash } from 'node:crypto';
import { paginate, Refused } from '../../wire/operation.js';
import { queryErrorCode } from '../../wire/query.js';
import type { AwsRequest, Input } from '../../wire/request.js';
import { FifoQueue } from './fifo-queue.js';
import { MAX_BYTES, type MessageAttribute, type NewMessage, type Queue } from './model.js';
import { messageBytes, parseMessage } from './new-messages.js';
import { invalidValue, seconds, sqsError } from './refusals.js';

/** Operations on one queue that are over at once, for callers inside and outside of the account. */
type QueueOperation = (queue: Queue, input: Input, refusedEntries?: AwsRequest['refusedEntries']) => object;

const MAX_ENTRIES = 10;
/** Amazon SQS Developer Guide, "Amazon SQS visibility timeout": 12 hours from the receive, in seconds. */
const MAX_VISIBILITY = 43_200;
/** Milliseconds between two PurgeQueue of a queue. */
const PURGES_AFTER = 60_000;

type Batch = { readonly Successful: readonly object[]; readonly Failed: readonly object[] };

/**
 * Finds a queue by the last part of its address, whatever the host: a client outside of the account may have another
 * address of it than the account's functions.
 * @throws {Refused}
 */
export function findQueueByUrl(queues: ReadonlyMap<string, Queue>, url: unknown): Queue {
  const name = String(url).split('/').at(-1);
  const found = [...queues.values()].find((queue) => queue.name === name);
  if (!found) throw sqsError('QueueDoesNotExist', 'The specified queue does not exist.');
  return found;
}

/** Queues of a page of ListQueues. */
const PAGE = 1_000;

/** Lists the addresses of queues whose names begin so. Amazon SQS API Reference, "ListQueues". */
export function listQueues(
  queues: ReadonlyMap<string, Queue>,
  { QueueNamePrefix = '', NextToken, MaxResults = PAGE }: Input,
): object {
  const found = [...queues.values()].filter(({ name }) => name.startsWith(String(QueueNamePrefix)));
  const { page, next } = paginate(found, NextToken, Number(MaxResults));
  const urls = page.map(({ resource }) => resource.ref);
  return { ...(urls.length > 0 && { QueueUrls: urls }), ...(next !== undefined && { NextToken: next }) };
}

/** Amazon SQS API Reference, "Actions". */
export const QUEUE_OPERATIONS: Readonly<Record<string, QueueOperation>> = {
  SendMessage: (queue, input) => send(queue, input, 'One or more parameters are invalid.'),
  SendMessageBatch: (queue, input, refused = new Map()) => {
    const entries = entriesOf(input, 'SendMessageBatch');
    const bytes = entries.reduce((sum, entry) => sum + messageBytes(entry), 0);
    if (bytes > MAX_BYTES)
      throw sqsError(
        'BatchRequestTooLong',
        `Batch requests cannot be longer than ${MAX_BYTES} bytes. You have sent ${bytes} bytes.`,
      );
    const passed = entries.filter((_, at) => !refused.has(at));
    const { Successful, Failed } = byEntry(passed, (entry) =>
      send(queue, entry, 'One or more parameters cannot be validated.'),
    );
    const simulated = entries.flatMap(({ Id }, at) => {
      const Code = refused.get(at);
      return Code === undefined ? [] : [{ Id, Code, SenderFault: false, Message: 'simulated' }];
    });
    return { Successful, Failed: [...Failed, ...simulated] };
  },
  DeleteMessage: deleteMessage,
  DeleteMessageBatch: (queue, input) =>
    byEntry(entriesOf(input, 'DeleteMessageBatch'), (entry) => deleteMessage(queue, entry)),
  ChangeMessageVisibility: changeVisibility,
  ChangeMessageVisibilityBatch: (queue, input) =>
    byEntry(entriesOf(input, 'ChangeMessageVisibilityBatch'), (entry) => changeVisibility(queue, entry)),
  PurgeQueue: (queue) => {
    if (queue.purgedAt !== undefined && queue.now < queue.purgedAt + PURGES_AFTER)
      throw sqsError(
        'PurgeQueueInProgress',
        `Only one PurgeQueue operation on ${queue.name} is allowed every ${PURGES_AFTER / 1000} seconds.`,
        403,
      );
    queue.purgedAt = queue.now;
    queue.purge();
    return {};
  },
};

function send(queue: Queue, input: Input, refusal: string): object {
  const message = parseMessage(input, queue, refusal);
  const delay = seconds(input.DelaySeconds, 'DelaySeconds', 900);
  const { body, attributes, trace } = message;
  const id = queue.send(message, undefined, delay);
  return {
    MessageId: id,
    MD5OfMessageBody: md5(body),
    ...(queue instanceof FifoQueue && { SequenceNumber: queue.findSequenceNumber(id) }),
    ...(attributes && { MD5OfMessageAttributes: md5OfAttributes(attributes) }),
    ...(trace !== undefined && {
      MD5OfMessageSystemAttributes: md5OfAttributes({ AWSTraceHeader: { DataType: 'String', StringValue: trace } }),
    }),
  };
}

/** Returns the entries of a batch. @throws {Refused} */
function entriesOf({ Entries = [] }: Input, operation: string): readonly Input[] {
  const entries = Entries as readonly Input[];
  if (entries.length === 0)
    throw sqsError('EmptyBatchRequest', `There should be at least one ${operation}RequestEntry in the request.`);
  if (entries.length > MAX_ENTRIES)
    throw sqsError(
      'TooManyEntriesInBatchRequest',
      `Maximum number of entries per request are ${MAX_ENTRIES}. You have sent ${entries.length}.`,
    );
  if (entries.some(({ Id }) => !/^[\w-]{1,80}$/.test(String(Id))))
    throw sqsError(
      'InvalidBatchEntryId',
      'A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.',
    );
  const repeated = entries.find(({ Id }, at) => entries.findIndex((other) => other.Id === Id) < at);
  if (repeated) throw sqsError('BatchEntryIdsNotDistinct', `Id ${String(repeated.Id)} repeated.`);
  return entries;
}

/** Carries out each entry of a batch: one that is refused doesn't affect the others. */
function byEntry(entries: readonly Input[], carryOut: (entry: Input) => object): Batch {
  const [Successful, Failed]: [object[], object[]] = [[], []];
  for (const entry of entries) {
    try {
      Successful.push({ Id: entry.Id, ...carryOut(entry) });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const Code = queryErrorCode(error.error.code.replace(/^.*#/, ''));
      Failed.push({ Id: entry.Id, Code, SenderFault: true, Message: error.message });
    }
  }
  return { Successful, Failed };
}

function deleteMessage(queue: Queue, { ReceiptHandle }: Input): object {
  checkHandle(ReceiptHandle);
  const handle = String(ReceiptHandle);
  if (!queue.delete(handle) && queue.isFifo && queue.findByReceipt(handle))
    throw invalidValue(handle, 'ReceiptHandle', 'The receipt handle has expired.');
  return {};
}

function changeVisibility(queue: Queue, { ReceiptHandle, VisibilityTimeout }: Input): object {
  checkHandle(ReceiptHandle);
  const handle = String(ReceiptHandle);
  const timeout = seconds(VisibilityTimeout ?? 0, 'VisibilityTimeout', MAX_VISIBILITY) ?? 0;
  const { receivedAt } = queue.findByReceipt(handle) ?? {};
  if (receivedAt !== undefined && queue.now + timeout * 1000 > receivedAt + MAX_VISIBILITY * 1000) {
    const reason = `Total VisibilityTimeout for the message is beyond the limit [${MAX_VISIBILITY} seconds].`;
    throw invalidValue(timeout, 'VisibilityTimeout', reason);
  }
  if (!queue.changeVisibility(handle, timeout * 1000)) {
    const reason = 'Message does not exist or is not available for visibility timeout change.';
    throw invalidValue(handle, 'ReceiptHandle', reason);
  }
  return {};
}

/** A handle that no message has now was issued once, or is none at all: only the latter is an error. */
function checkHandle(handle: unknown): void {
  if (!/~\d+$/.test(String(handle)))
    throw sqsError(
      'ReceiptHandleIsInvalid',
      `The input receipt handle "${String(handle)}" is not a valid receipt handle.`,
    );
}

export const md5 = (text: string | Buffer): string => createHash('md5').update(text).digest('hex');

/**
 * Amazon SQS Developer Guide, "Calculating the MD5 message digest for message attributes": name, type and value of
 * each, in the order of their names, each with its length before it.
 */
export function md5OfAttributes(attributes: NonNullable<NewMessage['attributes']>): string {
  const sized = (value: string | Buffer): Buffer => {
    const bytes = Buffer.from(value);
    const size = Buffer.alloc(4);
    size.writeUInt32BE(bytes.length);
    return Buffer.concat([size, bytes]);
  };
  const [STRING, BINARY] = [Buffer.from([1]), Buffer.from([2])];
  const encodedValue = ({ StringValue, BinaryValue = '' }: MessageAttribute): readonly Buffer[] =>
    StringValue === undefined ? [BINARY, sized(Buffer.from(BinaryValue, 'base64'))] : [STRING, sized(StringValue)];
  const parts = Object.entries(attributes)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, attribute]) => [sized(name), sized(attribute.DataType), ...encodedValue(attribute)]);
  return md5(Buffer.concat(parts));
}
