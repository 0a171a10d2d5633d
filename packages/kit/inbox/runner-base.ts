import { clock } from '../aws/clock.js';
import type { DedupeWindow } from '../aws/dedupe-window.js';
import type { TransactWriteItem } from '../aws/dynamodb.js';
import { Metric } from '../aws/metric-names.js';
import { safeText } from '../aws/safe-error.js';
import { count, describeError, logger } from '../aws/telemetry.js';
import { DeadLettered, isPermanent } from '../failures/failure-kinds.js';
import { type TextKeys, withSealedText } from '../failures/reasons.js';
import { personOf, type Source } from '../idempotent-consumer/listening.js';
import { type Decide, ProcessedRecords, processOnce } from '../idempotent-consumer/process-once.js';
import type { HandOut } from '../timers/contract.js';
import { pauseAfter } from './backoff.js';
import type { InboxSettings } from './contract.js';
import { handOutLater } from './delayed-hand-out.js';
import { LeaseLost, type StoredMessages, type StoredMessagesOptions, type Taken } from './stored-messages.js';

export interface RunnerBaseOptions extends StoredMessagesOptions {
  readonly service: string;
  readonly settings: InboxSettings;
  /** URL of the runners' own queue. */
  readonly queue: string;
  /** Deduplication window, in seconds. */
  readonly windowSeconds: DedupeWindow;
  readonly isRefusal: (error: unknown) => boolean;
  readonly sources: readonly Source<unknown>[];
  /** Keys of people, to seal texts of errors. */
  readonly people?: TextKeys | undefined;
}

/** Outcome of a runner at one record, for its log. */
export type Outcome = 'applied' | 'known' | 'parked' | 'unfinished' | 'postponed' | 'failed' | 'lost' | 'not free';

/** Base of the runners of all modes: it records failures, and commits under the fencing token. */
export abstract class RunnerBase {
  protected abstract readonly messages: StoredMessages;

  constructor(protected readonly options: RunnerBaseOptions) {}

  /**
   * Processes what was handed out.
   * @param timeLeft returns the milliseconds until the function's timeout
   * @throws what the SDK throws if a record could not be taken, or its failure could not be recorded. The sweeper hands it
   *   out again after its lease.
   */
  abstract runAll(handOuts: readonly HandOut[], timeLeft: () => number): Promise<void>;

  /**
   * Works on what this runner holds, and records the failure.
   * @param taken whose attempts decide whether it is tried again
   */
  protected async guarded(taken: Taken, work: () => Promise<Outcome>): Promise<Outcome> {
    const { settings, isRefusal } = this.options;
    // An attempt that ended without a word, by a crash or a timeout, is recorded by the next one.
    if (taken.attempts > settings.attempts) {
      return this.failed(taken, new DeadLettered(safeText`its function did not finish`), true);
    }
    try {
      return await work();
    } catch (error) {
      if (error instanceof LeaseLost) return 'lost';
      return this.failed(taken, error, isPermanent(error, isRefusal) || taken.attempts >= settings.attempts);
    }
  }

  /**
   * Commits an effect and the progress of what this runner holds in one transaction.
   * @param claim returns the write that fails if the lease is lost
   */
  protected async commitHeld(
    { pk }: Taken,
    claim: () => TransactWriteItem,
    decide: Decide,
  ): Promise<'applied' | 'lost'> {
    const { table, consumer, windowSeconds } = this.options;
    const records = new ProcessedRecords(table, consumer, windowSeconds);
    const message = { id: pk, source: consumer.name, time: clock.now() };
    const outcome = await processOnce(message, decide, records, { kind: 'stored', record: pk }, claim);
    return outcome === 'applied' ? 'applied' : 'lost';
  }

  protected async failed(taken: Taken, error: unknown, forGood: boolean): Promise<Outcome> {
    const fields = { attempts: taken.attempts, permanent: forGood, ...describeError(error) };
    if (!forGood) {
      count(Metric.TRANSIENT_FAILURES);
      logger.warn('retrying', { record: taken.pk, ...fields });
      const pause = pauseAfter(taken.attempts, this.options.settings.backoff);
      const outcome = await this.messages.postpone(taken, await this.withText(error, taken), pause);
      if (outcome === 'postponed') await handOutLater(this.options.queue, taken, pause);
      return outcome;
    }
    const outcome = await this.messages.fail(taken, await this.withText(error, taken));
    if (outcome === 'lost') return outcome;
    count(Metric.CONSUMER_FAILURES);
    logger.error('failed', { record: taken.pk, ...fields });
    return 'failed';
  }

  /** A window has no message of its own, and names nobody. */
  private withText(error: unknown, { payload }: Taken): Promise<unknown> {
    const { consumer, sources, people } = this.options;
    return withSealedText(error, { consumer: consumer.name, person: personOf(sources, payload) }, people);
  }

  protected log(outcome: Outcome, record: string, taken?: Taken): void {
    logger.info(outcome, { consumer: this.options.consumer.name, record, ...(taken && { attempts: taken.attempts }) });
  }
}
