import type { Effects, Item } from './wire.js';

const NO_EFFECTS: Effects = { consumed: [], conditions: [], changes: [] };
const DYNAMODB = 'com.amazonaws.dynamodb.v20120810#';

/** Reason for which one item prevented a transaction; `None` for the others. */
export interface CancellationReason {
  readonly Code:
    | 'None'
    | 'ConditionalCheckFailed'
    | 'DuplicateItem'
    | 'TransactionConflict'
    | 'ThrottlingError'
    | 'ValidationError';
  readonly Message?: string;
  readonly Item?: Item;
}

/**
 * A refusal in its wire form. AWS, "Error handling with DynamoDB".
 *
 * `effects` is the capacity that the refused call consumed: a condition that fails costs write units.
 */
export class DynamoDbError extends Error {
  override readonly name = 'DynamoDbError';
  /** HTTP status. */
  readonly status = 400;
  /** The JSON body, `__type` included. */
  readonly body: { readonly [member: string]: unknown };

  constructor(
    /** Value of `__type`: `com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException`. */
    readonly code: string,
    message: string,
    more: { readonly [member: string]: unknown } = {},
    readonly effects: Effects = NO_EFFECTS,
  ) {
    super(message);
    this.body = { __type: code, ...more, message };
  }

  /** The part of `code` after `#`: `ConditionalCheckFailedException`. */
  get type(): string {
    return this.code.slice(this.code.indexOf('#') + 1);
  }
}

/**
 * A refusal because of one item: of its key, its attributes or its size. A transaction is cancelled for it; any other
 * request gets it as it is. AWS, "API Reference: CancellationReason" (ValidationError).
 */
export class ItemRefused extends DynamoDbError {}

export const validation = (message: string): DynamoDbError =>
  new DynamoDbError('com.amazon.coral.validate#ValidationException', message);

/** @param violations each `Value ... at ... failed to satisfy constraint: ...`; AWS reports at most ten */
export const constraintsViolated = (violations: readonly string[]): DynamoDbError =>
  validation(
    `${violations.length} validation error${violations.length === 1 ? '' : 's'} detected: ${violations.slice(0, 10).join('; ')}`,
  );

export const itemRefused = (message: string): ItemRefused =>
  new ItemRefused('com.amazon.coral.validate#ValidationException', message);

export const serialization = (message: string): DynamoDbError =>
  new DynamoDbError('com.amazon.coral.service#SerializationException', message);

export const notFound = (what?: string): DynamoDbError =>
  new DynamoDbError(
    `${DYNAMODB}ResourceNotFoundException`,
    `Requested resource not found${what === undefined ? '' : `: ${what}`}`,
  );

export const inUse = (message: string): DynamoDbError =>
  new DynamoDbError(`${DYNAMODB}ResourceInUseException`, message);

export const tableExists = (name: string): DynamoDbError =>
  new DynamoDbError(`${DYNAMODB}TableAlreadyExistsException`, `Table already exists: ${name}`);

export const tableMissing = (name: string): DynamoDbError =>
  new DynamoDbError(`${DYNAMODB}TableNotFoundException`, `Table not found: ${name}`);

export const noRecovery = (name: string): DynamoDbError =>
  new DynamoDbError(
    `${DYNAMODB}PointInTimeRecoveryUnavailableException`,
    `Point in time recovery is not enabled for table: ${name}`,
  );

export const invalidRestoreTime = (): DynamoDbError =>
  new DynamoDbError(
    `${DYNAMODB}InvalidRestoreTimeException`,
    'An invalid restore time was specified. RestoreDateTime must be between EarliestRestorableDateTime and LatestRestorableDateTime.',
  );

export const limitExceeded = (message: string): DynamoDbError =>
  new DynamoDbError(`${DYNAMODB}LimitExceededException`, message);

export const accessDenied = (action: string, resource: string): DynamoDbError =>
  new DynamoDbError(
    'com.amazon.coral.service#AccessDeniedException',
    `User is not authorized to perform: dynamodb:${action} on resource: ${resource}`,
  );

export const trimmedData = (): DynamoDbError =>
  new DynamoDbError(
    `${DYNAMODB}TrimmedDataAccessException`,
    'Attempt to access a trimmed record: the oldest records of a shard are deleted after 24 hours',
  );

export const expiredIterator = (): DynamoDbError =>
  new DynamoDbError(
    `${DYNAMODB}ExpiredIteratorException`,
    'The shard iterator has expired: it is valid for 15 minutes',
  );

/** `found` is present if the request asked for it (`ReturnValuesOnConditionCheckFailure`). */
export const conditionFailed = (found: Item | undefined, effects: Effects): DynamoDbError =>
  new DynamoDbError(
    `${DYNAMODB}ConditionalCheckFailedException`,
    'The conditional request failed',
    found ? { Item: found } : {},
    effects,
  );

export const duplicateItem = (effects: Effects): DynamoDbError =>
  new DynamoDbError(`${DYNAMODB}DuplicateItemException`, 'Duplicate primary key exists in table', {}, effects);

export const conflict = (): DynamoDbError =>
  new DynamoDbError(`${DYNAMODB}TransactionConflictException`, 'Transaction is ongoing for the item');

/** AWS, "API Reference: TransactWriteItems" (cancellation reasons of tables and of indexes in on-demand mode). */
const EXCEEDED = {
  table:
    'Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or index so please try again shortly.',
  index:
    'Throughput exceeds the current capacity for one or more global secondary indexes. DynamoDB is automatically scaling your index so please try again shortly.',
};

/** A partition of a table in on-demand mode, or of its index, has no units left. */
export const throttled = (owner: 'table' | 'index', operation: 'Read' | 'Write'): DynamoDbError =>
  new DynamoDbError('com.amazon.coral.availability#ThrottlingException', EXCEEDED[owner], {
    throttlingReasons: [{ reason: `${owner === 'table' ? 'Table' : 'Index'}${operation}KeyRangeThroughputExceeded` }],
  });

export const throttlingReason = (owner: 'table' | 'index'): CancellationReason => ({
  Code: 'ThrottlingError',
  Message: EXCEEDED[owner],
});

export const inProgress = (): DynamoDbError =>
  new DynamoDbError(
    `${DYNAMODB}TransactionInProgressException`,
    'The transaction with the given request token is already in progress.',
  );

export const parameterMismatch = (): DynamoDbError =>
  new DynamoDbError(
    `${DYNAMODB}IdempotentParameterMismatchException`,
    'Request rejected because it was retried with a payload that does not match a previously used payload with the same client token.',
  );

export const cancelled = (reasons: readonly CancellationReason[], effects: Effects): DynamoDbError =>
  new DynamoDbError(
    `${DYNAMODB}TransactionCanceledException`,
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${reasons.map(({ Code }) => Code).join(', ')}]`,
    { CancellationReasons: reasons },
    effects,
  );
