import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { SQS_BATCH, splitIntoBatches, utf8Bytes } from '../aws/batches.js';
import { Env } from '../aws/environment.js';
import { requireEnv } from '../aws/read-environment.js';
import { describeError, logger } from '../aws/telemetry.js';
import { toDispatchBody } from '../timers/contract.js';

const sqs = new SQSClient({ useQueueUrlAsEndpoint: false });
const queues = JSON.parse(requireEnv(Env.RUNNER_QUEUES)) as Readonly<Record<string, string>>;

/** One message to hand out. */
interface Entry {
  readonly record: string;
  readonly group: string;
  /** Its place in the stream, by which Lambda repeats it. */
  readonly sequenceNumber: string;
}

/**
 * Hands newly stored messages to the runners of their inboxes, by the keys of their records. It is a hint: what is lost
 * here, the sweeper hands out a minute later. So a batch that fails for long may be given up.
 */
export async function handler({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const byQueue = new Map<string, Entry[]>();
  for (const { dynamodb } of Records) {
    const record = dynamodb?.Keys?.pk?.S ?? '';
    const queue = queues[record.slice(0, record.indexOf('@'))];
    if (queue === undefined) {
      logger.warn('no inbox of this service has this record', { record });
      continue;
    }
    const entry = { record, group: dynamodb?.NewImage?.group?.S ?? '', sequenceNumber: dynamodb?.SequenceNumber ?? '' };
    byQueue.set(queue, [...(byQueue.get(queue) ?? []), entry]);
  }
  const unsent = (await Promise.all([...byQueue].map(([queue, entries]) => send(queue, entries)))).flat();
  return { batchItemFailures: unsent.map(({ sequenceNumber }) => ({ itemIdentifier: sequenceNumber })) };
}

/** @returns the entries that were not sent */
async function send(queue: string, entries: readonly Entry[]): Promise<readonly Entry[]> {
  const batches = splitIntoBatches(entries, ({ record }) => utf8Bytes(toDispatchBody({ record })), SQS_BATCH);
  const unsent = await Promise.all(
    batches.map(async (batch) => {
      try {
        const { Failed = [] } = await sqs.send(
          new SendMessageBatchCommand({
            QueueUrl: queue,
            Entries: batch.map(({ record, group }, at) => ({
              Id: String(at),
              MessageBody: toDispatchBody({ record }),
              ...(group === '' ? {} : { MessageGroupId: group }),
            })),
          }),
        );
        return Failed.flatMap(({ Id }) => batch[Number(Id)] ?? []);
      } catch (error) {
        logger.warn('a batch was not handed out', describeError(error));
        return batch;
      }
    }),
  );
  return unsent.flat();
}
