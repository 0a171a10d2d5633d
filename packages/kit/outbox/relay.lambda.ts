import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Context, DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { safeParse } from 'zod/mini';
import { Env } from '../aws/environment.js';
import { Metric } from '../aws/metric-names.js';
import { required, requiredInteger } from '../aws/read-environment.js';
import { count, describeError, logger, publishMetrics } from '../aws/telemetry.js';
import { Unsendable } from '../failures/failure-kinds.js';
import { FailureRecords, relayConsumer } from '../failures/failure-records.js';
import { Commit } from '../messages/commit.js';
import { ContractViolation, faultsOf } from '../messages/contract.js';
import { type BusEntry, busEntries } from '../messages/envelope.js';
import { publish } from './publish.js';

const client = new EventBridgeClient({});
const sender = { app: required(Env.APP), service: required(Env.SERVICE), epoch: requiredInteger(Env.EPOCH) };
const bus = required(Env.BUS);
const failures = new FailureRecords(required(Env.RECORDS), relayConsumer);

/** What Lambda reads of the answer, and what an operator does who sends a failed commit again. */
export interface RelayAnswer extends DynamoDBBatchResponse {
  /** Why commits of this batch can never be sent: one reason an event, as codes. */
  readonly givenUp: readonly string[];
}

/** Kept free at the end of the function's time: for one more pause and call, failure records, the answer, a clock that is slow. */
const RESERVE_MS = 5_000;

/**
 * The outbox's second half (design, section 5): commits from the table's stream onto the bus, at least once.
 *
 * The stream goes on after the last record before the first unsent one; what was sent behind that is sent again, and
 * consumers recognise it. What can never be sent becomes a failure record, so that nothing waits behind it.
 */
export async function handler(event: DynamoDBStreamEvent, context: Context): Promise<RelayAnswer> {
  const givenUp: string[] = [];
  const giveUp = async (record: DynamoDBRecord, error: unknown): Promise<void> => {
    await failures.put(failureOf(record, error));
    givenUp.push(error instanceof Error ? error.message : 'unknown');
    count(Metric.PUBLISH_FAILURES);
  };
  try {
    const entries: { readonly record: number; readonly entry: BusEntry }[] = [];
    for (const [at, record] of event.Records.entries()) {
      try {
        for (const entry of busEntries(commitOf(record), sender)) entries.push({ record: at, entry });
      } catch (error) {
        await giveUp(record, error);
      }
    }
    const outcomes = await publish(
      client,
      bus,
      entries.map(({ entry }) => entry),
      () => context.getRemainingTimeInMillis() > RESERVE_MS,
    );
    let firstUnsent = event.Records.length;
    for (const [place, outcome] of outcomes.entries()) {
      const at = entries[place]?.record ?? 0;
      const record = event.Records[at];
      if (outcome.state === 'unsent') firstUnsent = Math.min(firstUnsent, at);
      if (outcome.state === 'hopeless' && record) await giveUp(record, new Unsendable(outcome.code));
    }
    count(Metric.EVENTS_PUBLISHED, outcomes.filter(({ state }) => state === 'sent').length);
    const itemIdentifier = event.Records[firstUnsent]?.dynamodb?.SequenceNumber;
    if (itemIdentifier) logger.warn('not all could be sent in time', { unsent: event.Records.length - firstUnsent });
    return { batchItemFailures: itemIdentifier ? [{ itemIdentifier }] : [], givenUp };
  } catch (error) {
    logger.error('nothing can be published', describeError(error));
    throw error;
  } finally {
    publishMetrics();
  }
}

/** @throws {ContractViolation} where the image isn't a commit */
function commitOf({ dynamodb }: DynamoDBRecord): Commit {
  const image = dynamodb?.NewImage;
  if (!image) throw new ContractViolation('INVALID_ENVELOPE', 'the stream record has no new image');
  const commit = safeParse(Commit, unmarshall(image as Record<string, AttributeValue>));
  if (!commit.success) throw new ContractViolation('INVALID_ENVELOPE', faultsOf(commit.error));
  return commit.data;
}

const failureOf = (record: DynamoDBRecord, error: unknown) => {
  const { pk, sk } = record.dynamodb?.Keys ?? {};
  return { id: `${pk?.S ?? ''}/${sk?.S ?? ''}`, payload: JSON.stringify(record.dynamodb ?? null), error };
};
