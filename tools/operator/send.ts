import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { clientConfig, type Endpoint } from '../local/endpoint.js';
import { type ConsumerRecord, readRecord } from './records.js';
import type { Service } from './services.js';

/** How long a command waits for what comes of what it sent. */
export const WAIT_SECONDS = 20;
const LOOK_EVERY_MS = 300;

/** A message into a consumer's queue. @param attributes texts by name */
export async function sendTo(
  endpoint: Endpoint,
  QueueUrl: string,
  MessageBody: string,
  attributes: Readonly<Record<string, string>> = {},
): Promise<void> {
  // The queue's address names a host that needs not resolve where an emulator is behind it.
  const sqs = new SQSClient({ ...clientConfig(endpoint), useQueueUrlAsEndpoint: endpoint.url === undefined });
  const MessageAttributes = Object.fromEntries(
    Object.entries(attributes).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]),
  );
  try {
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, MessageAttributes }));
  } finally {
    sqs.destroy();
  }
}

/**
 * Looks at the record of a message that was sent until it says what came of it.
 * @param pk key of its record
 * @param hasFailed whether a record that isn't PROCESSED tells of this sending
 * @returns nothing where time was over before
 */
export async function awaitRecord(
  documents: DynamoDBDocumentClient,
  service: Service,
  pk: string,
  hasFailed: (record: ConsumerRecord) => boolean,
): Promise<ConsumerRecord | undefined> {
  const end = performance.now() + WAIT_SECONDS * 1000;
  do {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    const record = await readRecord(documents, service, pk);
    if (record && (record.status === 'PROCESSED' || hasFailed(record))) return record;
  } while (performance.now() < end);
  return undefined;
}
