import { createHash } from 'node:crypto';
import { NotModelled } from '../dynamodb/errors.js';
import { pageOf } from '../outside/operation.js';
import type { AwsRequest, Input } from '../wire/request.js';
import { Refused } from './refused.js';
import type { Message, MessageAttribute, NewMessage, Queue } from './sqs.js';

/** Operations on one queue that are over at once, for callers inside and outside of the account. */
type QueueOperation = (queue: Queue, input: Input, refusedEntries?: AwsRequest['refusedEntries']) => object;

const MAX_ENTRIES = 10;
/** Amazon SQS, "Amazon SQS message quotas": of a message, and of a batch. */
const MAX_BYTES = 1_048_576;

/** Refuses with an error of SQS. */
export const refuseOf = (code: string, message = code): Refused => new Refused(`com.amazonaws.sqs#${code}`, message);

/**
 * Finds a queue by the last part of its address, whatever the host: a client outside of the account may have another
 * address of it than the account's functions.
 * @throws {Refused}
 */
export function queueAt(queues: ReadonlyMap<string, Queue>, url: unknown): Queue {
  const name = String(url).split('/').at(-1);
  const found = [...queues.values()].find((queue) => queue.name === name);
  if (!found) throw refuseOf('QueueDoesNotExist', 'The specified queue does not exist.');
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
  const { page, next } = pageOf(found, NextToken, Number(MaxResults));
  return { QueueUrls: page.map(({ resource }) => resource.ref), ...(next !== undefined && { NextToken: next }) };
}

/** Amazon SQS API Reference, "Actions". */
export const QUEUE_OPERATIONS: Readonly<Record<string, QueueOperation>> = {
  SendMessage: (queue, input) => {
    if (bytesOf(input) > MAX_BYTES)
      throw refuseOf(
        'InvalidParameterValue',
        `One or more parameters are invalid. Reason: Message must be shorter than ${MAX_BYTES} bytes.`,
      );
    return send(queue, input);
  },
  SendMessageBatch: (queue, input, refused = new Map()) => {
    const entries = entriesOf(input);
    if (entries.reduce((sum, entry) => sum + bytesOf(entry), 0) > MAX_BYTES) throw refuseOf('BatchRequestTooLong');
    const passed = entries.filter((_, at) => !refused.has(at));
    return {
      Successful: passed.map((entry) => ({ Id: entry.Id, ...send(queue, entry) })),
      Failed: entries.flatMap(({ Id }, at) => {
        const Code = refused.get(at);
        return Code === undefined ? [] : [{ Id, Code, SenderFault: false, Message: 'simulated' }];
      }),
    };
  },
  DeleteMessage: (queue, { ReceiptHandle }) => {
    checkHandle(ReceiptHandle);
    queue.delete(String(ReceiptHandle));
    return {};
  },
  DeleteMessageBatch: (queue, input) =>
    byEntry(input, ({ ReceiptHandle }) => QUEUE_OPERATIONS.DeleteMessage?.(queue, { ReceiptHandle })),
  ChangeMessageVisibility: (queue, { ReceiptHandle, VisibilityTimeout }) => {
    if (!queue.changeVisibility(String(ReceiptHandle), Number(VisibilityTimeout) * 1000))
      throw refuseOf('MessageNotInflight');
    return {};
  },
  ChangeMessageVisibilityBatch: (queue, input) =>
    byEntry(input, (entry) => QUEUE_OPERATIONS.ChangeMessageVisibility?.(queue, entry)),
  PurgeQueue: (queue) => {
    queue.purge();
    return {};
  },
};

function send(queue: Queue, input: Input): object {
  const { MessageBody, MessageGroupId, MessageAttributes, DelaySeconds } = input;
  if (!MessageBody) throw refuseOf('MissingParameter', 'The request must contain the parameter MessageBody.');
  const body = String(MessageBody);
  const attributes = attributesOf(MessageAttributes);
  const group = MessageGroupId as string | undefined;
  const message: NewMessage = { body, ...(group && { group }), ...(attributes && { attributes }) };
  const delay = DelaySeconds === undefined ? undefined : Number(DelaySeconds);
  return {
    MessageId: queue.send(message, undefined, delay),
    MD5OfMessageBody: md5(body),
    ...(attributes && { MD5OfMessageAttributes: md5OfAttributes(attributes) }),
  };
}

function attributesOf(given: unknown): NewMessage['attributes'] {
  const attributes = (given ?? {}) as NonNullable<NewMessage['attributes']>;
  if (Object.values(attributes).some(({ StringValue }) => StringValue === undefined))
    throw new NotModelled('a binary message attribute');
  return Object.keys(attributes).length > 0 ? attributes : undefined;
}

/** Returns the entries of a batch. */
function entriesOf({ Entries = [] }: Input): readonly Input[] {
  const entries = Entries as readonly Input[];
  if (entries.length === 0) throw refuseOf('EmptyBatchRequest');
  if (entries.length > MAX_ENTRIES) throw refuseOf('TooManyEntriesInBatchRequest');
  if (new Set(entries.map(({ Id }) => Id)).size < entries.length) throw refuseOf('BatchEntryIdsNotDistinct');
  return entries;
}

/** Carries out each entry of a batch: one that is refused doesn't affect the others. */
function byEntry(input: Input, carryOut: (entry: Input) => unknown): object {
  const [Successful, Failed]: [object[], object[]] = [[], []];
  for (const entry of entriesOf(input)) {
    try {
      carryOut(entry);
      Successful.push({ Id: entry.Id });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const Code = error.error.code.replace(/^.*#/, '');
      Failed.push({ Id: entry.Id, Code, SenderFault: true, Message: error.message });
    }
  }
  return { Successful, Failed };
}

/** A handle that no message has now was issued once, or is none at all: only the latter is an error. */
function checkHandle(handle: unknown): void {
  if (!/~\d+$/.test(String(handle)))
    throw refuseOf(
      'ReceiptHandleIsInvalid',
      `The input receipt handle "${String(handle)}" is not a valid receipt handle.`,
    );
}

export const md5 = (text: string | Buffer): string => createHash('md5').update(text).digest('hex');

/**
 * Amazon SQS Developer Guide, "Calculating the MD5 message digest for message attributes": name, type and value of
 * each, in the order of their names, each with its length before it.
 */
export function md5OfAttributes(attributes: NonNullable<Message['attributes']>): string {
  const sized = (text: string): Buffer => {
    const size = Buffer.alloc(4);
    size.writeUInt32BE(Buffer.byteLength(text));
    return Buffer.concat([size, Buffer.from(text)]);
  };
  const STRING = Buffer.from([1]);
  const parts = Object.entries(attributes)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, { DataType, StringValue }]) => [sized(name), sized(DataType), STRING, sized(StringValue)]);
  return md5(Buffer.concat(parts));
}

const bytesOf = ({ MessageBody = '', MessageAttributes = {} }: Input): number =>
  Object.entries(MessageAttributes as Readonly<Record<string, MessageAttribute>>).reduce(
    (sum, [name, { DataType, StringValue = '' }]) => sum + Buffer.byteLength(name + DataType + StringValue),
    Buffer.byteLength(String(MessageBody)),
  );
