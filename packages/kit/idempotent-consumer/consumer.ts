import { ChangeMessageVisibilityCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { clock, secondsBetween } from '../aws/clock.js';
import { Env } from '../aws/environment.js';
import { required, requiredInteger } from '../aws/read-environment.js';
import { count, describeError, logger, publishMetrics, seconds } from '../aws/telemetry.js';
import { isPermanent, tooOldBy } from '../failures/failure-kinds.js';
import { FailureRecords, idOfBody } from '../failures/failure-records.js';
import { redriveOf } from '../failures/redrive.js';
import { storedOf } from '../failures/stored.js';
import type { EventOf, ServiceContract } from '../messages/contract.js';
import { aggregateOf, type Envelope, readEnvelope } from '../messages/envelope.js';
import { from, type Listening, readFrom, type Source } from './listening.js';
import { ProcessedRecords, processOnce, type Recorded } from './process-once.js';

export type ConsumerOptions<C extends ServiceContract, Types extends EventOf<C>['type']> = {
  /** A refusal by the business: trying again won't change it. @default none is */
  readonly isRefusal?: (error: unknown) => boolean;
} & (
  | Listening<C, Types>
  | {
      /** Of a consumer that hears more than one contract's messages. */
      readonly sources: readonly Source[];
    }
);

/** No message is begun in the last seconds of the function's time: lost races take up to 0.6 s of pauses. */
const RESERVE_MS = 5_000;
const BACKOFF_BASE_SECONDS = 2;
/** SQS allows 12 hours; a message that waits longer than this looks lost. */
const BACKOFF_CAP_SECONDS = 900;

/**
 * A function behind an SQS queue that an EventBridge rule fills: each event has at most one effect (G3), what is too
 * old for that is quarantined (G4), and what can't be processed becomes a failure record with its reasons (G5).
 *
 * Messages about one aggregate are handled one after the other, others side by side; a failure harms no other message.
 * @throws {SettingMissing} at start, where the construct didn't set what it needs
 */
export function consumer<C extends ServiceContract, Types extends EventOf<C>['type']>(
  options: ConsumerOptions<C, Types>,
): (event: SQSEvent, context: Context) => Promise<SQSBatchResponse> {
  const consumption = new Consumption(options);
  return async (event, context) => {
    try {
      return await consumption.batch(event, context);
    } finally {
      publishMetrics();
    }
  };
}

class Consumption<C extends ServiceContract, Types extends EventOf<C>['type']> {
  private readonly sqs = new SQSClient({ useQueueUrlAsEndpoint: false });
  private readonly queue = required(Env.QUEUE_URL);
  private readonly identity = { name: required(Env.CONSUMER), generation: requiredInteger(Env.CONSUMER_GENERATION) };
  private readonly window = requiredInteger(Env.DEDUPE_WINDOW_SECONDS);
  private readonly maxAttempts = requiredInteger(Env.MAX_ATTEMPTS);
  private readonly records = new ProcessedRecords(required(Env.RECORDS), this.identity, this.window);
  private readonly failures = new FailureRecords(required(Env.RECORDS), this.identity);
  private readonly commanders: readonly string[] = JSON.parse(required(Env.COMMANDERS));
  private readonly actor = `service:${required(Env.SERVICE)}`;

  private readonly sources: readonly Source[];
  private readonly isRefusal: (error: unknown) => boolean;

  constructor(options: ConsumerOptions<C, Types>) {
    this.sources = 'sources' in options ? options.sources : [from(options)];
    this.isRefusal = options.isRefusal ?? (() => false);
  }

  async batch({ Records }: SQSEvent, context: Context): Promise<SQSBatchResponse> {
    const unfinished: string[] = [];
    await Promise.all(
      [...groupedBySubject(Records).values()].map(async (records) => {
        for (const record of records) {
          const hasTime = context.getRemainingTimeInMillis() > RESERVE_MS;
          if (!hasTime || !(await this.handle(record))) unfinished.push(record.messageId);
        }
      }),
    );
    return { batchItemFailures: unfinished.map((itemIdentifier) => ({ itemIdentifier })) };
  }

  /** @returns whether the queue may forget the message */
  private async handle(record: SQSRecord): Promise<boolean> {
    let envelope: Envelope | undefined;
    try {
      envelope = readEnvelope(record.body);
      const outcome = await this.process(envelope, redriveOf(record) ?? storedOf(record));
      this.log(outcome, envelope);
      return true;
    } catch (error) {
      return this.failed(record, envelope, error);
    }
  }

  private async process(envelope: Envelope, recorded: Recorded | undefined): Promise<'applied' | 'duplicate'> {
    const { event, handle } = readFrom(this.sources, envelope, this.commanders);
    const trace = {
      trigger: envelope.id,
      actor: this.actor,
      onBehalfOf: envelope.onbehalfof ?? envelope.actor,
      correlationId: envelope.correlationid,
      traceparent: envelope.traceparent,
    };
    const handling = handle({ envelope, event, trace });
    if ('project' in handling) {
      if (!recorded) return handling.project();
      return processOnce(envelope, () => handling.project().then(() => []), this.records, recorded);
    }
    const tooOld = tooOldBy(envelope, this.window);
    if (tooOld && !recorded) throw tooOld;
    return processOnce(envelope, handling.decide, this.records, recorded);
  }

  private async failed(record: SQSRecord, envelope: Envelope | undefined, error: unknown): Promise<boolean> {
    const attempts = Number(record.attributes.ApproximateReceiveCount);
    const permanent = isPermanent(error, this.isRefusal);
    try {
      if (!permanent && attempts < this.maxAttempts) {
        count('TransientFailures');
        logger.warn('will be tried again', { attempts, ...describeError(error), ...this.fieldsOf(envelope) });
        await this.putOff(record, attempts);
        return false;
      }
      const id = envelope?.id ?? idOfBody(record.body);
      if (redriveOf(record)) {
        await this.failures.failedAgain(id, error);
        logger.error('failed again', { attempts, permanent, ...describeError(error), ...this.fieldsOf(envelope) });
        return true;
      }
      const stored = storedOf(record);
      const failure = {
        id,
        payload: record.body,
        error,
        attempts,
        ...(envelope ? { type: envelope.type, subject: envelope.subject, correlationId: envelope.correlationid } : {}),
        // Whatever is wrong with it now, it may have been done when its record was still there.
        ...(envelope && tooOldBy(envelope, this.window) ? { unknown: true } : {}),
      };
      const outcome = await (stored ? this.failures.end(stored, failure) : this.failures.put(failure));
      // A record that stood there already: done, or kept as failed, by another delivery.
      if (outcome === 'known') this.log('duplicate', envelope);
      else {
        count('ConsumerFailures');
        logger.error('failed', { attempts, permanent, ...describeError(error), ...this.fieldsOf(envelope) });
      }
      return true;
    } catch (recording) {
      logger.error('the failure could not be recorded', { ...describeError(recording), ...this.fieldsOf(envelope) });
      return false;
    }
  }

  /** Exponential backoff with full jitter, by the message's own visibility: nothing else waits for it. */
  private async putOff({ receiptHandle }: SQSRecord, attempts: number): Promise<void> {
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
    if (outcome === 'duplicate') count('DuplicatesSuppressed');
    if (envelope) seconds('ProcessingAge', Math.max(0, secondsBetween(envelope.time, clock.now())));
    logger.info(outcome, { consumer: this.identity.name, ...this.fieldsOf(envelope) });
  }

  /** What ties the log lines of one order together. */
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

  /** `Order/3f…`; without the id where it is a person's, or where nobody knows whether it is. */
  private subjectToLog(envelope: Envelope): string {
    const source = this.sources.find(({ sends }) => sends(envelope));
    return source && !source.isAboutPerson(envelope) ? envelope.subject : aggregateOf(envelope);
  }
}

function groupedBySubject(records: readonly SQSRecord[]): ReadonlyMap<string, readonly SQSRecord[]> {
  const groups = new Map<string, SQSRecord[]>();
  for (const record of records) {
    const subject = subjectOf(record);
    groups.set(subject, [...(groups.get(subject) ?? []), record]);
  }
  return groups;
}

/** Which aggregate a message is about, as far as that can be read; what can't is on its own. */
function subjectOf(record: SQSRecord): string {
  try {
    return readEnvelope(record.body).subject;
  } catch {
    return record.messageId;
  }
}
