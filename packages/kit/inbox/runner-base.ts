import { clock } from '../aws/clock.js';
import type { DedupeWindow } from '../aws/dedupe-window.js';
import type { TransactWriteItem } from '../aws/dynamodb.js';
import { Metric } from '../aws/metric-names.js';
import { safeText } from '../aws/safe-error.js';
import { count, describeError, logger } from '../aws/telemetry.js';
import { DeadLettered, isPermanent } from '../failures/failure-kinds.js';
import { type TextKeys, withSealedText } from '../failures/failure-reasons.js';
import { findPerson, type Source } from '../idempotent-consumer/message-source.js';
import { type Decide, ProcessedRecords, processOnce } from '../idempotent-consumer/process-once.js';
import { type Envelope, readEnvelope } from '../messages/envelope.js';
import { ageField, logMessage, type MessageLine } from '../messages/message-line.js';
import type { Dispatch } from '../timers/contract.js';
import { computeBackoff } from './backoff.js';
import { type ClaimedMessage, LeaseLost } from './claimed-message.js';
import type { InboxSettings } from './contract.js';
import { dispatchLater } from './delayed-dispatch.js';
import type { StoredMessages, StoredMessagesOptions } from './stored-messages.js';

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
  readonly personalKeys?: TextKeys | undefined;
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
  abstract runAll(dispatches: readonly Dispatch[], timeLeft: () => number): Promise<void>;

  /**
   * Works on what this runner holds, and records the failure.
   * @param claimed whose attempts decide whether it is tried again
   */
  protected async runGuarded(claimed: ClaimedMessage, work: () => Promise<Outcome>): Promise<Outcome> {
    const { settings, isRefusal } = this.options;
    // An attempt that ended without a word, by a crash or a timeout, is recorded by the next one.
    if (claimed.attempts > settings.attempts) {
      return this.handleFailure(claimed, new DeadLettered(safeText`its function did not finish`), true);
    }
    try {
      return await work();
    } catch (error) {
      if (error instanceof LeaseLost) return 'lost';
      return this.handleFailure(claimed, error, isPermanent(error, isRefusal) || claimed.attempts >= settings.attempts);
    }
  }

  /**
   * Commits an effect and the progress of what this runner holds in one transaction.
   * @param claim returns the write that fails if the lease is lost
   */
  protected async commitHeld(
    { pk }: ClaimedMessage,
    claim: () => TransactWriteItem,
    decide: Decide,
  ): Promise<'applied' | 'lost'> {
    const { table, consumer, windowSeconds } = this.options;
    const records = new ProcessedRecords(table, consumer, windowSeconds);
    const message = { id: pk, source: consumer.name, time: clock.now() };
    const outcome = await processOnce(message, decide, records, { kind: 'stored', record: pk }, claim);
    return outcome === 'applied' ? 'applied' : 'lost';
  }

  protected async handleFailure(claimed: ClaimedMessage, error: unknown, isFinal: boolean): Promise<Outcome> {
    const fields = {
      consumer: this.options.consumer.name,
      ...identifyMessage(findEnvelope(claimed)),
      record: claimed.pk,
      attempts: claimed.attempts,
      permanent: isFinal,
      ...describeError(error),
    };
    if (!isFinal) {
      count(Metric.TRANSIENT_FAILURES);
      logger.warn('retrying', fields);
      const pause = computeBackoff(claimed.attempts, this.options.settings.backoff);
      const outcome = await this.messages.postpone(claimed, await this.attachSealedText(error, claimed), pause);
      if (outcome === 'postponed') await dispatchLater(this.options.queue, claimed, pause);
      return outcome;
    }
    const outcome = await this.messages.fail(claimed, await this.attachSealedText(error, claimed));
    if (outcome === 'lost') return outcome;
    count(Metric.CONSUMER_FAILURES);
    logger.error('failed', fields);
    return 'failed';
  }

  /** A window has no message of its own, and names nobody. */
  private attachSealedText(error: unknown, { payload }: ClaimedMessage): Promise<unknown> {
    const { consumer, sources, personalKeys } = this.options;
    return withSealedText(error, { consumer: consumer.name, person: findPerson(sources, payload) }, personalKeys);
  }

  /** Writes the line of an attempt. One that failed has left a line with its error, which names the message. */
  protected log(outcome: Outcome, record: string, claimed?: ClaimedMessage): void {
    const isDone = outcome === 'applied' || outcome === 'known';
    const envelope = claimed && isDone ? findEnvelope(claimed) : undefined;
    logMessage(outcome, {
      consumer: this.options.consumer.name,
      ...(envelope ? identifyMessage(envelope) : { record }),
      ...(claimed && { attempts: claimed.attempts }),
      ...(envelope && outcome === 'applied' && ageField(envelope)),
    });
  }
}

/** Returns the fields by which `orderly order` finds the attempts at a stored message. */
const identifyMessage = (envelope: Envelope | undefined): Pick<MessageLine, 'eventId' | 'correlationId'> =>
  envelope ? { eventId: envelope.id, correlationId: envelope.correlationid } : {};

/** Returns a stored message. A window has no message of its own. */
function findEnvelope({ payload }: ClaimedMessage): Envelope | undefined {
  try {
    return readEnvelope(payload());
  } catch {
    return undefined;
  }
}
