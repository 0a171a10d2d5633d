import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { logger, SERVICE } from './infrastructure.js';
import type { Message } from './messages.js';

const events = new EventBridgeClient({});
const MOST_ENTRIES = 10;

/** Publishes the outbox's new items, and reports the first record that it could not publish. */
export async function handler({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  for (let at = 0; at < Records.length; at += MOST_ENTRIES) {
    const page = Records.slice(at, at + MOST_ENTRIES);
    const { FailedEntryCount, Entries = [] } = await events.send(
      new PutEventsCommand({
        Entries: page.map(({ dynamodb }) => {
          const text = dynamodb?.NewImage?.message?.S ?? '';
          const { type } = JSON.parse(text) as Message;
          return { EventBusName: process.env.BUS_NAME ?? '', Source: SERVICE, DetailType: type, Detail: text };
        }),
      }),
    );
    const failed = Entries.findIndex(({ ErrorCode }) => ErrorCode !== undefined);
    if (!FailedEntryCount) continue;
    return { batchItemFailures: [{ itemIdentifier: page[failed]?.dynamodb?.SequenceNumber ?? '' }] };
  }
  logger.info('published', { records: Records.length });
  return { batchItemFailures: [] };
}
