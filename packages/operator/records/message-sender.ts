import { setTimeout } from 'node:timers/promises';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { clientConfig, type Endpoint } from '../deployment/endpoint.js';
import type { Service } from '../deployment/services.js';
import { type ConsumerRecord, readRecord } from './consumer-records.js';

/** Time for which a command waits for the result of its message. */
export const MAX_WAIT_SECONDS = 20;
/** Time between two looks at a record. */
export const POLL_INTERVAL_SECONDS = 0.3;

/** Waits for this many seconds. */
export type Sleep = (seconds: number) => Promise<void>;

export const sleep: Sleep = (seconds) => setTimeout(seconds * 1000);

/** Sends messages to consumers' queues; `attributes` are texts by name, `group` is the message group in a fair queue. */
export type SendMessage = (
  queueUrl: string,
  body: string,
  attributes?: Readonly<Record<string, string>>,
  group?: string,
) => Promise<void>;

/** Keeps one client for as long as messages are sent. */
export async function withSender<T>(endpoint: Endpoint, work: (send: SendMessage) => Promise<T>): Promise<T> {
  const sqs = createSqsClient(endpoint);
  try {
    return await work(createSender(sqs));
  } finally {
    sqs.destroy();
  }
}

/** Makes a client of SQS. It asks the endpoint of its region: the host name in a queue's URL may not resolve behind an emulator. */
export const createSqsClient = (endpoint: Endpoint): SQSClient =>
  new SQSClient({ ...clientConfig(endpoint), useQueueUrlAsEndpoint: false });

/** Sends by a client that its owner closes. */
export const createSender =
  (sqs: SQSClient): SendMessage =>
  async (QueueUrl, MessageBody, attributes = {}, group) => {
    const MessageAttributes = Object.fromEntries(
      Object.entries(attributes).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]),
    );
    await sqs.send(
      new SendMessageCommand({
        QueueUrl,
        MessageBody,
        MessageAttributes,
        ...(group !== undefined && { MessageGroupId: group }),
      }),
    );
  };

/**
 * Polls the record of a sent message until it shows the result.
 * @param pk key of its record
 * @param hasFailed whether a record that isn't PROCESSED is about this attempt
 * @param stopped whether the operator stopped: then this was the last look. @default never
 * @returns `undefined` if the time was over before, or the operator stopped
 */
export async function pollRecord(
  documents: DynamoDBDocumentClient,
  service: Service,
  pk: string,
  hasFailed: (record: ConsumerRecord) => boolean,
  wait: Sleep = sleep,
  stopped: () => boolean = () => false,
): Promise<ConsumerRecord | undefined> {
  for (let waited = 0; waited < MAX_WAIT_SECONDS; waited += POLL_INTERVAL_SECONDS) {
    await wait(POLL_INTERVAL_SECONDS);
    const record = await readRecord(documents, service, pk);
    if (record && (record.status === 'PROCESSED' || hasFailed(record))) return record;
    if (stopped()) return undefined;
  }
  return undefined;
}
