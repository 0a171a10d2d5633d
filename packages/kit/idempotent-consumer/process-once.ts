import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { clock } from '../aws/clock.js';
import { computeExpiry, type DedupeWindow } from '../aws/dedupe-window.js';
import { documentClient, TransactionRefused, type TransactWriteItem, transact } from '../aws/dynamodb.js';
import { retryOnConflict } from '../aws/optimistic-retry.js';
import { PENDING, type Recorded } from '../failures/delivery.js';
import { type ConsumerIdentity, recordKey } from '../failures/failure-records.js';
import { type Envelope, messageIdOf } from '../messages/envelope.js';

/** Effect of one message: writes that commit together. A decision without events contributes its version check. */
export type Effect = readonly TransactWriteItem[];

/** The writes of the previous attempt whose conditions failed. Absent in the first attempt. */
export interface RefusedTransaction {
  conditionFailedFor(write: TransactWriteItem): boolean;
  /** Tells whether another transaction had this write's item, so that its condition was not looked at. */
  conflictedOn(write: TransactWriteItem): boolean;
}

/**
 * Function that computes the effect from what the tables contain now. It is called again, and must load again, after
 * each lost race.
 */
export type Decide = (refused: RefusedTransaction | undefined) => Promise<Effect>;

/** Fields of a message that make its processed record. */
type MessageIdentity = Pick<Envelope, 'id' | 'source' | 'to' | 'time'>;

/** Inbox of one consumer: records of the messages that it has processed. The message id is the idempotency key. */
export class ProcessedRecords {
  constructor(
    protected readonly table: string,
    protected readonly consumer: ConsumerIdentity,
    private readonly window: DedupeWindow,
  ) {}

  /**
   * Returns the write that records the message. It fails if the message is already recorded, as processed or as failed.
   */
  claim(message: MessageIdentity, recorded?: Recorded): TransactWriteItem {
    const isNew = 'attribute_not_exists(pk)';
    // A message with a future time (a wrong clock) passes the age gate for longer, so its record lives longer too.
    const from = Math.max(clock.epochSeconds(), Math.ceil(Date.parse(message.time) / 1000));
    const done = { status: 'PROCESSED', processedAt: clock.now(), expiresAt: computeExpiry(this.window, from) };
    const Key = { pk: recorded?.kind === 'stored' ? recorded.record : this.keyOf(message) };
    if (!recorded) return { Put: { TableName: this.table, Item: { ...Key, ...done }, ConditionExpression: isNew } };
    // If the effect of a failed message may have happened before, the message counts only with an operator's
    // confirmation that it did not.
    const waits = '#status = :before';
    const confirmedNotDone = recorded.kind === 'redrive' && recorded.confirmedNotDone;
    const mayBeDone = confirmedNotDone ? waits : `${waits} AND attribute_not_exists(#unknown)`;
    return {
      Update: {
        TableName: this.table,
        Key,
        // Without these two attributes, the item leaves the indexes of failures and of due timers. Its reasons stay
        // until it expires.
        UpdateExpression:
          'SET #status = :status, processedAt = :processedAt, expiresAt = :expiresAt REMOVE failedConsumer, duePk',
        ConditionExpression: mayBeDone,
        ExpressionAttributeNames: {
          '#status': 'status',
          ...(confirmedNotDone ? {} : { '#unknown': 'unknown' }),
        },
        ExpressionAttributeValues: {
          ':before': recorded.kind === 'stored' ? PENDING : 'FAILED',
          ':status': done.status,
          ':processedAt': done.processedAt,
          ':expiresAt': done.expiresAt,
        },
      },
    };
  }

  /**
   * Writes all or nothing.
   * @throws what `transact` of aws/dynamodb.ts throws
   */
  transact(writes: Effect): Promise<void> {
    return transact(writes);
  }

  /** Tells whether the message is recorded, strongly consistent. */
  isProcessed(message: MessageIdentity): Promise<boolean> {
    return this.hasRecord(message, true);
  }

  /** Tells whether the message is known to be recorded, eventually consistent: `false` may be wrong for a second, `true` never is. */
  isKnown(message: MessageIdentity): Promise<boolean> {
    return this.hasRecord(message, false);
  }

  private async hasRecord(message: MessageIdentity, consistent: boolean): Promise<boolean> {
    const { Item } = await documentClient.send(
      new GetCommand({
        TableName: this.table,
        Key: { pk: this.keyOf(message) },
        ProjectionExpression: 'pk',
        ConsistentRead: consistent,
      }),
    );
    return Item !== undefined;
  }

  /** Returns the key of the record of a message. */
  protected keyOf(message: MessageIdentity): string {
    return recordKey(this.consumer, messageIdOf(message));
  }
}

/**
 * Applies a message's effect at most once per consumer (design G3). The effect and the processed record commit in one
 * transaction (a unit of work), so no crash can leave one without the other.
 *
 * Two deliveries of the same message, at the same time:
 *
 *     first                          second
 *     decide -> effect               decide -> effect
 *     transact: committed
 *                                    transact: cancelled, record exists
 *     acknowledge                    acknowledge, effect discarded
 *
 * A crash before `transact` changes nothing: the queue delivers again. After a crash that follows it, the redelivery
 * runs as the second column.
 *
 * A refusal by `decide` may only be the message's own earlier success, seen again ("already cancelled"). So the record
 * is read after the refusal: between an early read that finds none and the load, another delivery could commit.
 * @example
 * const outcome = await processOnce(
 *   message,
 *   async () => {
 *     const loaded = await tripStore.load(tripId);
 *     const events = tripDecider.decide(loaded.state, command, { now: clock.now() });
 *     return [tripStore.toWrite(loaded, events, trace)];
 *   },
 *   records,
 * );
 * @param claimOf creates the write that fails if the effect happened before. @default the claim of the message's record
 * @returns `applied`, or `duplicate` if an earlier delivery was applied, or was recorded as failed
 * @throws what `decide` throws, {@link WriteConflict} after five lost races, and any other failure of the transaction.
 *   Nothing was written, and the message stays in its queue.
 */
export async function processOnce(
  message: MessageIdentity,
  decide: Decide,
  records: ProcessedRecords,
  recorded?: Recorded,
  claimOf: () => TransactWriteItem = () => records.claim(message, recorded),
): Promise<'applied' | 'duplicate'> {
  let refused: TransactionRefused | undefined;
  try {
    return await retryOnConflict(async () => {
      const claim = claimOf();
      try {
        const effect = await decide(refused);
        await records.transact([claim, ...effect.filter((write) => !isReplacedByClaim(write, claim))]);
        return 'applied';
      } catch (error) {
        refused = error instanceof TransactionRefused ? error : undefined;
        // In a cancelled transaction, the record's reason has priority over every other reason.
        if (refused?.conditionFailedFor(claim)) return 'duplicate';
        throw error;
      }
    });
  } catch (error) {
    // A redriven or stored message always has a record, so its presence proves nothing. Handling of the failure depends
    // on the record's status.
    if (!recorded && (await records.isProcessed(message))) return 'duplicate';
    throw error;
  }
}

/**
 * Tells whether an owner clears the very timer that it handles. The claim already ends that timer, and a transaction
 * allows one write for each item.
 */
const isReplacedByClaim = ({ Delete }: TransactWriteItem, { Update }: TransactWriteItem): boolean =>
  Delete !== undefined && Delete.TableName === Update?.TableName && Delete.Key?.pk === Update?.Key?.pk;
