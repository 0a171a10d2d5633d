import type { Input } from '../../wire/request.js';
import type { Account } from './attributes.js';
import { recognisedBy } from './fifo-queue.js';
import { md5, md5OfAttributes } from './messages.js';
import type { Message, Queue } from './model.js';
import { invalidValue, seconds } from './refusals.js';

/**
 * Receives messages, and waits for one if there is none. Amazon SQS API Reference, "ReceiveMessage"; Developer Guide,
 * "Amazon SQS short and long polling".
 */
export function receive({ world }: Account, queue: Queue, input: Input): Promise<object> {
  const most = Number(input.MaxNumberOfMessages ?? 1);
  if (!(most >= 1 && most <= 10))
    throw invalidValue(most, 'MaxNumberOfMessages', 'Must be between 1 and 10, if provided.');
  const visibility = seconds(input.VisibilityTimeout, 'VisibilityTimeout', 43_200);
  const wait = seconds(input.WaitTimeSeconds, 'WaitTimeSeconds', 20) ?? queue.settings.wait;
  return new Promise((resolve) => {
    const look = (isLast: boolean): boolean => {
      const messages = queue.receive(most, visibility);
      if (messages.length === 0 && !isLast) return false;
      resolve(messages.length === 0 ? {} : { Messages: messages.map((message) => toReceivedMessage(message, input)) });
      return true;
    };
    if (look(wait <= 0)) return;
    const stop = queue.onVisible(() => {
      if (!look(false)) return;
      stop();
      end.cancel();
    });
    const end = world.after(wait * 1000, () => {
      stop();
      look(true);
    });
  });
}

/** Returns a message as ReceiveMessage answers it, with the attributes that its input asks for. */
export function toReceivedMessage(message: Message, input: Input): object {
  const { id, receipt, body, attributes = {}, group, trace, receiveCount, sentAt, firstReceivedAt } = message;
  const { receivedBefore = 0, movedFrom, sequenceNumber, deduplicationId } = message;
  const system: Readonly<Record<string, string | undefined>> = {
    SenderId: 'simulated',
    SentTimestamp: String(sentAt),
    ApproximateReceiveCount: String(receivedBefore + receiveCount),
    ApproximateFirstReceiveTimestamp: firstReceivedAt === undefined ? undefined : String(firstReceivedAt),
    MessageGroupId: group,
    MessageDeduplicationId: sequenceNumber === undefined ? undefined : recognisedBy(body, deduplicationId),
    SequenceNumber: sequenceNumber,
    AWSTraceHeader: trace,
    DeadLetterQueueSourceArn: movedFrom,
  };
  const asked = [...many(input.AttributeNames), ...many(input.MessageSystemAttributeNames)];
  const Attributes = Object.entries(system).filter(
    ([name, value]) => value !== undefined && (asked.includes('All') || asked.includes(name)),
  );
  const named = many(input.MessageAttributeNames);
  const MessageAttributes = Object.fromEntries(
    Object.entries(attributes).filter(([name]) => named.some((one) => isRequested(name, one))),
  );
  const hasAttributes = Object.keys(MessageAttributes).length > 0;
  return {
    MessageId: id,
    ReceiptHandle: receipt,
    MD5OfBody: md5(body),
    Body: body,
    ...(Attributes.length > 0 && { Attributes: Object.fromEntries(Attributes) }),
    ...(hasAttributes && { MessageAttributes, MD5OfMessageAttributes: md5OfAttributes(MessageAttributes) }),
  };
}

/** @param asked a name, `All`, `*`, `.*`, or the beginning of names with `.*` behind it */
const isRequested = (name: string, asked: string): boolean =>
  asked === 'All' || asked === '*' || asked === name || (asked.endsWith('.*') && name.startsWith(asked.slice(0, -2)));

const many = (names: unknown): readonly string[] => (names ?? []) as readonly string[];
