import { ChangeMessageVisibilityCommand, DeleteMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { Env } from '../aws/environment.js';
import { Metric } from '../aws/metric-names.js';
import {
  readConsumerSince,
  readDedupeWindow,
  requireEnv,
  requireIntegerEnv,
  requireListEnv,
} from '../aws/read-environment.js';
import { count, describeError, logger, publishMetrics } from '../aws/telemetry.js';
import { type Delivery, envelopeOf, readDelivery } from '../failures/delivery.js';
import { isPermanent } from '../failures/failure-kinds.js';
import { type TextKeys, withSealedText } from '../failures/failure-reasons.js';
import { FailureRecords } from '../failures/failure-records.js';
import { type Attempt, startAttempt } from '../messages/attempt.js';
import type { LaneEntrance, OpenEntrance } from './lane-entrance.js';
import { MessageLog } from './message-log.js';
import { type Source, sourceFor } from './message-source.js';
import { processMessage } from './process-message.js';
import { ProcessedRecords } from './process-once.js';

export interface ConsumerOptions {
  /**
   * Tells whether an error is a refusal by the business, which a retry does not change.
   * @default no error is a refusal
   */
  readonly isRefusal?: (error: unknown) => boolean;
  /**
   * Keys of people: `personalKeysFromEnvironment()`, for a function with `grantDecrypt`. With them, the text of an error that may
   * contain a person's data is sealed for the person whom the message names, and an operator can read it until the person
   * is forgotten.
   * @default such texts are left out of failure records
   */
  readonly personalKeys?: TextKeys;
  /**
   * Entrance to a lane, for messages that contend for one key: `createLaneEntrance` of `@orderly/kit/lane`.
   * @default none: every message takes a plain transaction
   */
  readonly lane?: OpenEntrance;
}

/**
 * Milliseconds kept free before the function's timeout. The consumer starts no message in this time. Lost races alone
 * take up to 0.6 s of pauses.
 */
const RESERVE_MS = 5_000;
/**
 * Deliveries of a message that may come together with others. One that comes more often may have crashed the function, and all
 * messages of its batch with it.
 */
const CALM_DELIVERIES = 2;
const BACKOFF_BASE_SECONDS = 2;
/**
 * Longest pause before a retry, in seconds. SQS allows 12 hours, but a message that waits longer than this looks lost.
 */
const BACKOFF_CAP_SECONDS = 900;

/**
 * Creates an idempotent consumer: the handler of an SQS queue that an EventBridge rule fills.
 *
 * - Each message has at most one effect (G3), although the queue delivers at least once.
 * - A message that is too old for deduplication is quarantined (G4).
 * - A message that cannot be processed becomes a failure record with its reasons (G5).
 *
 * Messages that contend for one key are processed one after the other, other messages in parallel. The key is the one that
 * their contract or subscription names, or else their aggregate. A failure does not affect
 * other messages. A message that may have crashed the function before is processed after the others, and alone:
 *
 *     batch of a, b, c, d; a and b come for the third time
 *     c and d in parallel -> deleted
 *     b                   -> deleted
 *     a                   -> crashes the function: only a comes again
 * @example
 * export const handler = consumer([
 *   on(orderEnds, {
 *     OrderApproved: ({ event, trace }) => ({ decide: () => ship(event.data.orderId, trace) }),
 *     OrderCancelled: ({ event, trace }) => ({ decide: () => release(event.data.orderId, trace) }),
 *   }),
 * ]);
 * @param sources subscriptions with their handlers: `[on(subscription, handlers), ...]`
 * @throws {SettingMissing} at start, if the construct did not set a setting that it needs
 */
export function consumer(
  sources: readonly Source[],
  options: ConsumerOptions = {},
): (event: SQSEvent, context: Context) => Promise<SQSBatchResponse> {
  const consumption = new MessageProcessor(sources, options);
  return async (event, context) => {
    try {
      return await consumption.processBatch(event, context);
    } finally {
      publishMetrics();
    }
  };
}

const NONE: ReadonlySet<Delivery> = new Set();

class MessageProcessor {
  private readonly sqs = new SQSClient({ useQueueUrlAsEndpoint: false });
  private readonly queue = requireEnv(Env.QUEUE_URL);
  private readonly identity = {
    name: requireEnv(Env.CONSUMER),
    generation: requireIntegerEnv(Env.CONSUMER_GENERATION),
  };
  private readonly deliveryRules = { app: requireEnv(Env.APP), window: readDedupeWindow(), since: readConsumerSince() };
  private readonly maxAttempts = requireIntegerEnv(Env.MAX_ATTEMPTS);
  private readonly failures = new FailureRecords(requireEnv(Env.RECORDS), this.identity);
  private readonly records = new ProcessedRecords(requireEnv(Env.RECORDS), this.identity, this.deliveryRules.window);
  private readonly rules = { commanders: requireListEnv(Env.COMMANDERS), service: requireEnv(Env.SERVICE) };

  private readonly isRefusal: (error: unknown) => boolean;
  private readonly lane: LaneEntrance | undefined;
  private readonly personalKeys: TextKeys | undefined;
  private readonly log: MessageLog;

  constructor(
    private readonly sources: readonly Source[],
    { isRefusal = () => false, lane, personalKeys }: ConsumerOptions,
  ) {
    this.personalKeys = personalKeys;
    this.isRefusal = isRefusal;
    this.log = new MessageLog(this.identity.name, sources);
    this.lane = lane?.({ sources, commanders: this.rules.commanders, log: this.log });
  }

  async processBatch({ Records }: SQSEvent, context: Context): Promise<SQSBatchResponse> {
    const hasTime = (): boolean => context.getRemainingTimeInMillis() > RESERVE_MS;
    const deliveries = Records.map((record) => readDelivery(record, this.deliveryRules));
    const isSuspect = ({ attempts }: Delivery): boolean => deliveries.length > 1 && attempts > CALM_DELIVERIES;
    const suspects = shuffle(deliveries.filter(isSuspect));
    const done = new Set(
      await this.processConcurrently(
        deliveries.filter((delivery) => !isSuspect(delivery)),
        hasTime,
      ),
    );
    if (suspects.length > 0) await this.acknowledge([...done]);
    for (const suspect of suspects) {
      if (!hasTime() || !(await this.handle(suspect))) continue;
      done.add(suspect);
      await this.acknowledge([suspect]);
    }
    const unfinished = deliveries.filter((delivery) => !done.has(delivery));
    return { batchItemFailures: unfinished.map(({ record }) => ({ itemIdentifier: record.messageId })) };
  }

  /** @returns the deliveries that the queue may delete */
  private async processConcurrently(
    deliveries: readonly Delivery[],
    hasTime: () => boolean,
  ): Promise<readonly Delivery[]> {
    const stored = (await this.lane?.storeHot(deliveries)) ?? NONE;
    const done: Delivery[] = [...stored];
    await Promise.all(
      this.groupByKey(deliveries.filter((one) => !stored.has(one))).map(async (group) => {
        for (const delivery of group) if (hasTime() && (await this.handle(delivery))) done.push(delivery);
      }),
    );
    return done;
  }

  /** Deletes messages from the queue before the batch ends, so that a crash does not bring them back. */
  private async acknowledge(deliveries: readonly Delivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    const Entries = deliveries.map(({ record }, at) => ({ Id: String(at), ReceiptHandle: record.receiptHandle }));
    try {
      await this.sqs.send(new DeleteMessageBatchCommand({ QueueUrl: this.queue, Entries }));
    } catch (error) {
      // Lambda deletes them at the end of the batch, or they come again and are recognised.
      logger.warn('not deleted before the end of the batch', describeError(error));
    }
  }

  /** @returns whether the queue may delete the message */
  private async handle(delivery: Delivery): Promise<boolean> {
    const { attempts, message } = delivery;
    const attempt =
      process.env.KIT_TRACES === 'on'
        ? startAttempt('process', envelopeOf(delivery), { consumer: this.identity.name, attempt: attempts })
        : undefined;
    try {
      const sources = this.lane?.sourcesFor(delivery) ?? this.sources;
      const taken = { ...delivery, message: attempt?.message ?? message };
      const outcome = await processMessage(taken, sources, this.records, this.rules);
      attempt?.end(outcome);
      this.log.done(outcome, delivery);
      return true;
    } catch (error) {
      if (await this.lane?.storeAfter(error, delivery)) {
        attempt?.end('stored for the lane');
        return true;
      }
      return this.handleFailure(delivery, error, attempt);
    }
  }

  /**
   * Groups deliveries by the key that they contend for: what their contract or subscription names, or else the aggregate
   * that they are about. A message that cannot be read is a group of its own.
   */
  private groupByKey(deliveries: readonly Delivery[]): readonly (readonly Delivery[])[] {
    const groups = new Map<string, Delivery[]>();
    for (const delivery of deliveries) {
      const message = envelopeOf(delivery);
      const key = message
        ? (sourceFor(this.sources, message)?.contentionKeyOf(message) ?? message.subject)
        : delivery.record.messageId;
      groups.set(key, [...(groups.get(key) ?? []), delivery]);
    }
    return [...groups.values()];
  }

  /** @returns whether the queue may delete the message, which is the case once the failure is recorded */
  private async handleFailure(delivery: Delivery, error: unknown, attempt?: Attempt): Promise<boolean> {
    const { attempts } = delivery;
    const message = envelopeOf(delivery);
    const permanent = isPermanent(error, this.isRefusal);
    const fields = { ...this.log.fields(delivery), attempts, permanent, ...describeError(error) };
    try {
      if (!permanent && attempts < this.maxAttempts) {
        count(Metric.TRANSIENT_FAILURES);
        logger.warn('retrying', fields);
        attempt?.end('retrying', { error: fields.name });
        await this.postpone(delivery);
        return false;
      }
      const person = message && sourceFor(this.sources, message)?.personOf(message);
      const reason = await withSealedText(error, { consumer: this.identity.name, person }, this.personalKeys);
      const outcome = await this.failures.record(delivery, reason);
      if (outcome === 'known') {
        attempt?.end('duplicate');
        this.log.done('duplicate', delivery);
      } else {
        attempt?.end(permanent ? 'refused' : 'failed', { error: fields.name });
        if (outcome === 'recorded') count(Metric.CONSUMER_FAILURES);
        logger.error(outcome === 'recorded' ? 'failed' : 'failed again', fields);
      }
      return true;
    } catch (recording) {
      logger.error('the failure could not be recorded', {
        ...describeError(recording),
        ...this.log.fields(delivery),
      });
      return false;
    }
  }

  /**
   * Delays the next delivery by the message's own visibility timeout, with exponential backoff and full jitter. No
   * other message waits for it.
   */
  private async postpone({ record: { receiptHandle }, attempts }: Delivery): Promise<void> {
    const limit = Math.min(BACKOFF_CAP_SECONDS, BACKOFF_BASE_SECONDS * 2 ** (attempts - 1));
    await this.sqs.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: this.queue,
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: 1 + Math.floor(Math.random() * limit),
      }),
    );
  }
}

/** Fisher-Yates. A message that crashes the function each time is not always the first, so those beside it are processed. */
function shuffle<T>(members: readonly T[]): readonly T[] {
  const all = [...members];
  for (let at = all.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1));
    [all[at], all[other]] = [all[other] as T, all[at] as T];
  }
  return all;
}
