import { clock, secondsBetween } from '../aws/clock.js';
import type { Item } from '../aws/dynamodb.js';
import { Metric } from '../aws/metric-names.js';
import { gauge } from '../aws/telemetry.js';
import { WriteConflict } from '../aws/write-conflict.js';
import { PENDING } from '../failures/delivery.js';
import type { Decide } from '../idempotent-consumer/process-once.js';
import type { Envelope } from '../messages/envelope.js';
import { type Position, positionIn } from '../messages/position.js';
import type { HandOut } from '../timers/contract.js';
import type { Told } from './listening.js';
import { Runner, type RunnerOptions } from './runner.js';
import { beginsEpoch, forgottenBy, isNext, isPassed, type Place } from './sequence-keys.js';
import { SequencedMessages } from './sequenced-messages.js';
import type { Taken } from './stored-messages.js';

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
  override async run(first: HandOut, timeLeft: () => number): Promise<void> {
    const enough = timeLeft() * TIME_PART;
    let record = await this.messages.read(first.record);
    for (let handOut = first; record !== undefined; ) {
      if (record.status === PENDING && !(await this.runs(handOut, record, timeLeft))) return;
      // The message may have ended earlier, and a crash may have left its successor unprocessed.
      record = await this.successorOf(placeOf(record));
      if (record === undefined) return;
      handOut = { record: String(record.pk) };
      if (timeLeft() > enough) continue;
      await this.messages.wake(handOut.record);
      return;
    }
  }

  /**
   * Reads the message behind a place. One with which a later epoch continues there comes first: a restore has forgotten what was
   * behind the place in the same epoch.
   */
  private async successorOf(place: Place): Promise<Item | undefined> {
    const { subject, epoch, sequence } = place;
    const { latestEpoch = 0 } = this.options.settings;
    for (let later = latestEpoch; later > epoch; later--) {
      const found = await this.at({ subject, epoch: later, sequence: sequence + 1 });
      if (found && isNext(placeOf(found), place)) return found;
    }
    return this.at({ subject, epoch, sequence: sequence + 1 });
  }

  private at(place: Place): Promise<Item | undefined> {
    return this.messages.read(this.messages.keyOf({ ...place, id: '' }));
  }

  /** @returns whether the message's successor may be looked for */
  private async runs(handOut: HandOut, record: Item, timeLeft: () => number): Promise<boolean> {
    const place = placeOf(record);
    for (;;) {
      const cursor = await this.messages.cursor(place.subject);
      if (isPassed(place, cursor)) return this.endKnown(handOut);
      if (isNext(place, cursor)) break;
      const awaited = await this.awaitedBy(place, cursor);
      if (awaited?.status === 'DISCARDED' && isNext(placeOf(awaited), cursor)) {
        await this.messages.pass(placeOf(awaited), cursor);
        continue;
      }
      await this.park(handOut.record, record, awaited === undefined);
      return false;
    }
    await super.run(handOut, timeLeft);
    return (await this.messages.read(handOut.record))?.status === 'PROCESSED';
  }

  /**
   * Reads the message for which an early one waits. In the cursor's epoch it is the one behind the cursor. A message of a later epoch
   * waits for its predecessor; if an operator has discarded that, for the one before it, and so on.
   */
  private async awaitedBy(early: Place, cursor: Position): Promise<Item | undefined> {
    const { subject } = early;
    if (early.epoch === cursor.epoch) return this.at({ subject, ...cursor, sequence: cursor.sequence + 1 });
    for (let place = early; ; ) {
      const before =
        place.follows === undefined ? { ...place, sequence: place.sequence - 1 } : positionIn(place.follows);
      const found = await this.at({ subject, ...before });
      if (found?.status !== 'DISCARDED') return found;
      place = placeOf(found);
      if (isNext(place, cursor)) return found;
    }
  }

  /** @param isGap whether nothing is known of the predecessor: it has not arrived */
  private async park(pk: string, { parkedAt }: Item, isGap: boolean): Promise<void> {
    const { gapAlarmSeconds = 0 } = this.options.settings;
    const since = await this.messages.park(pk, recheckOf(gapAlarmSeconds), parkedAt);
    this.log('parked', pk);
    if (isGap) {
      const age = Math.max(0, secondsBetween(since, clock.now()));
      gauge(Metric.INBOX_GAP_AGE, age, this.options.consumer.name, 'Seconds');
    }
  }

  /**
   * Ends a message that the cursor has passed: it was processed so long ago that its record has expired.
   * @returns whether its successor may be looked for
   */
  private async endKnown(handOut: HandOut): Promise<boolean> {
    const taken = await this.messages.take(handOut, this.options.settings);
    if (taken) await this.commitNothing(taken);
    return taken !== undefined;
  }

  /**
   * Tells the handler which places were forgotten, with the first message of an epoch.
   * @throws {WriteConflict} if another runner has moved the cursor meanwhile
   */
  protected override async toldBy(envelope: Envelope): Promise<Told> {
    if (!beginsEpoch(envelope)) return {};
    const cursor = await this.messages.cursor(envelope.subject);
    if (!isNext(envelope, cursor)) throw new WriteConflict('the cursor of the subject has moved');
    return { forgotten: forgottenBy(envelope, cursor) };
  }

  /** Commits the effect, the final status and the cursor in one transaction. */
  protected override commit(
    envelope: Envelope,
    taken: Taken,
    decide: Decide,
    { forgotten }: Told = {},
  ): Promise<'applied' | 'lost'> {
    const before = forgotten?.upTo ?? { epoch: envelope.epoch, sequence: envelope.sequence - 1 };
    return super.commit(envelope, taken, async (refused) => [
      this.messages.cursorWrite(envelope, before),
      ...(await decide(refused)),
    ]);
  }
}

const placeOf = ({ subject, sequence, epoch = 0, follows }: Item): Place => ({
  subject: String(subject),
  sequence: Number(sequence),
  epoch: Number(epoch),
  ...(follows === undefined ? {} : { follows: String(follows) }),
});

/** Returns the seconds after which a parked message is looked at again: often enough that its gap raises an alarm. */
export const recheckOf = (gapAlarmSeconds: number): number => Math.min(300, Math.max(60, gapAlarmSeconds / 2));
