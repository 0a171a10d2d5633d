import { ChangeMessageVisibilityCommand, DeleteMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { clock, secondsBetween } from '../aws/clock.js';
import { Env } from '../aws/environment.js';
import { Metric } from '../aws/metric-names.js';
import { consumerSince, dedupeWindow, required, requiredInteger, requiredList } from '../aws/read-environment.js';
import { count, describeError, logger, publishMetrics, seconds } from '../aws/telemetry.js';
import { type Delivery, envelopeOf, readDelivery } from '../failures/delivery.js';
import { isPermanent } from '../failures/failure-kinds.js';
import { FailureRecords } from '../failures/failure-records.js';
import { type TextKeys, withSealedText } from '../failures/reasons.js';
import { aggregateOf, type Envelope, messageIdOf } from '../messages/envelope.js';
import { Contended, type ContendedMessage, type LaneEntrance } from './lane-entrance.js';
import { readFrom, type Source } from './listening.js';
import { processMessage } from './process-message.js';
import { ProcessedRecords } from './process-once.js';

export interface ConsumerOptions {
  /**
   * Tells whether an error is a refusal by the business, which a retry does not change.
   * @default no error is a refusal
   */
  readonly isRefusal?: (error: unknown) => boolean;
  /**
   * Keys of people: `personalKeysOfFunction()`, for a function with `grantDecrypt`. With them, the text of an error that may
   * contain a person's data is sealed for the person whom the message names, and an operator can read it until the person
   * is forgotten.
   * @default such texts are left out of failure records
   */
  readonly people?: TextKeys;
  /**
   * Entrance to a lane, for messages that contend for one key.
   * @default none: every message takes a plain transaction
   */
  readonly lane?: LaneEntrance;
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
  const consumption = new Consumption(sources, options);
  return async (event, context) => {
    try {
      return await consumption.batch(event, context);
    } finally {
      publishMetrics();
    }
  };
}

interface ContendedDelivery extends ContendedMessage {
  readonly delivery: Delivery;
}

class Consumption {
  private readonly sqs = new SQSClient({ useQueueUrlAsEndpoint: false });
  private readonly queue = required(Env.QUEUE_URL);
  private readonly identity = { name: required(Env.CONSUMER), generation: requiredInteger(Env.CONSUMER_GENERATION) };
  private readonly ours = { app: required(Env.APP), window: dedupeWindow(), since: consumerSince() };
  private readonly maxAttempts = requiredInteger(Env.MAX_ATTEMPTS);
  private readonly failures = new FailureRecords(required(Env.RECORDS), this.identity);
  private readonly records = new ProcessedRecords(required(Env.RECORDS), this.identity, this.ours.window);
  private readonly rules = { commanders: requiredList(Env.COMMANDERS), service: required(Env.SERVICE) };

  private readonly isRefusal: (error: unknown) => boolean;
  private readonly lane: LaneEntrance | undefined;
  private readonly people: TextKeys | undefined;
  /** Sources for messages that may change to the lane after lost races. */
  private readonly watched: readonly Source[];

  constructor(
    private readonly sources: readonly Source[],
    { isRefusal = () => false, lane, people }: ConsumerOptions,
  ) {
    this.people = people;
    this.isRefusal = isRefusal;
    this.lane = lane;
    this.watched = lane ? sources.map((source) => lane.watched(source)) : sources;
  }

  async batch({ Records }: SQSEvent, context: Context): Promise<SQSBatchResponse> {
    const hasTime = (): boolean => context.getRemainingTimeInMillis() > RESERVE_MS;
    const deliveries = Records.map((record) => readDelivery(record, this.ours));
    const isSuspect = ({ attempts }: Delivery): boolean => deliveries.length > 1 && attempts > CALM_DELIVERIES;
    const suspects = shuffled(deliveries.filter(isSuspect));
    const done = new Set(
      await this.together(
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
  private async together(deliveries: readonly Delivery[], hasTime: () => boolean): Promise<readonly Delivery[]> {
    const stored = await this.storeHot(deliveries);
    const done: Delivery[] = [...stored];
    await Promise.all(
      this.groupsOf(deliveries.filter((one) => !stored.has(one))).map(async (group) => {
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
    try {
      const sources = mayTakeLane(delivery) ? this.watched : this.sources;
      const outcome = await processMessage(delivery, sources, this.records, this.rules);
      this.log(outcome, envelopeOf(delivery));
      return true;
    } catch (error) {
      if (error instanceof Contended && (await this.store(this.contendedAmong([delivery]))).has(delivery)) return true;
      return this.failed(delivery, error);
    }
  }

  /**
   * Stores messages whose key is hot for the lane. A message that can't be stored takes a plain transaction.
   * @returns the deliveries that are stored, so that the queue may delete them
   */
  private async storeHot(deliveries: readonly Delivery[]): Promise<ReadonlySet<Delivery>> {
    return this.store(this.lane?.hotAmong(this.contendedAmong(deliveries)) ?? []);
  }

  private async store(hot: readonly ContendedDelivery[]): Promise<ReadonlySet<Delivery>> {
    const { lane } = this;
    if (!lane || hot.length === 0) return new Set();
    try {
      const ids = await lane.store(hot);
      const stored = hot.filter(({ message }) => ids.has(messageIdOf(message)));
      for (const { message } of stored)
        logger.info('stored for the lane', { consumer: this.identity.name, ...this.fieldsOf(message) });
      return new Set(stored.map(({ delivery }) => delivery));
    } catch (error) {
      logger.warn('not stored for the lane', describeError(error));
      return new Set();
    }
  }

  /** Returns the deliveries that may take the lane, with the keys that they contend for. */
  private contendedAmong(deliveries: readonly Delivery[]): readonly ContendedDelivery[] {
    return deliveries.flatMap((delivery) => {
      const message = envelopeOf(delivery);
      if (!message || !mayTakeLane(delivery)) return [];
      try {
        const key = this.lane?.keyOf(message, readFrom(this.sources, message, this.rules.commanders).event);
        return key === undefined ? [] : [{ key, message, delivery }];
      } catch {
        // The plain path refuses it, with its reasons.
        return [];
      }
    });
  }

  /**
   * Groups deliveries by the key that they contend for: what their contract or subscription names, or else the aggregate
   * that they are about. A message that cannot be read is a group of its own.
   */
  private groupsOf(deliveries: readonly Delivery[]): readonly (readonly Delivery[])[] {
    const groups = new Map<string, Delivery[]>();
    for (const delivery of deliveries) {
      const message = envelopeOf(delivery);
      const key = message ? (this.sourceOf(message)?.contends(message) ?? message.subject) : delivery.record.messageId;
      groups.set(key, [...(groups.get(key) ?? []), delivery]);
    }
    return [...groups.values()];
  }

  private sourceOf(message: Envelope): Source | undefined {
    return this.sources.find(({ sends }) => sends(message));
  }

  /** @returns whether the queue may delete the message, which is the case once the failure is recorded */
  private async failed(delivery: Delivery, error: unknown): Promise<boolean> {
    const { attempts } = delivery;
    const permanent = isPermanent(error, this.isRefusal);
    const fields = { attempts, permanent, ...describeError(error), ...this.fieldsOf(envelopeOf(delivery)) };
    try {
      if (!permanent && attempts < this.maxAttempts) {
        count(Metric.TRANSIENT_FAILURES);
        logger.warn('will be tried again', fields);
        await this.postpone(delivery);
        return false;
      }
      const outcome = await this.failures.keep(delivery, await this.withText(error, envelopeOf(delivery)));
      if (outcome === 'known') this.log('duplicate', envelopeOf(delivery));
      else {
        if (outcome === 'recorded') count(Metric.CONSUMER_FAILURES);
        logger.error(outcome === 'recorded' ? 'failed' : 'failed again', fields);
      }
      return true;
    } catch (recording) {
      logger.error('the failure could not be recorded', {
        ...describeError(recording),
        ...this.fieldsOf(envelopeOf(delivery)),
      });
      return false;
    }
  }

  private withText(error: unknown, message: Envelope | undefined): Promise<unknown> {
    const person = message && this.sourceOf(message)?.personOf(message);
    return withSealedText(error, { consumer: this.identity.name, person }, this.people);
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

  private log(outcome: 'applied' | 'duplicate', envelope: Envelope | undefined): void {
    if (outcome === 'duplicate') count(Metric.DUPLICATES_SUPPRESSED);
    if (envelope) seconds(Metric.PROCESSING_AGE, Math.max(0, secondsBetween(envelope.time, clock.now())));
    logger.info(outcome, { consumer: this.identity.name, ...this.fieldsOf(envelope) });
  }

  /** Returns the log fields that connect the log lines of one order. */
  private fieldsOf(envelope: Envelope | undefined) {
    if (!envelope) return {};
    return {
      eventId: envelope.id,
      eventType: envelope.type,
      subject: this.subjectToLog(envelope),
      correlationId: envelope.correlationid,
      causationId: envelope.causationid,
      traceparent: envelope.traceparent,
    };
  }

  /**
   * Returns the subject for logs, for example `Order/3f…`. It leaves the id out if the id is a person's, or if that is
   * unknown.
   */
  private subjectToLog(envelope: Envelope): string {
    const source = this.sourceOf(envelope);
    return source && !source.isAboutPerson(envelope) ? envelope.subject : aggregateOf(envelope);
  }
}

/** Fisher-Yates. A message that crashes the function each time is not always the first, so those beside it are processed. */
function shuffled<T>(members: readonly T[]): readonly T[] {
  const all = [...members];
  for (let at = all.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1));
    [all[at], all[other]] = [all[other] as T, all[at] as T];
  }
  return all;
}

/**
 * Tells whether a message may take the lane: not one that has a record, that a lane returned, or that is quarantined. A
 * request in a lane expires with the window of its message, so one of a replayed event might have expired before.
 */
const mayTakeLane = ({ recorded, returned, replayed, tooOld }: Delivery): boolean =>
  !recorded && !returned && !replayed && !tooOld;
