import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { type MessageAttributeValue, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Context, DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { SQS_BATCH, splitIntoBatches, utf8Bytes } from '../aws/batches.js';
import { Env } from '../aws/environment.js';
import { Metric } from '../aws/metric-names.js';
import { readDedupeWindow, requireEnv } from '../aws/read-environment.js';
import { count, describeError, logAndSanitize, logger, publishMetrics } from '../aws/telemetry.js';
import { WriteConflict } from '../aws/write-conflict.js';
import { RETURNED } from '../failures/delivery.js';
import { FailureRecords } from '../failures/failure-records.js';
import { type Attempt, startAttempt } from '../messages/attempt.js';
import { messageGroupOf, messageIdOf } from '../messages/envelope.js';
import { ageField, logMessage, messageFields } from '../messages/message-line.js';
import type { Lane } from './lane.js';
import { type StoredRequest, tryReadRequest } from './request-item.js';
import { decideRound } from './round.js';
import { splitIntoRounds } from './rounds.js';

/** Milliseconds kept free before the function's timeout. The writer begins no round in this time. */
const RESERVE_MS = 5_000;
const RETURNED_ATTRIBUTE: Readonly<Record<string, MessageAttributeValue>> = {
  [RETURNED]: { DataType: 'String', StringValue: 'lane' },
};

/**
 * Creates the writer of a lane: the handler of the stream of the service's table. It decides requests key by key, at most
 * 30 in one transaction. The requests of one key usually come from one shard, so they have one writer at a time. This makes
 * lost races rare. Correctness doesn't depend on it: where DynamoDB has divided the key's items, two writers can meet, and one
 * loses the race.
 *
 * Each request ends here once: decided with its record, recognised as a duplicate, or returned to its consumer's queue,
 * which processes it by a plain transaction and records its failure if it has one.
 * @example
 * export const handler = laneWriter(seatLane);
 * @throws {SettingMissing} at start, if the construct did not set a setting that it needs
 */
export function laneWriter(
  lane: Lane,
): (event: DynamoDBStreamEvent, context: Pick<Context, 'getRemainingTimeInMillis'>) => Promise<DynamoDBBatchResponse> {
  const writer = new LaneWriter(lane);
  return async (event, context) => {
    try {
      return await writer.processBatch(event, () => context.getRemainingTimeInMillis() > RESERVE_MS);
    } catch (error) {
      throw logAndSanitize('requests can not be decided', error);
    } finally {
      publishMetrics();
    }
  };
}

class LaneWriter {
  private readonly sqs = new SQSClient({ useQueueUrlAsEndpoint: false });
  private readonly queues = queuesFromEnvironment();
  private readonly records = requireEnv(Env.RECORDS);
  private readonly settings;

  constructor(lane: Lane) {
    this.settings = {
      lane,
      records: this.records,
      windowSeconds: readDedupeWindow(),
      service: requireEnv(Env.SERVICE),
    };
  }

  /**
   * Decides a batch. The stream continues with the first request that is not done. Requests behind it come again and are
   * recognised.
   * @throws the first failure that is not a lost race, after all keys were tried. The stream then divides the batch.
   */
  async processBatch({ Records }: DynamoDBStreamEvent, hasTimeLeft: () => boolean): Promise<DynamoDBBatchResponse> {
    const requests = await Promise.all(Records.map((record) => this.readOrRecordFailure(record)));
    const byLane = new Map<string, StoredRequest[]>();
    for (const request of requests) {
      if (request) byLane.set(request.pk, [...(byLane.get(request.pk) ?? []), request]);
    }
    const done = new Set<string>();
    const failures: unknown[] = [];
    await Promise.all(
      [...byLane.values()].map((lane) =>
        this.decideRounds(lane, done, hasTimeLeft).catch((error: unknown) => void failures.push(error)),
      ),
    );
    const failure = failures.find((error) => !(error instanceof WriteConflict));
    if (failure !== undefined) throw failure;
    const first = requests.findIndex((request) => request && !done.has(messageIdOf(request.message)));
    const itemIdentifier = Records[first]?.dynamodb?.SequenceNumber;
    if (itemIdentifier === undefined) return { batchItemFailures: [] };
    logger.warn('not all requests are decided', { left: Records.length - first });
    return { batchItemFailures: [{ itemIdentifier }] };
  }

  /** Decides the requests of one key, round by round. @param done gets the ids of the messages that need nothing more */
  private async decideRounds(
    lane: readonly StoredRequest[],
    done: Set<string>,
    hasTimeLeft: () => boolean,
  ): Promise<void> {
    for (const round of splitIntoRounds(lane)) {
      if (!hasTimeLeft()) return;
      const { decided, duplicates, alone } = await decideRound(round, this.settings);
      for (const request of decided) log('applied', request);
      for (const request of duplicates) log('duplicate', request);
      const returned = await this.returnToQueues(alone);
      for (const { message } of [...decided, ...duplicates, ...returned]) done.add(messageIdOf(message));
    }
  }

  /**
   * Returns requests to their consumer's queue, at least once. Their mark keeps them out of the lane, which would not see
   * them again.
   * @returns the requests that the queue accepted
   */
  private async returnToQueues(requests: readonly StoredRequest[]): Promise<readonly StoredRequest[]> {
    const accepted: StoredRequest[] = [];
    for (const [consumer, QueueUrl] of this.queues) {
      const own = requests.filter((request) => request.consumer.name === consumer);
      accepted.push(...(await this.send(QueueUrl, own)));
    }
    return accepted;
  }

  private async send(QueueUrl: string, requests: readonly StoredRequest[]): Promise<readonly StoredRequest[]> {
    const accepted: StoredRequest[] = [];
    for (const chunk of splitIntoBatches(requests, messageBytes, SQS_BATCH)) {
      const { Successful = [] } = await this.sqs.send(
        new SendMessageBatchCommand({
          QueueUrl,
          Entries: chunk.map(({ payload, message: { actor, onbehalfof } }, at) => ({
            Id: String(at),
            MessageBody: payload,
            MessageGroupId: messageGroupOf(actor, onbehalfof),
            MessageAttributes: RETURNED_ATTRIBUTE,
          })),
        }),
      );
      for (const { Id } of Successful) {
        const request = chunk[Number(Id)];
        if (!request) continue;
        log('returned to the queue', request);
        accepted.push(request);
      }
    }
    return accepted;
  }

  /** Reads the request of a record. One that can't be read becomes a failure record, so that nothing waits behind it. */
  private async readOrRecordFailure({ dynamodb }: DynamoDBRecord): Promise<StoredRequest | undefined> {
    const request = tryReadRequest(unmarshall((dynamodb?.NewImage ?? {}) as Record<string, AttributeValue>));
    if (!('failure' in request)) return process.env.KIT_TRACES === 'on' ? traced(request) : request;
    const { consumer, failure } = request;
    // A request that names no consumer of this lane is recorded by one of them: no other function may write its record here.
    const [first] = [...this.queues.keys()];
    const owner = consumer && this.queues.has(consumer.name) ? consumer : { name: first ?? '', generation: 0 };
    const outcome = await new FailureRecords(this.records, owner).put(failure);
    if (outcome === 'recorded') count(Metric.CONSUMER_FAILURES);
    logger.error('a request can not be read', { outcome, ...describeError(failure.error) });
    return undefined;
  }
}

/** Size of a returned message: its body, and the name, type and value of its mark. */
const messageBytes = ({ payload }: StoredRequest): number => utf8Bytes(payload) + utf8Bytes(`${RETURNED}Stringlane`);

/** Returns the URLs of the consumers' queues, by the consumers' names. */
const queuesFromEnvironment = (): ReadonlyMap<string, string> =>
  new Map(Object.entries(JSON.parse(requireEnv(Env.LANE_QUEUES)) as Readonly<Record<string, string>>));

/** Attempts at requests that are traced. */
const attempts = new WeakMap<StoredRequest, Attempt>();

/** Begins the span of a request. Its decision is a child of it. */
function traced(request: StoredRequest): StoredRequest {
  const attempt = startAttempt('process', request.message, { consumer: request.consumer.name });
  if (!attempt) return request;
  const own = { ...request, message: attempt.message };
  attempts.set(own, attempt);
  return own;
}

function log(outcome: 'applied' | 'duplicate' | 'returned to the queue', request: StoredRequest): void {
  const { consumer, message } = request;
  if (process.env.KIT_TRACES === 'on') attempts.get(request)?.end(outcome);
  if (outcome === 'duplicate') count(Metric.DUPLICATES_SUPPRESSED);
  const age = outcome === 'applied' ? ageField(message) : {};
  logMessage(outcome, { consumer: consumer.name, ...messageFields(message, true), ...age });
}
