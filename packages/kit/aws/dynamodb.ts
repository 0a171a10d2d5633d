import {
  type CancellationReason,
  ConditionalCheckFailedException,
  DynamoDBClient,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import {
  DynamoDBDocumentClient,
  PutCommand,
  type PutCommandInput,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { Throttled, WriteConflict } from '../http/errors.js';
import { checkItemSize, checkTransactionSize } from './dynamodb-limits.js';

/** An item as the document client reads and writes it. */
export type Item = Record<string, unknown>;

/** One write of a transaction: exactly one of Put, Update, Delete, ConditionCheck. */
export type TransactWriteItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

const THROTTLED = new Set(['ThrottlingError', 'ProvisionedThroughputExceeded']);
/** Of inactivity of a connection, in milliseconds: a dead one must not cost a batch its function's time. */
export const SOCKET_TIMEOUT_MS = 5_000;

/** One client for the whole execution environment: connections are kept alive between invocations. */
export const documents = DynamoDBDocumentClient.from(
  new DynamoDBClient({ requestHandler: { socketTimeout: SOCKET_TIMEOUT_MS } }),
  {
    marshallOptions: { removeUndefinedValues: true },
  },
);

/**
 * A conditional write found another item in its place. `existing` is that item, as it was at the moment of the refusal.
 */
export class ItemExists extends Error {
  override readonly name = 'ItemExists';
  constructor(readonly existing: Item) {
    super('an item of that key exists');
  }
}

/** A transaction was refused by at least one of its conditions: somebody else was first, and nothing was written. */
export class TransactionRefused extends WriteConflict {
  override readonly name = 'TransactionRefused';
  constructor(
    private readonly writes: readonly TransactWriteItem[],
    private readonly reasons: readonly CancellationReason[],
  ) {
    super('a condition of the transaction does not hold');
  }

  /** Whether this write's condition was among those that failed. */
  because(write: TransactWriteItem): boolean {
    return this.reasons[this.writes.indexOf(write)]?.Code === 'ConditionalCheckFailed';
  }

  /** What stood in the place of this write, where it asked for it (`ReturnValuesOnConditionCheckFailure: ALL_OLD`). */
  found(write: TransactWriteItem): Item | undefined {
    const item = this.reasons[this.writes.indexOf(write)]?.Item;
    return item && unmarshall(item);
  }
}

/**
 * A plain Put that must not replace anything.
 *
 * A PutItem has no request token: after a lost answer the SDK's retry meets its own item, and the caller must tell that
 * from a rival's by what `existing` says.
 * @throws {ItemExists} {@link WriteConflict} and what the SDK throws once its retries are over
 */
export async function putNew(
  put: Pick<PutCommandInput, 'TableName' | 'Item'>,
  client: DynamoDBDocumentClient = documents,
): Promise<void> {
  checkItemSize(put.Item ?? {});
  try {
    await client.send(
      new PutCommand({
        ...put,
        ConditionExpression: 'attribute_not_exists(pk)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException && error.Item) throw new ItemExists(unmarshall(error.Item));
    if (error instanceof TransactionConflictException) throw new WriteConflict('put', { cause: error });
    throw error;
  }
}

/**
 * Writes all or nothing. The SDK gives each call a request token of its own, so that its retry after a lost answer is
 * recognised for 10 minutes.
 * @throws {TransactionRefused} a condition failed: this outranks conflicts with others in the same answer
 * @throws {WriteConflict} another transaction was in the way; {@link Throttled} there was too much to do
 */
export async function transact(writes: readonly TransactWriteItem[]): Promise<void> {
  checkTransactionSize(writes);
  try {
    await documents.send(new TransactWriteCommand({ TransactItems: [...writes] }));
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
