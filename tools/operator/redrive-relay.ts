import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { DeleteCommand, type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { recordKey } from '../../lambdas/patterns/idempotent-consumer/failure-records.js';
import { clock } from '../../lambdas/platform/clock.js';
import { clientConfig, type Endpoint } from '../local/endpoint.js';
import { reasonOf } from './deliveries.js';
import { Exit, OperatorError } from './errors.js';
import type { Outcome } from './outcome.js';
import { type ConsumerRecord, type FoundRecord, readRecord } from './records.js';
import { command } from './text.js';

/** A change as the table's stream told it; the commit is in its new image. */
interface StreamRecord {
  readonly Keys?: { readonly pk?: { readonly S?: string }; readonly sk?: { readonly S?: string } };
}

/** Reasons that a record keeps, as patterns/idempotent-consumer does. */
const MAX_REASONS = 10;

/**
 * A commit that its relay could not publish, through the relay once more; its failure is deleted once all is sent.
 *
 * The relay's answer doesn't tell what it sent from what it gave up as hopeless: that becomes a failure record, under
 * the keys of the stream record (only there are those used; what is published is the new image). So it gets keys of
 * our own, and gave the commit up where a failure lies under those:
 *
 *     failure   relay@0#Order#1/COMMIT#0000000001                stays, until all was sent
 *     invoke with keys Order#1/COMMIT#0000000001~<now>
 *     gave up?  relay@0#Order#1/COMMIT#0000000001~<now>          its reason moves to the failure above
 *
 * A crash of this command leaves the failure where it was, and at worst a second one beside it.
 */
export async function publishAgain(
  endpoint: Endpoint,
  documents: DynamoDBDocumentClient,
  found: FoundRecord,
  payload: string,
  dryRun: boolean,
): Promise<Outcome> {
  const { listener, record } = found;
  const { relay } = listener.service;
  const change = changeIn(found, payload);
  if (dryRun) return outcome(found, 'dry-run', `would invoke ${relay} with the commit`);
  const probe = `~${clock.now()}`;
  const allSent = await invoke(endpoint, relay, withKeys(change, probe));
  const probePk = recordKey(listener, messageIdOf(change, probe));
  const gaveUp = await readRecord(documents, listener.service, probePk);
  const { records } = listener.service;
  if (gaveUp) {
    await addReasons(documents, records, found, gaveUp);
    await documents.send(new DeleteCommand({ TableName: records, Key: { pk: probePk } }));
    return outcome(found, 'failed-again', `failed again: ${reasonOf(gaveUp)}`);
  }
  if (!allSent) return outcome(found, 'failed-again', 'the bus did not take all of it in time; the failure stays');
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
  return outcome(found, 'processed', 'published');
}

/** @throws {OperatorError} `refused` where what was kept is no commit */
function changeIn({ listener, messageId }: FoundRecord, payload: string): StreamRecord {
  const change: unknown = JSON.parse(payload);
  if (typeof change === 'object' && change !== null) return change;
  const discard = command('failures', 'discard', listener.name, messageId, '--reason', '<why>');
  throw new OperatorError('refused', 'Not redriven: it holds no record of the stream.', discard);
}

const withKeys = ({ Keys, ...change }: StreamRecord, probe: string) => ({
  ...change,
  Keys: { pk: { S: Keys?.pk?.S ?? '' }, sk: { S: `${Keys?.sk?.S ?? ''}${probe}` } },
  // The answer names what is unsent by its number: without one it would look as if all was sent.
  SequenceNumber: '1',
});

const messageIdOf = ({ Keys }: StreamRecord, probe: string): string =>
  `${Keys?.pk?.S ?? ''}/${Keys?.sk?.S ?? ''}${probe}`;

/**
 * @returns whether the relay left nothing unsent
 * @throws {OperatorError} `refused` where it ended with an error
 */
async function invoke(endpoint: Endpoint, FunctionName: string, dynamodb: object): Promise<boolean> {
  const client = new LambdaClient(clientConfig(endpoint));
  try {
    const event = { Records: [{ eventName: 'INSERT', eventSource: 'aws:dynamodb', dynamodb }] };
    const { FunctionError, Payload } = await client.send(
      new InvokeCommand({ FunctionName, Payload: Buffer.from(JSON.stringify(event)) }),
    );
    const answer = JSON.parse(Buffer.from(Payload ?? []).toString('utf8') || 'null') as {
      readonly batchItemFailures?: readonly unknown[];
      readonly errorType?: string;
    } | null;
    if (!FunctionError && answer?.batchItemFailures) return answer.batchItemFailures.length === 0;
    const why = answer?.errorType ?? FunctionError ?? 'no answer';
    throw new OperatorError(
      'refused',
      `The relay ended with an error (${why}); the failure stays. Its log says more: ${FunctionName}`,
    );
  } finally {
    client.destroy();
  }
}

async function addReasons(
  documents: DynamoDBDocumentClient,
  TableName: string,
  { record }: FoundRecord,
  again: ConsumerRecord,
): Promise<void> {
  const failures = [...(again.failures ?? []), ...(record.failures ?? [])].slice(0, MAX_REASONS);
  await onlyWhereFailed(
    documents.send(
      new UpdateCommand({
        TableName,
        Key: { pk: record.pk },
        UpdateExpression: 'SET failures = :failures, failedAt = :at',
        ConditionExpression: '#status = :failed',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':failures': failures, ':at': again.failedAt, ':failed': 'FAILED' },
      }),
    ),
  );
}

/** Somebody else may have ended it meanwhile: then there is nothing left to do here. */
async function onlyWhereFailed(write: Promise<unknown>): Promise<void> {
  await write.catch((error: unknown) => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  });
}

const EXITS = { 'dry-run': Exit.OK, processed: Exit.OK, 'failed-again': Exit.NEEDS_OPERATOR } as const;

function outcome({ listener, messageId }: FoundRecord, result: keyof typeof EXITS, detail: string): Outcome {
  return {
    exitCode: EXITS[result],
    text: `${listener.name} ${messageId}: ${detail}`,
    json: { redrive: { service: listener.service.name, consumer: listener.name, messageId, result, detail } },
  };
}
