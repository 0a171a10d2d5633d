import {
  type CancellationReason,
  ConditionalCheckFailedException,
  DynamoDBClient,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, type PutCommandInput, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { checkItemSize, checkTransactionSize } from './dynamodb-limits.js';
import type { Item, TransactWriteItem } from './items.js';
import { putsOf, traceCommits } from './spans.js';
import { Throttled, WriteConflict } from './write-conflict.js';

export type { Item, TransactWriteItem };

const THROTTLED = new Set(['ThrottlingError', 'ProvisionedThroughputExceeded']);
/**
 * Inactivity of a connection before it is closed, in milliseconds. A dead connection must not use up the time of a
 * function's batch.
 */
export const SOCKET_TIMEOUT_MS = 5_000;

/**
 * Client for the whole execution environment. It keeps connections alive between invocations.
 * @example
 * const { Item } = await documentClient.send(new GetCommand({ TableName: requireEnv(Env.TABLE), Key: { pk, sk } }));
 */
export const documentClient = DynamoDBDocumentClient.from(
  new DynamoDBClient({ requestHandler: { socketTimeout: SOCKET_TIMEOUT_MS } }),
  {
    marshallOptions: { removeUndefinedValues: true },
  },
);
toFastProperties(documentClient.config);

/**
 * Makes copies of an object cheap. V8 keeps an object as a hash table if many properties were added to it one by one. It gives the object
 * a fixed layout, which it copies nine times as fast, when properties are enumerated of another object that inherits from it.
 *
 * The SDK copies its client's configuration for several steps of each call: that took a fifth of the call's CPU.
 */
function toFastProperties(object: object): void {
  for (const _ in Object.create(object)) break;
}

/**
 * Error for a conditional write that found another item under its key. `existing` is that item at the moment of the
 * refusal.
 */
export class ItemExists extends Error {
  override readonly name = 'ItemExists';
  constructor(readonly existing: Item) {
    super('an item of that key exists');
  }
}

/**
 * Error for a transaction that at least one of its conditions refused: another writer was first. Nothing was written.
 */
export class TransactionRefused extends WriteConflict {
  override readonly name = 'TransactionRefused';
  constructor(
    private readonly writes: readonly TransactWriteItem[],
    private readonly reasons: readonly CancellationReason[],
  ) {
    super('a condition of the transaction does not hold');
  }

  /** Tells whether this write's condition is among those that failed. */
  conditionFailedFor(write: TransactWriteItem): boolean {
    return this.reasons[this.writes.indexOf(write)]?.Code === 'ConditionalCheckFailed';
  }

  /**
   * Tells whether another transaction had this write's item: DynamoDB has not looked at its condition, and the write might
   * have been refused, too.
   */
  conflictedOn(write: TransactWriteItem): boolean {
    return this.reasons[this.writes.indexOf(write)]?.Code === 'TransactionConflict';
  }

  /**
   * Returns the item that this write found under its key. The write must ask for it
   * (`ReturnValuesOnConditionCheckFailure: ALL_OLD`).
   */
  existingItem(write: TransactWriteItem): Item | undefined {
    const item = this.reasons[this.writes.indexOf(write)]?.Item;
    return item && unmarshall(item);
  }
}

/**
 * Puts an item that must not replace another one.
 *
 * PutItem has no request token. After a lost answer, the SDK's retry finds the item that the first attempt wrote. The
 * caller must tell it from a rival's item by what `existing` says.
 * @throws {ItemExists} if there is an item with this key
 * @throws {WriteConflict} if a transaction was in the way
 * @throws what the SDK throws after its last retry
 */
export async function putNew(
  put: Pick<PutCommandInput, 'TableName' | 'Item'>,
  client: DynamoDBDocumentClient = documentClient,
): Promise<void> {
  checkItemSize(put.Item ?? {});
  try {
    const sent = client.send(
      new PutCommand({
        ...put,
        ConditionExpression: 'attribute_not_exists(pk)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    if (process.env.KIT_TRACES === 'on') traceCommits(sent, 'PutItem', [put]);
    await sent;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException && error.Item) throw new ItemExists(unmarshall(error.Item));
    if (error instanceof TransactionConflictException) throw new WriteConflict('put', { cause: error });
    throw error;
  }
}

/**
 * Writes all items in one transaction, or none.
 *
 * The SDK gives each call a request token of its own. DynamoDB recognises the SDK's retry after a lost answer for 10
 * minutes.
 * @example
 * // An event, and a write that must not happen without it.
 * await transact([tickets.appendWrite(commit), { Put: { TableName: requireEnv(Env.TABLE), Item: row } }]);
 * @throws {TransactionRefused} if a condition failed, even if the same answer also reports conflicts with others
 * @throws {WriteConflict} if another transaction was in the way
 * @throws {Throttled} if DynamoDB throttled the transaction
 */
export async function transact(writes: readonly TransactWriteItem[]): Promise<void> {
  checkTransactionSize(writes);
  try {
    const sent = documentClient.send(new TransactWriteCommand({ TransactItems: [...writes] }));
    if (process.env.KIT_TRACES === 'on') traceCommits(sent, 'TransactWriteItems', putsOf(writes));
    await sent;
  } catch (error) {
    if (error instanceof TransactionCanceledException) {
      const reasons = error.CancellationReasons ?? [];
      if (reasons.some(({ Code }) => Code === 'ConditionalCheckFailed')) throw new TransactionRefused(writes, reasons);
      const has = (code: (Code: string) => boolean) => reasons.some(({ Code }) => Code !== undefined && code(Code));
      if (has((Code) => Code === 'TransactionConflict')) throw new WriteConflict('transaction', { cause: error });
      if (has((Code) => THROTTLED.has(Code))) throw new Throttled('transaction', { cause: error });
    }
    throw error;
  }
}
