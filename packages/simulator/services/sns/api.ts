import { type FunctionCall, NotModelled, type Operations, Refused } from '../../wire/operation.js';
import type { Input } from '../../wire/request.js';
import type { MessageAttribute } from '../sqs/model.js';
import type { Published } from './fifo-topic.js';
import type { Topics } from './model.js';

/** Amazon SNS API Reference, "Publish": the largest message, with its attributes, in bytes. "PublishBatch": the most entries. */
const MAX_BYTES = 262_144;
const MAX_ENTRIES = 10;

/** Topics. Amazon SNS API Reference, "Actions". */
export const snsApi = ({ topics }: { readonly topics: Topics }): Operations => ({
  Publish: (input) => describe(publish(topics, findTopic(topics, input), input)),
  PublishBatch: (input, call) => publishBatch(topics, input, call),
  ListTopics: () => ({ Topics: topics.list().map((TopicArn) => ({ TopicArn })) }),
});

function publishBatch(topics: Topics, input: Input, call?: FunctionCall): object {
  const topic = findTopic(topics, input);
  const entries = (input.PublishBatchRequestEntries ?? []) as readonly Input[];
  if (entries.length === 0)
    throw new Refused('EmptyBatchRequest', "The batch request doesn't contain any entries.", 400);
  if (entries.length > MAX_ENTRIES)
    throw new Refused('TooManyEntriesInBatchRequest', 'The batch request contains more entries than permissible.', 400);
  if (entries.reduce((sum, entry) => sum + bytesOf(entry), 0) > MAX_BYTES)
    throw new Refused(
      'BatchRequestTooLong',
      'The length of all the messages put together is more than the limit.',
      400,
    );
  const Successful: object[] = [];
  const Failed: object[] = [];
  for (const [at, entry] of entries.entries()) {
    const refused = call?.refusedEntries?.get(at);
    try {
      if (refused !== undefined) throw new Refused(refused, 'simulated', 500);
      Successful.push({ Id: entry.Id, ...describe(publish(topics, topic, entry)) });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const { code, message, status } = error.error;
      Failed.push({ Id: entry.Id, Code: code, Message: message, SenderFault: status < 500 });
    }
  }
  return { Successful, Failed };
}

function findTopic(topics: Topics, { TopicArn, TargetArn, PhoneNumber }: Input): string {
  const arn = TopicArn ?? TargetArn;
  if (arn === undefined && PhoneNumber !== undefined) throw new NotModelled('a message to a phone');
  if (arn === undefined) throw invalid('TopicArn or TargetArn Reason: no value for required parameter');
  if (!topics.has(String(arn))) throw new Refused('NotFound', 'Topic does not exist', 404);
  return String(arn);
}

const describe = ({ id, sequenceNumber }: Published): object => ({
  MessageId: id,
  ...(sequenceNumber !== undefined && { SequenceNumber: sequenceNumber }),
});

function publish(topics: Topics, topic: string, input: Input): Published {
  const { Message, Subject, MessageStructure, MessageAttributes, MessageGroupId, MessageDeduplicationId } = input;
  if (!Message) throw invalid('Empty message');
  if (MessageStructure !== undefined)
    throw new NotModelled('a message with a text for each protocol (MessageStructure)');
  if (bytesOf(input) > MAX_BYTES) throw invalid('Message too long');
  if (MessageDeduplicationId !== undefined && !topics.isFifo(topic))
    throw invalid(
      'MessageDeduplicationId Reason: The request includes MessageDeduplicationId parameter that is not valid for this topic type',
    );
  return topics.publish(topic, {
    text: String(Message),
    attributes: readAttributes(MessageAttributes),
    ...(Subject !== undefined && { subject: String(Subject) }),
    ...(MessageGroupId !== undefined && { group: String(MessageGroupId) }),
    ...(MessageDeduplicationId !== undefined && { deduplicationId: String(MessageDeduplicationId) }),
  });
}

const bytesOf = ({ Message = '', MessageAttributes }: Input): number =>
  Buffer.byteLength(String(Message)) +
  Object.entries(readAttributes(MessageAttributes)).reduce(
    (sum, [name, { DataType, StringValue = '', BinaryValue = '' }]) =>
      sum + Buffer.byteLength(name + DataType + StringValue + BinaryValue),
    0,
  );

/** The Query protocol has a map as a list of entries. */
function readAttributes(given: unknown): Record<string, MessageAttribute> {
  const { entry = [] } = (given ?? {}) as {
    readonly entry?: readonly { readonly Name: string; readonly Value: MessageAttribute }[];
  };
  return Object.fromEntries(entry.map(({ Name, Value }) => [Name, Value]));
}

const invalid = (what: string): Refused => new Refused('InvalidParameter', `Invalid parameter: ${what}`, 400);
