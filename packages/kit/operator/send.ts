import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { clientConfig, type Endpoint } from './endpoint.js';
import { type ConsumerRecord, readRecord } from './records.js';
import type { Service } from './services.js';

/** Time for which a command waits for the result of its message. */
export const WAIT_SECONDS = 20;
const LOOK_EVERY_MS = 300;

/** Sends a message to a consumer's queue. @param attributes texts by name */
export async function sendTo(
  endpoint: Endpoint,
  QueueUrl: string,
  MessageBody: string,
  attributes: Readonly<Record<string, string>> = {},
): Promise<void> {
  // The queue's URL contains a host name that may not resolve behind an emulator.
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
 * Polls the record of a sent message until it shows the result.
 * @param pk key of its record
 * @param hasFailed whether a record that isn't PROCESSED is about this attempt
 * @returns `undefined` if the time was over before
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
