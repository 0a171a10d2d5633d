import { clock } from '../aws/clock.js';
import { computeExpiry } from '../aws/dedupe-window.js';
import { transact } from '../aws/dynamodb.js';
import { Metric } from '../aws/metric-names.js';
import { SafeError, safeText } from '../aws/safe-error.js';
import { count } from '../aws/telemetry.js';
import { decodeMessage } from '../idempotent-consumer/message-source.js';
import { toMessageTrace } from '../idempotent-consumer/process-message.js';
import type { Decide } from '../idempotent-consumer/process-once.js';
import { startStoredAttempt } from '../messages/attempt.js';
import { type Envelope, readEnvelope, senderOf } from '../messages/envelope.js';
import type { Dispatch } from '../timers/contract.js';
import type { ClaimedMessage } from './claimed-message.js';
import type { InboxSource, RestoreFacts, WorkResult } from './inbox-source.js';
import { type Outcome, RunnerBase, type RunnerBaseOptions } from './runner-base.js';
import { StoredMessages } from './stored-messages.js';
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

  override async runAll(dispatches: readonly Dispatch[], timeLeft: () => number): Promise<void> {
    for (const handOut of dispatches) await this.run(handOut, timeLeft);
  }

  /** Processes one stored message, if it is free. */
  async run(dispatch: Dispatch, timeLeft: () => number): Promise<void> {
    const claimed = await this.messages.claim(dispatch, this.options.settings);
    if (!claimed) {
      this.log('not free', dispatch.record);
      return;
    }
    const span =
      process.env.KIT_TRACES === 'on'
        ? startStoredAttempt(claimed.payload(), { consumer: this.options.consumer.name, attempt: claimed.attempts })
        : undefined;
    const outcome = await this.runGuarded(claimed, () => this.process(claimed, timeLeft, span?.message));
    span?.end(outcome, outcome === 'failed' || outcome === 'postponed' ? { error: outcome } : {});
    this.log(outcome, dispatch.record, claimed);
  }

  private async process(claimed: ClaimedMessage, timeLeft: () => number, traced?: Envelope): Promise<Outcome> {
    const envelope = traced ?? readEnvelope(claimed.payload());
    const work = new LeasedWork(this.messages, claimed, this.options.settings.leaseSeconds, timeLeft);
    const restore = await this.readRestoreFacts(envelope);
    let finished: WorkResult;
    try {
      finished = await this.handle(envelope, restore, work);
    } finally {
      // A renewal at the same time would conflict with the effect.
      await work.stop();
    }
    if ('unfinished' in finished) {
      if (!work.hasSaved) throw new NoProgress();
      await this.messages.release(claimed);
      return 'unfinished';
    }
    if ('project' in finished) await finished.project();
    const decide: Decide = 'decide' in finished ? finished.decide : async () => [];
    return await this.commit(envelope, claimed, decide, restore);
  }

  /** Returns what the mode tells the handler beside the message. */
  protected async readRestoreFacts(_envelope: Envelope): Promise<RestoreFacts> {
    return {};
  }

  private async handle(envelope: Envelope, restore: RestoreFacts, work: Work): Promise<WorkResult> {
    const { sources, service } = this.options;
    // The receiver has refused commands of services that may not send them.
    const { event, handle } = decodeMessage(sources, envelope, [senderOf(envelope)]);
    return handle({ envelope, event, trace: toMessageTrace(envelope, service), ...restore }, work);
  }

  /** Commits the effect and the final status in one transaction, which the fencing token guards. */
  protected commit(
    { time }: Envelope,
    claimed: ClaimedMessage,
    decide: Decide,
    _restore?: RestoreFacts,
  ): Promise<'applied' | 'lost'> {
    // As for any processed record: a message with a future time is recognised for longer.
    const from = Math.max(clock.epochSeconds(), Math.ceil(Date.parse(time) / 1000));
    const expiresAt = computeExpiry(this.options.windowSeconds, from);
    return this.commitHeld(claimed, () => this.messages.processedWrite(claimed, expiresAt), decide);
  }

  /** Ends a message without an effect: its effect happened before. */
  protected async commitNothing(claimed: ClaimedMessage): Promise<void> {
    const expiresAt = computeExpiry(this.options.windowSeconds, clock.epochSeconds());
    await transact([this.messages.processedWrite(claimed, expiresAt)]);
    count(Metric.DUPLICATES_SUPPRESSED);
    this.log('known', claimed.pk, claimed);
  }
}
