import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Context, DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { safeParse } from 'zod/mini';
import { Env } from '../aws/environment.js';
import { Metric } from '../aws/metric-names.js';
import { requireEnv, requireListEnv } from '../aws/read-environment.js';
import { SafeText } from '../aws/safe-error.js';
import { count, describeError, logAndSanitize, logger, publishMetrics } from '../aws/telemetry.js';
import { Unsendable } from '../failures/failure-kinds.js';
import { FailureRecords, relayConsumer } from '../failures/failure-records.js';
import { Commit } from '../messages/commit.js';
import { ContractViolation, formatIssues } from '../messages/contract.js';
import { type BusEntry, type Sender, toBusEntries } from '../messages/envelope.js';
import { publish } from './publish.js';
import { type TracedEntry, toTracedEntries } from './publish-spans.js';

const client = new EventBridgeClient({});
const sender: Sender = {
  app: requireEnv(Env.APP),
  service: requireEnv(Env.SERVICE),
  // A construct of 0.3.0 doesn't set it.
  offBus: process.env[Env.OFF_BUS] === undefined ? [] : requireListEnv(Env.OFF_BUS),
};
const bus = requireEnv(Env.BUS);
const failures = new FailureRecords(requireEnv(Env.RECORDS), relayConsumer);

/** Answer of the relay. Lambda reads it, and so does an operator who redrives a failed commit. */
export interface RelayAnswer extends DynamoDBBatchResponse {
  /** Reasons why commits of this batch can never be published: one for each event, as codes. */
  readonly givenUp: readonly string[];
}

/**
 * Milliseconds kept free before the function's timeout: for one more pause and call, failure records, the answer, and a
 * slow clock.
 */
const RESERVE_MS = 5_000;

/**
 * Relay of the transactional outbox (design, section 5): publishes commits from the table's stream on the bus, at least
 * once.
 *
 * The stream continues after the last record before the first unsent one. So messages behind that record are sent
 * again, and consumers deduplicate them. A commit that can never be published becomes a failure record, so that it does
 * not block the stream.
 */
export async function handler(event: DynamoDBStreamEvent, context: Context): Promise<RelayAnswer> {
  const givenUp: string[] = [];
  const giveUp = async (record: DynamoDBRecord, error: unknown): Promise<void> => {
    await failures.put(toFailure(record, error));
    const { name, text = name } = describeError(error);
    givenUp.push(text);
    count(Metric.PUBLISH_FAILURES);
  };
  try {
    const entries: { readonly record: number; readonly entry: BusEntry; readonly end?: TracedEntry['end'] }[] = [];
    for (const [at, record] of event.Records.entries()) {
      try {
        const commit = parseCommit(record);
        if (process.env.KIT_TRACES === 'on')
          for (const traced of toTracedEntries(commit, sender)) entries.push({ record: at, ...traced });
        else for (const entry of toBusEntries(commit, sender)) entries.push({ record: at, entry });
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
      if (process.env.KIT_TRACES === 'on') entries[place]?.end?.(bus, outcome);
      if (outcome.state === 'unsent') firstUnsent = Math.min(firstUnsent, at);
      if (outcome.state === 'hopeless' && record) await giveUp(record, new Unsendable(SafeText.trusted(outcome.code)));
    }
    const unsent = outcomes.filter((outcome) => outcome.state === 'unsent');
    if (unsent.length > 0) count(Metric.EVENTS_UNSENT, unsent.length);
    const itemIdentifier = event.Records[firstUnsent]?.dynamodb?.SequenceNumber;
    if (itemIdentifier) {
      const name = unsent.flatMap(({ code }) => code ?? [])[0];
      const left = event.Records.length - firstUnsent;
      logger.warn('some entries were not sent in time', { unsent: left, ...(name !== undefined && { name }) });
    }
    return { batchItemFailures: itemIdentifier ? [{ itemIdentifier }] : [], givenUp };
  } catch (error) {
    count(Metric.EVENTS_UNSENT, event.Records.length);
    throw logAndSanitize('publish failed', error);
  } finally {
    publishMetrics();
  }
}

/** @throws {ContractViolation} if the image is not a commit */
function parseCommit({ dynamodb }: DynamoDBRecord): Commit {
  const image = dynamodb?.NewImage;
  if (!image) throw new ContractViolation('INVALID_ENVELOPE', 'the stream record has no new image');
  const commit = safeParse(Commit, unmarshall(image as Record<string, AttributeValue>));
  if (!commit.success) throw new ContractViolation('INVALID_ENVELOPE', formatIssues(commit.error));
  return commit.data;
}

const toFailure = (record: DynamoDBRecord, error: unknown) => {
  const { pk, sk } = record.dynamodb?.Keys ?? {};
  return { id: `${pk?.S ?? ''}/${sk?.S ?? ''}`, payload: JSON.stringify(record.dynamodb ?? null), error };
};
