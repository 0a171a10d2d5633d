import type { MessageAttribute } from '../sqs/model.js';

/** A message that a topic has taken. */
export interface TopicMessage {
  readonly id: string;
  /** ARN of the topic. */
  readonly topic: string;
  readonly text: string;
  readonly subject?: string;
  readonly attributes: Readonly<Record<string, MessageAttribute>>;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Message group: always of a FIFO topic; of any other one for fair queues. */
  readonly group?: string;
  /** A FIFO queue recognises the message by it. */
  readonly deduplicationId?: string;
  /** Its place in the order of a FIFO topic. */
  readonly sequenceNumber?: string;
}

/** A message to publish. */
export interface NewTopicMessage extends Pick<TopicMessage, 'text' | 'subject' | 'group' | 'deduplicationId'> {
  /** @default none */
  readonly attributes?: TopicMessage['attributes'];
}

/** Members whose values nobody can check here: SNS signs each notification. */
const SIGNED = { SignatureVersion: '1', Signature: 'simulated' };

const listAttributes = ({ attributes }: TopicMessage) =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, { DataType, StringValue, BinaryValue }]) => [
      name,
      { Type: DataType, Value: StringValue ?? BinaryValue },
    ]),
  );

/** Returns the body that a queue gets. Amazon SNS Developer Guide, "HTTP/HTTPS notification JSON format", which is that of queues too. */
export function toQueueBody(message: TopicMessage, subscription: string): string {
  const { id, topic, text, subject, at, attributes, sequenceNumber } = message;
  return JSON.stringify({
    Type: 'Notification',
    MessageId: id,
    ...(sequenceNumber !== undefined && { SequenceNumber: sequenceNumber }),
    TopicArn: topic,
    ...(subject !== undefined && { Subject: subject }),
    Message: text,
    Timestamp: new Date(at).toISOString(),
    ...SIGNED,
    SigningCertURL: 'https://sns.simulated/certificate.pem',
    UnsubscribeURL: `https://sns.simulated/?Action=Unsubscribe&SubscriptionArn=${subscription}`,
    ...(Object.keys(attributes).length > 0 && { MessageAttributes: listAttributes(message) }),
  });
}

/** Returns the event that a function gets. AWS Lambda Developer Guide, "Invoking Lambda functions with Amazon SNS notifications". */
export function toFunctionEvent(message: TopicMessage, subscription: string): object {
  const { id, topic, text, subject = null, at } = message;
  const sns = {
    Type: 'Notification',
    MessageId: id,
    TopicArn: topic,
    Subject: subject,
    Message: text,
    Timestamp: new Date(at).toISOString(),
    ...SIGNED,
    SigningCertUrl: 'https://sns.simulated/certificate.pem',
    UnsubscribeUrl: `https://sns.simulated/?Action=Unsubscribe&SubscriptionArn=${subscription}`,
    MessageAttributes: listAttributes(message),
  };
  return { Records: [{ EventVersion: '1.0', EventSubscriptionArn: subscription, EventSource: 'aws:sns', Sns: sns }] };
}
