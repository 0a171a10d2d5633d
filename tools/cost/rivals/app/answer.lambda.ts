import { SendTaskSuccessCommand, SFNClient } from '@aws-sdk/client-sfn';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { logger } from './infrastructure.js';
import type { Message } from './messages.js';

const machines = new SFNClient({});
/** An answer that came before, or too late. */
const OVER = ['TaskTimedOut', 'TaskDoesNotExist', 'InvalidToken'];

/** Answers the state machine by the outbox's new items, and reports the first record that it could not send. */
export async function handler({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const results = await Promise.allSettled(
    Records.map(async ({ dynamodb }) => {
      const { token: taskToken, type } = JSON.parse(dynamodb?.NewImage?.message?.S ?? '') as Message;
      await machines.send(new SendTaskSuccessCommand({ taskToken, output: JSON.stringify({ ok: true, type }) }));
    }),
  );
  const isOver = (reason: unknown): boolean => OVER.includes((reason as Error).name);
  const failed = results.findIndex((one) => one.status === 'rejected' && !isOver(one.reason));
  logger.info('answered', { records: Records.length });
  return {
    batchItemFailures: failed < 0 ? [] : [{ itemIdentifier: Records[failed]?.dynamodb?.SequenceNumber ?? '' }],
  };
}
