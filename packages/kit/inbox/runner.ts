import { clock, secondsBetween } from '../aws/clock.js';
import { type TransactWriteItem, transact } from '../aws/dynamodb.js';
import { Metric } from '../aws/metric-names.js';
import { count, describeError, logger, seconds } from '../aws/telemetry.js';
import { DeadLettered, isPermanent } from '../failures/failure-kinds.js';
import { readFrom } from '../idempotent-consumer/listening.js';
import { traceOfMessage } from '../idempotent-consumer/process-message.js';
import { type Decide, ProcessedRecords, processOnce } from '../idempotent-consumer/process-once.js';
import { type Envelope, readEnvelope, senderOf } from '../messages/envelope.js';
import type { InboxSettings } from './contract.js';
import type { Finished, InboxSource } from './listening.js';
import { LeaseLost, StoredMessages, type StoredMessagesOptions, type Taken } from './stored-messages.js';
import { LeasedWork, type Work } from './work.js';

export interface RunnerOptions extends StoredMessagesOptions {
  readonly service: string;
  readonly sources: readonly InboxSource[];
  readonly settings: InboxSettings;
  /** Deduplication window, in seconds. */
  readonly windowSeconds: number;
  readonly isRefusal: (error: unknown) => boolean;
}

/** Outcome of a runner at one message, for its log. */
export type Outcome = 'applied' | 'known' | 'parked' | 'unfinished' | 'postponed' | 'failed' | 'lost' | 'not free';

/** Processing half of an inbox: takes a stored message, lets its handler work, and commits the effect with the status. */
export class Runner {
  protected readonly messages: StoredMessages;

  constructor(protected readonly options: RunnerOptions) {
    this.messages = new StoredMessages(options);
  }

  /**
   * Processes one stored message, if it is free.
   * @param pk key of its record
   * @param timeLeft returns the milliseconds until the function's timeout
   * @throws what the SDK throws if the message could not be taken, or its failure could not be recorded. The sweeper hands
   *   the message out again after its lease.
   */
  async run(pk: string, timeLeft: () => number): Promise<void> {
    const taken = await this.messages.take(pk, this.options.settings);
    this.log(taken ? await this.process(taken, timeLeft) : 'not free', pk, taken);
  }

  protected async process(taken: Taken, timeLeft: () => number): Promise<Outcome> {
    const { settings } = this.options;
    // An attempt that ended without a word, by a crash or a timeout, is recorded by the next one.
    if (taken.attempts > settings.attempts)
      return this.failed(taken, new DeadLettered('its function did not finish'), true);
    const work = new LeasedWork(this.messages, taken, settings.leaseSeconds, timeLeft);
    try {
      const envelope = readEnvelope(taken.payload);
      const finished = await this.handle(envelope, work);
      // A renewal at the same time would conflict with the effect.
      await work.stop();
      if ('unfinished' in finished) {
        await this.messages.release(taken);
        return 'unfinished';
      }
      if ('project' in finished) await finished.project();
      const outcome = await this.commit(envelope, taken, 'decide' in finished ? finished.decide : async () => []);
      if (outcome === 'applied')
        seconds(Metric.PROCESSING_AGE, Math.max(0, secondsBetween(envelope.time, clock.now())));
      return outcome;
    } catch (error) {
      await work.stop();
      if (error instanceof LeaseLost) return 'lost';
      return this.failed(
        taken,
        error,
        isPermanent(error, this.options.isRefusal) || taken.attempts >= settings.attempts,
      );
    }
  }

  private async handle(envelope: Envelope, work: Work): Promise<Finished> {
    const { sources, service } = this.options;
    // The receiver has refused commands of services that may not send them.
    const { event, handle } = readFrom(sources, envelope, [senderOf(envelope)]);
    return handle({ envelope, event, trace: traceOfMessage(envelope, service) }, work);
  }

  /** Commits the effect and the final status in one transaction, which the fencing token guards. */
  protected async commit(envelope: Envelope, taken: Taken, decide: Decide): Promise<'applied' | 'lost'> {
    const records = new HeldRecord(this.messages, taken, this.options);
    const outcome = await processOnce(envelope, decide, records, { kind: 'stored', record: taken.pk });
    return outcome === 'applied' ? 'applied' : 'lost';
  }

  private async failed(taken: Taken, error: unknown, forGood: boolean): Promise<Outcome> {
    const fields = { attempts: taken.attempts, permanent: forGood, ...describeError(error) };
    if (!forGood) {
      count(Metric.TRANSIENT_FAILURES);
      logger.warn('will be tried again', { record: taken.pk, ...fields });
      return this.messages.postpone(taken, error, this.options.settings);
    }
    const outcome = await this.messages.fail(taken, error);
    if (outcome === 'lost') return outcome;
    count(Metric.CONSUMER_FAILURES);
    logger.error('failed', { record: taken.pk, ...fields });
    return 'failed';
  }

  /** Ends a message without an effect: its effect happened before. */
  protected async commitNothing(taken: Taken): Promise<void> {
    const expiresAt = clock.epochSeconds() + this.options.windowSeconds;
    await transact([this.messages.processedWrite(taken, expiresAt)]);
    count(Metric.DUPLICATES_SUPPRESSED);
    this.log('known', taken.pk, taken);
  }

  protected log(outcome: Outcome, record: string, taken?: Taken): void {
    logger.info(outcome, { consumer: this.options.consumer.name, record, ...(taken && { attempts: taken.attempts }) });
  }
}

/** The record of a message that a runner holds: its claim is the final status, under the runner's fencing token. */
class HeldRecord extends ProcessedRecords {
  constructor(
    private readonly messages: StoredMessages,
    private readonly taken: Taken,
    private readonly ofInbox: RunnerOptions,
  ) {
    super(ofInbox.table, ofInbox.consumer, ofInbox.windowSeconds);
  }

  override claim({ time }: Envelope): TransactWriteItem {
    // As for any processed record: a message with a future time is recognised for longer.
    const from = Math.max(clock.epochSeconds(), Math.ceil(Date.parse(time) / 1000));
    return this.messages.processedWrite(this.taken, from + this.ofInbox.windowSeconds);
  }
}
