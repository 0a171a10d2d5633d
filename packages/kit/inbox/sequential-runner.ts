import { clock, secondsBetween } from '../aws/clock.js';
import type { Item } from '../aws/dynamodb.js';
import { Metric } from '../aws/metric-names.js';
import { gauge } from '../aws/telemetry.js';
import { PENDING } from '../failures/delivery.js';
import type { Decide } from '../idempotent-consumer/process-once.js';
import type { Envelope } from '../messages/envelope.js';
import type { HandOut } from './contract.js';
import { Runner, type RunnerOptions } from './runner.js';
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
    for (let handOut = first; ; ) {
      const record = await this.messages.read(handOut.record);
      if (record === undefined) return;
      const place = placeOf(record);
      if (record.status === PENDING && !(await this.runs(handOut, record, timeLeft))) return;
      // The message may have ended earlier, and a crash may have left its successor unprocessed.
      handOut = { record: this.messages.keyOf({ ...place, id: '', sequence: place.sequence + 1 }) };
      if (timeLeft() > enough) continue;
      await this.messages.wake(handOut.record);
      return;
    }
  }

  /** @returns whether the message's successor may be looked for */
  private async runs(handOut: HandOut, record: Item, timeLeft: () => number): Promise<boolean> {
    const place = placeOf(record);
    for (;;) {
      const position = await this.messages.position(place.subject);
      if (place.sequence <= position && place.epoch === 0) return this.endKnown(handOut);
      // An epoch after a restore has no cursor yet: an operator decides, by the generation of the consumer.
      const isEarly = place.sequence > position + 1 || place.epoch > 0;
      if (!isEarly) break;
      const next = await this.messages.read(
        this.messages.keyOf({ ...place, epoch: 0, id: '', sequence: position + 1 }),
      );
      if (next?.status === 'DISCARDED' && place.epoch === 0) {
        await this.messages.pass({ ...place, sequence: position + 1 });
        continue;
      }
      await this.park(handOut.record, record, next === undefined || place.epoch > 0);
      return false;
    }
    await super.run(handOut, timeLeft);
    return (await this.messages.read(handOut.record))?.status === 'PROCESSED';
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

  /** Commits the effect, the final status and the cursor in one transaction. */
  protected override commit(envelope: Envelope, taken: Taken, decide: Decide): Promise<'applied' | 'lost'> {
    return super.commit(envelope, taken, async (refused) => [
      this.messages.cursorWrite(envelope),
      ...(await decide(refused)),
    ]);
  }
}

const placeOf = ({ subject, sequence, epoch = 0 }: Item) => ({
  subject: String(subject),
  sequence: Number(sequence),
  epoch: Number(epoch),
});

/** Returns the seconds after which a parked message is looked at again: often enough that its gap raises an alarm. */
export const recheckOf = (gapAlarmSeconds: number): number => Math.min(300, Math.max(60, gapAlarmSeconds / 2));
