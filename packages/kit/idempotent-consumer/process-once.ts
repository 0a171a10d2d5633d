import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { clock } from '../aws/clock.js';
import { documents, TransactionRefused, type TransactWriteItem, transact } from '../aws/dynamodb.js';
import { untilRaceIsWon } from '../aws/lost-races.js';
import { PENDING, type Recorded } from '../failures/delivery.js';
import { type ConsumerIdentity, recordKey } from '../failures/failure-records.js';
import type { Envelope } from '../messages/envelope.js';

/** The effect of one message, as writes that commit together. A decision without events brings its version check. */
export type Effect = readonly TransactWriteItem[];

/** Which writes of the try before were refused by their condition; none at the first try. */
export interface Refused {
  because(write: TransactWriteItem): boolean;
}

/** Works out the effect from what is in the tables now; called again with a fresh load after each lost race. */
export type Decide = (refused: Refused | undefined) => Promise<Effect>;

/** Records of the messages that one consumer has processed. */
export class ProcessedRecords {
  constructor(
    private readonly table: string,
    private readonly consumer: ConsumerIdentity,
    private readonly windowSeconds: number,
  ) {}

  /** A write that records the message, and fails where it is recorded already, be it as done or as failed. */
  claim({ id, time }: Envelope, recorded?: Recorded): TransactWriteItem {
    const isNew = 'attribute_not_exists(pk)';
    // A message from the future (a wrong clock) passes the age gate for longer: its record outlives that.
    const from = Math.max(clock.epochSeconds(), Math.ceil(Date.parse(time) / 1000));
    const done = { status: 'PROCESSED', processedAt: clock.now(), expiresAt: from + this.windowSeconds };
    const Key = { pk: recorded?.kind === 'stored' ? recorded.record : recordKey(this.consumer, id) };
    if (!recorded) return { Put: { TableName: this.table, Item: { ...Key, ...done }, ConditionExpression: isNew } };
    // Of the failures that may have been done before, only those that an operator says were not.
    const waits = '#status = :before';
    const confirmedNotDone = recorded.kind === 'redrive' && recorded.confirmedNotDone;
    const mayBeDone = confirmedNotDone ? waits : `${waits} AND attribute_not_exists(#unknown)`;
    return {
      Update: {
        TableName: this.table,
        Key,
        // Without these two it leaves the indexes of failures and of what is due; its reasons stay until it expires.
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

  /** Whether it is recorded, strongly consistent. */
  async has({ id }: Envelope): Promise<boolean> {
    const { Item } = await documents.send(
      new GetCommand({
        TableName: this.table,
        Key: { pk: recordKey(this.consumer, id) },
        ProjectionExpression: 'pk',
        ConsistentRead: true,
      }),
    );
    return Item !== undefined;
  }
}

/**
 * Applies a message's effect at most once per consumer (design G3): the effect and the record that it happened
 * commit in one transaction, so no crash can leave one without the other.
 *
 * Two deliveries of the same message, at the same time:
 *
 *     first                          second
 *     decide -> effect               decide -> effect
 *     transact: committed
 *                                    transact: cancelled, record exists
 *     acknowledge                    acknowledge, effect discarded
 *
 * A crash before `transact` changes nothing: the queue delivers again. A crash after it is the second column.
 *
 * A refusal by `decide` may be no more than its own earlier success seen again ("already cancelled"). So the record is
 * read after it, never before: between an early read and the load another delivery could commit.
 *
 * @returns `applied`, or `duplicate` where an earlier delivery had been applied, or was recorded as failed
 * @throws what `decide` throws, {@link WriteConflict} after five lost races, and any other failure of the transaction:
 *   nothing was written, and the message stays in its queue
 */
export async function processOnce(
  message: Envelope,
  decide: Decide,
  records: ProcessedRecords,
  recorded?: Recorded,
): Promise<'applied' | 'duplicate'> {
  let refused: TransactionRefused | undefined;
  try {
    return await untilRaceIsWon(async () => {
      const claim = records.claim(message, recorded);
      try {
        const effect = await decide(refused);
        await transact([claim, ...effect.filter((write) => !clears(write, claim))]);
        return 'applied';
      } catch (error) {
        refused = error instanceof TransactionRefused ? error : undefined;
        // In a cancelled transaction the record's reason outranks every other.
        if (refused?.because(claim)) return 'duplicate';
        throw error;
      }
    });
  } catch (error) {
    // That the record is there says nothing then. What becomes of it on a failure is conditional on what it says.
    if (!recorded && (await records.has(message))) return 'duplicate';
    throw error;
  }
}

/** Whether an owner clears the very timer that it handles. The claim ends it, and a transaction has one write an item. */
const clears = ({ Delete }: TransactWriteItem, { Update }: TransactWriteItem): boolean =>
  Delete !== undefined && Delete.TableName === Update?.TableName && Delete.Key?.pk === Update?.Key?.pk;
