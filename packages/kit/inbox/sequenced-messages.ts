import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { clock } from '../aws/clock.js';
import { documentClient, type Item, TransactionRefused, type TransactWriteItem, transact } from '../aws/dynamodb.js';
import { PENDING } from '../failures/delivery.js';
import { recordKey } from '../failures/failure-records.js';
import { type Envelope, messageIdOf } from '../messages/envelope.js';
import type { Position } from '../messages/position.js';
import { addSeconds } from './claimed-message.js';
import { parkedPartition, WAKE } from './contract.js';
import { cursorKey, cursorUpdate, placeKey, readCursor, type SequencePlace } from './sequence-keys.js';
import { StoredMessages } from './stored-messages.js';

/**
 * Records of an inbox in mode sequential. The key of a record is the message's place in the history of its aggregate, and
 * each subject has a cursor: the last place that was processed. A place is an epoch and a sequence.
 *
 *     runner of 3                        runner of 4
 *     cursor is 2: 3 is the next one
 *                                        cursor is 2: 4 is early, parked
 *     effect + PROCESSED + cursor 2 -> 3
 *     4 is there: runs it
 *
 * If the runner of 3 crashes before it looks for 4, the sweeper hands 4 out when its parking time is over.
 */
export class SequencedMessages extends StoredMessages {
  override keyOf(message: Pick<Envelope, 'id' | 'subject' | 'sequence' | 'epoch'>): string {
    return placeKey(this.options.consumer, message);
  }

  /**
   * Wakes a parked message that comes again: its predecessor's runner may have crashed before it looked for this one. Any other
   * record needs nothing. The put that stored a message gave it the mark `wake`, so the stream has it, and the sweeper finds it
   * if the stream's record is lost. A message that is held is handed out when its lease or its pause is over.
   */
  protected override async onRepeat({ pk, status, heldUntil, [WAKE]: wake }: Item): Promise<void> {
    const isHeld = typeof heldUntil === 'string' && heldUntil > clock.now();
    if (status === PENDING && wake === undefined && !isHeld) await this.wake(String(pk));
  }

  protected override buildItem(message: Envelope, payload: string): Item {
    const { epoch, follows } = message;
    return { ...super.buildItem(message, payload), epoch, ...(follows === undefined ? {} : { follows }) };
  }

  /**
   * Stores a failed message again. In release 0.3 and earlier, a message that failed before it was stored had its failure record
   * under its own id: it takes its place, and the failure ends in the same transaction.
   */
  override async retry(
    message: Envelope,
    payload: string,
    confirmed: { readonly confirmedNotDone: boolean },
  ): Promise<'stored' | 'known'> {
    if ((await super.retry(message, payload, confirmed)) === 'stored') return 'stored';
    const mayBeDone = confirmed.confirmedNotDone ? '' : ' AND attribute_not_exists(#unknown)';
    const { table, consumer } = this.options;
    const put: TransactWriteItem = {
      Put: {
        TableName: table,
        Item: this.buildItem(message, payload),
        ConditionExpression: 'attribute_not_exists(pk)',
      },
    };
    try {
      await transact([
        put,
        {
          Update: this.buildUpdate(recordKey(consumer, messageIdOf(message)), {
            set: { status: 'PROCESSED', processedAt: clock.now() },
            remove: ['failedConsumer'],
            condition: `#status = :failed${mayBeDone}`,
            names: { '#status': 'status', ...(confirmed.confirmedNotDone ? {} : { '#unknown': 'unknown' }) },
            values: { ':failed': 'FAILED' },
          }),
        },
      ]);
      return 'stored';
    } catch (error) {
      if (!(error instanceof TransactionRefused)) throw error;
      // Another copy of the message has its place, where it is processed or has failed: this failure has nothing left to say.
      if (error.conditionFailedFor(put)) {
        await this.update(recordKey(consumer, messageIdOf(message)), {
          set: { status: 'PROCESSED', processedAt: clock.now() },
          remove: ['failedConsumer'],
          condition: '#status = :failed',
          names: { '#status': 'status' },
          values: { ':failed': 'FAILED' },
        });
      }
      return 'known';
    }
  }

  /** Reads a record, strongly consistent. */
  async read(pk: string): Promise<Item | undefined> {
    const { Item } = await documentClient.send(
      new GetCommand({ TableName: this.options.table, Key: { pk }, ConsistentRead: true }),
    );
    return Item;
  }

  /** Reads the last place of a subject that was processed or discarded; sequence 0 if there is none. */
  async readCursor(subject: string): Promise<Position> {
    return readCursor(await this.read(cursorKey(this.options.consumer, subject)));
  }

  /**
   * Returns the write that moves the cursor of a subject to a place. It fails unless the cursor is as it was read.
   * @param from the cursor as it was read
   */
  cursorWrite(place: SequencePlace, from: Position): TransactWriteItem {
    const { table, consumer } = this.options;
    return { Update: cursorUpdate(table, cursorKey(consumer, place.subject), from, place, clock.now()) };
  }

  /** Moves the cursor over a message that an operator has discarded. Another runner may have done it already. */
  async pass(place: SequencePlace, from: Position): Promise<void> {
    try {
      await transact([this.cursorWrite(place, from)]);
    } catch (error) {
      if (!(error instanceof TransactionRefused)) throw error;
    }
  }

  /** Puts an early message aside until its predecessor is done. @returns since when it is parked */
  async park(pk: string, recheckSeconds: number, since: unknown): Promise<string> {
    const now = clock.now();
    const parkedAt = typeof since === 'string' ? since : now;
    const { duePk } = this.dueAttributes(pk, now);
    await this.update(pk, {
      set: { parkedAt, executeAt: addSeconds(now, recheckSeconds), duePk: parkedPartition(duePk) },
      remove: [WAKE],
      // The predecessor's runner may have taken it meanwhile.
      condition: '#status = :pending AND (attribute_not_exists(heldUntil) OR heldUntil <= :now)',
      names: { '#status': 'status' },
      values: { ':pending': PENDING, ':now': now },
    });
    return parkedAt;
  }

  /** Lets the dispatcher hand a message out at once, if it waits. */
  async wake(pk: string): Promise<void> {
    await this.update(pk, {
      set: { [WAKE]: true },
      condition: '#status = :pending',
      names: { '#status': 'status' },
      values: { ':pending': PENDING },
    });
  }
}
