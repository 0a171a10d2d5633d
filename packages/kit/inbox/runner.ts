import { clock, secondsBetween } from '../aws/clock.js';
import { expiryOf } from '../aws/dedupe-window.js';
import { transact } from '../aws/dynamodb.js';
import { Metric } from '../aws/metric-names.js';
import { SafeError, safeText } from '../aws/safe-error.js';
import { count, seconds } from '../aws/telemetry.js';
import { readFrom } from '../idempotent-consumer/listening.js';
import { traceOfMessage } from '../idempotent-consumer/process-message.js';
import type { Decide } from '../idempotent-consumer/process-once.js';
import { type Envelope, readEnvelope, senderOf } from '../messages/envelope.js';
import type { HandOut } from '../timers/contract.js';
import type { Finished, InboxSource, Told } from './listening.js';
import { type Outcome, RunnerBase, type RunnerBaseOptions } from './runner-base.js';
import { StoredMessages, type Taken } from './stored-messages.js';
import { LeasedWork, type Work } from './work.js';

export interface RunnerOptions extends RunnerBaseOptions {
  readonly sources: readonly InboxSource[];
}

/**
 * Error of an attempt whose handler answered `unfinished` and had saved nothing. Called again at once, it would do the same
 * for ever; so it counts as a failed attempt, with its backoff and its limit.
 */
class NoProgress extends SafeError {
  override readonly name = 'NoProgress';

  constructor() {
    super(safeText`the handler answered 'unfinished' without a save: save progress, or throw`);
  }
}

/** Processing half of an inbox: takes a stored message, lets its handler work, and commits the effect with the status. */
export class Runner extends RunnerBase {
  protected readonly messages: StoredMessages;

  constructor(protected override readonly options: RunnerOptions) {
    super(options);
    this.messages = new StoredMessages(options);
  }

  override async runAll(handOuts: readonly HandOut[], timeLeft: () => number): Promise<void> {
    for (const handOut of handOuts) await this.run(handOut, timeLeft);
  }

  /** Processes one stored message, if it is free. */
  async run(handOut: HandOut, timeLeft: () => number): Promise<void> {
    const taken = await this.messages.take(handOut, this.options.settings);
    const outcome = taken ? await this.guarded(taken, () => this.process(taken, timeLeft)) : 'not free';
    this.log(outcome, handOut.record, taken);
  }

  private async process(taken: Taken, timeLeft: () => number): Promise<Outcome> {
    const envelope = readEnvelope(taken.payload);
    const work = new LeasedWork(this.messages, taken, this.options.settings.leaseSeconds, timeLeft);
    const told = await this.toldBy(envelope);
    let finished: Finished;
    try {
      finished = await this.handle(envelope, told, work);
    } finally {
      // A renewal at the same time would conflict with the effect.
      await work.stop();
    }
    if ('unfinished' in finished) {
      if (!work.hasSaved) throw new NoProgress();
      await this.messages.release(taken);
      return 'unfinished';
    }
    if ('project' in finished) await finished.project();
    const outcome = await this.commit(envelope, taken, 'decide' in finished ? finished.decide : async () => [], told);
    if (outcome === 'applied') seconds(Metric.PROCESSING_AGE, Math.max(0, secondsBetween(envelope.time, clock.now())));
    return outcome;
  }

  /** Returns what the mode tells the handler beside the message. */
  protected async toldBy(_envelope: Envelope): Promise<Told> {
    return {};
  }

  private async handle(envelope: Envelope, told: Told, work: Work): Promise<Finished> {
    const { sources, service } = this.options;
    // The receiver has refused commands of services that may not send them.
    const { event, handle } = readFrom(sources, envelope, [senderOf(envelope)]);
    return handle({ envelope, event, trace: traceOfMessage(envelope, service), ...told }, work);
  }

  /** Commits the effect and the final status in one transaction, which the fencing token guards. */
  protected commit({ time }: Envelope, taken: Taken, decide: Decide, _told?: Told): Promise<'applied' | 'lost'> {
    // As for any processed record: a message with a future time is recognised for longer.
    const from = Math.max(clock.epochSeconds(), Math.ceil(Date.parse(time) / 1000));
    const expiresAt = expiryOf(this.options.windowSeconds, from);
    return this.commitHeld(taken, () => this.messages.processedWrite(taken, expiresAt), decide);
  }

  /** Ends a message without an effect: its effect happened before. */
  protected async commitNothing(taken: Taken): Promise<void> {
    const expiresAt = expiryOf(this.options.windowSeconds, clock.epochSeconds());
    await transact([this.messages.processedWrite(taken, expiresAt)]);
    count(Metric.DUPLICATES_SUPPRESSED);
    this.log('known', taken.pk, taken);
  }
}
