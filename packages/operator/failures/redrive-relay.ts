import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { DeleteCommand, type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { RelayAnswer } from '@orderly/kit/internal/outbox/relay.lambda.js';
import type { CommandContext } from '../cli/context.js';
import { OperatorError } from '../cli/errors.js';
import { clientConfig, type Endpoint } from '../deployment/endpoint.js';
import type { FoundRecord } from '../records/consumer-records.js';

/** A change from the table's stream; its new image contains the commit. */
export interface StreamRecord {
  readonly Keys?: { readonly pk?: { readonly S?: string }; readonly sk?: { readonly S?: string } };
}

/** Maximum number of reasons in a record, the same as in the kit. */
const MAX_REASONS = 10;

/** Result of a redrive, and what there is to say about it. */
export interface RedriveResult {
  readonly result: 'dry-run' | 'processed' | 'sent' | 'failed-again';
  readonly detail: string;
}

/** Invokes a relay with a change of its table. @throws {OperatorError} `refused` if it failed */
export type InvokeRelay = (relay: string, change: StreamRecord) => Promise<RelayAnswer>;

/**
 * Publishes a commit through its relay again, after the relay could not publish it. The failure is deleted after all
 * messages were sent, so a crash of this command leaves the failure unchanged.
 * @param clock of the environment, for the reason why it failed again
 */
export async function redriveThroughRelay(
  invoke: InvokeRelay,
  { documents, clock }: Pick<CommandContext, 'documents' | 'clock'>,
  found: FoundRecord,
  change: StreamRecord,
): Promise<RedriveResult> {
  const { listener, record } = found;
  const answer = await invoke(listener.service.relay, change);
  const { records } = listener.service;
  const [reason] = answer.givenUp;
  if (reason !== undefined) {
    await addReason(documents, records, found, { at: clock.now(), message: reason });
    return { result: 'failed-again', detail: `failed again: ${reason}` };
  }
  if (answer.batchItemFailures.length > 0) {
    return { result: 'failed-again', detail: 'the bus did not accept all messages in time; the failure stays' };
  }
  await onlyWhereFailed(
    documents.send(
      new DeleteCommand({
        TableName: records,
        Key: { pk: record.pk },
        ConditionExpression: '#status = :failed',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':failed': 'FAILED' },
      }),
    ),
  );
  return { result: 'processed', detail: 'published' };
}

/** Returns the change of the table that a failure of a relay holds. @throws {OperatorError} `refused` if it is none */
export function parseStreamRecord({ listener, messageId }: FoundRecord, payload: string): StreamRecord {
  const change: unknown = JSON.parse(payload);
  if (typeof change === 'object' && change !== null) return change;
  const discard = ['failures', 'discard', listener.name, messageId, '--reason', '<why>'];
  throw new OperatorError('refused', 'Not redriven: it contains no record of the stream.', discard);
}

/**
 * Returns the function that invokes a relay at an endpoint. Its answer has the messages that the relay left unsent, and
 * those that it gave up.
 */
export const createRelayInvoker =
  (endpoint: Endpoint): InvokeRelay =>
  async (FunctionName, change) => {
    const client = new LambdaClient(clientConfig(endpoint));
    try {
      // The answer identifies an unsent commit by its sequence number: without one, it would look as if all was sent.
      const dynamodb = { ...change, SequenceNumber: '1' };
      const event = { Records: [{ eventName: 'INSERT', eventSource: 'aws:dynamodb', dynamodb }] };
      const { FunctionError, Payload } = await client.send(
        new InvokeCommand({ FunctionName, Payload: Buffer.from(JSON.stringify(event)) }),
      );
      const answer: unknown = JSON.parse(Buffer.from(Payload ?? []).toString('utf8') || '{}');
      if (!FunctionError && isRelayAnswer(answer)) return answer;
      const { errorType } = answer as { readonly errorType?: string };
      const why = errorType ?? FunctionError ?? 'no answer';
      throw new OperatorError(
        'refused',
        `The relay ended with an error (${why}); the failure stays. See the log of ${FunctionName}.`,
      );
    } finally {
      client.destroy();
    }
  };

const isRelayAnswer = (answer: unknown): answer is RelayAnswer =>
  typeof answer === 'object' && answer !== null && 'batchItemFailures' in answer && 'givenUp' in answer;

async function addReason(
  documents: DynamoDBDocumentClient,
  TableName: string,
  { record }: FoundRecord,
  { at, message }: { readonly at: string; readonly message: string },
): Promise<void> {
  const failures = [{ at, name: 'Unsendable', message, stack: [] }, ...(record.failures ?? [])].slice(0, MAX_REASONS);
  await onlyWhereFailed(
    documents.send(
      new UpdateCommand({
        TableName,
        Key: { pk: record.pk },
        UpdateExpression: 'SET failures = :failures, failedAt = :at',
        ConditionExpression: '#status = :failed',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':failures': failures, ':at': at, ':failed': 'FAILED' },
      }),
    ),
  );
}

/** Another operator may have ended the failure meanwhile: then nothing remains to be done here. */
async function onlyWhereFailed(write: Promise<unknown>): Promise<void> {
  await write.catch((error: unknown) => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  });
}
