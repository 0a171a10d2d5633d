import { clock, secondsBetween } from '../aws/clock.js';
import type { Item } from '../aws/dynamodb.js';
import { InboxMetric } from '../aws/metric-names.js';
import { recordGauge } from '../aws/telemetry.js';
import { WriteConflict } from '../aws/write-conflict.js';
import { PENDING } from '../failures/delivery.js';
import type { Decide } from '../idempotent-consumer/process-once.js';
import type { Envelope } from '../messages/envelope.js';
import { type Position, parsePosition } from '../messages/position.js';
import type { Dispatch } from '../timers/contract.js';
import type { ClaimedMessage } from './claimed-message.js';
import type { RestoreFacts } from './inbox-source.js';
import { Runner, type RunnerOptions } from './runner.js';
import { beginsEpoch, findForgottenPositions, isNext, isPassed, type SequencePlace } from './sequence-keys.js';
import { SequencedMessages } from './sequenced-messages.js';

/** Part of an invocation's time after which it begins no successor, but leaves it to another invocation. */
const TIME_PART = 1 / 2;

/** Processes the messages of each subject strictly in the order of their sequence. */
export class SequentialRunner extends Runner {
  protected override readonly messages: SequencedMessages;

  constructor(options: RunnerOptions) {
    super(options);
    this.messages = new SequencedMessages(options);
  }

  /**
   * Processes a stored message if it is the next one of its subject, and then its successors that wait. An early message is
   * parked.
   */
  override async run(firstDispatch: Dispatch, timeLeft: () => number): Promise<void> {
    const enough = timeLeft() * TIME_PART;
    let record = await this.messages.read(firstDispatch.record);
    for (let dispatch = firstDispatch; record !== undefined; ) {
      if (record.status === PENDING && !(await this.runInOrder(dispatch, record, timeLeft))) return;
      // The message may have ended earlier, and a crash may have left its successor unprocessed.
      record = await this.findSuccessor(toPlace(record));
      if (record === undefined) return;
      dispatch = { record: String(record.pk) };
      if (timeLeft() > enough) continue;
      await this.messages.wake(dispatch.record);
      return;
    }
  }

  /**
   * Reads the message behind a place. One with which a later epoch continues there comes first: a restore has forgotten what was
   * behind the place in the same epoch.
   */
  private async findSuccessor(place: SequencePlace): Promise<Item | undefined> {
    const { subject, epoch, sequence } = place;
    const { latestEpoch = 0 } = this.options.settings;
    for (let later = latestEpoch; later > epoch; later--) {
      const found = await this.readAt({ subject, epoch: later, sequence: sequence + 1 });
      if (found && isNext(toPlace(found), place)) return found;
    }
    return this.readAt({ subject, epoch, sequence: sequence + 1 });
  }

  private readAt(place: SequencePlace): Promise<Item | undefined> {
    return this.messages.read(this.messages.keyOf({ ...place, id: '' }));
  }

  /** @returns whether the message's successor may be looked for */
  private async runInOrder(dispatch: Dispatch, record: Item, timeLeft: () => number): Promise<boolean> {
    const place = toPlace(record);
    for (;;) {
      const cursor = await this.messages.readCursor(place.subject);
      if (isPassed(place, cursor)) return this.completeKnown(dispatch);
      if (isNext(place, cursor)) break;
      const awaited = await this.findAwaited(place, cursor);
      if (awaited?.status === 'DISCARDED' && isNext(toPlace(awaited), cursor)) {
        await this.messages.pass(toPlace(awaited), cursor);
        continue;
      }
      await this.park(dispatch.record, record, awaited === undefined);
      return false;
    }
    await super.run(dispatch, timeLeft);
    return (await this.messages.read(dispatch.record))?.status === 'PROCESSED';
  }

  /**
   * Reads the message for which an early one waits. In the cursor's epoch it is the one behind the cursor. A message of a later epoch
   * waits for its predecessor; if an operator has discarded that, for the one before it, and so on.
   */
  private async findAwaited(early: SequencePlace, cursor: Position): Promise<Item | undefined> {
    const { subject } = early;
    if (early.epoch === cursor.epoch) return this.readAt({ subject, ...cursor, sequence: cursor.sequence + 1 });
    for (let place = early; ; ) {
      const before =
        place.follows === undefined ? { ...place, sequence: place.sequence - 1 } : parsePosition(place.follows);
      const found = await this.readAt({ subject, ...before });
      if (found?.status !== 'DISCARDED') return found;
      place = toPlace(found);
      if (isNext(place, cursor)) return found;
    }
  }

  /** @param isGap whether nothing is known of the predecessor: it has not arrived */
  private async park(pk: string, { parkedAt }: Item, isGap: boolean): Promise<void> {
    const { gapAlarmSeconds = 0 } = this.options.settings;
    const since = await this.messages.park(pk, computeRecheckSeconds(gapAlarmSeconds), parkedAt);
    this.log('parked', pk);
    if (isGap) {
      const age = Math.max(0, secondsBetween(since, clock.now()));
      recordGauge(InboxMetric.GAP_AGE, age, this.options.consumer.name, 'Seconds');
    }
  }

  /**
   * Ends a message that the cursor has passed: it was processed so long ago that its record has expired.
   * @returns whether its successor may be looked for
   */
  private async completeKnown(dispatch: Dispatch): Promise<boolean> {
    const claimed = await this.messages.claim(dispatch, this.options.settings);
    if (claimed) await this.commitNothing(claimed);
    return claimed !== undefined;
  }

  /**
   * Tells the handler which places were forgotten, with the first message of an epoch.
   * @throws {WriteConflict} if another runner has moved the cursor meanwhile
   */
  protected override async readRestoreFacts(envelope: Envelope): Promise<RestoreFacts> {
    if (!beginsEpoch(envelope)) return {};
    const cursor = await this.messages.readCursor(envelope.subject);
    if (!isNext(envelope, cursor)) throw new WriteConflict('the cursor of the subject has moved');
    return { forgotten: findForgottenPositions(envelope, cursor) };
  }

  /** Commits the effect, the final status and the cursor in one transaction. */
  protected override commit(
    envelope: Envelope,
    claimed: ClaimedMessage,
    decide: Decide,
    { forgotten }: RestoreFacts = {},
  ): Promise<'applied' | 'lost'> {
    const before = forgotten?.upTo ?? { epoch: envelope.epoch, sequence: envelope.sequence - 1 };
    return super.commit(envelope, claimed, async (refused) => [
      this.messages.cursorWrite(envelope, before),
      ...(await decide(refused)),
    ]);
  }
}

const toPlace = ({ subject, sequence, epoch = 0, follows }: Item): SequencePlace => ({
  subject: String(subject),
  sequence: Number(sequence),
  epoch: Number(epoch),
  ...(follows === undefined ? {} : { follows: String(follows) }),
});

/** Returns the seconds after which a parked message is looked at again: often enough that its gap raises an alarm. */
export const computeRecheckSeconds = (gapAlarmSeconds: number): number =>
  Math.min(300, Math.max(60, gapAlarmSeconds / 2));
