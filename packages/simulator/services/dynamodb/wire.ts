/**
 * Shapes of DynamoDB's JSON wire protocol, as `JSON.parse` returns them: binary is base64 text, numbers are text.
 *
 * AWS, "DynamoDB low-level API" and "API Reference: AttributeValue".
 */
export type AttributeValue =
  | { readonly S: string }
  | { readonly N: string }
  | { readonly B: string }
  | { readonly BOOL: boolean }
  | { readonly NULL: true }
  | { readonly SS: readonly string[] }
  | { readonly NS: readonly string[] }
  | { readonly BS: readonly string[] }
  | { readonly L: readonly AttributeValue[] }
  | { readonly M: Item };

export type TypeName = 'S' | 'N' | 'B' | 'BOOL' | 'NULL' | 'SS' | 'NS' | 'BS' | 'L' | 'M';
export type KeyType = 'S' | 'N' | 'B';

/** Stored items are frozen and shared between answers: no code changes one in place. */
export type Item = { readonly [attribute: string]: AttributeValue };

/** A request or an answer. */
export type WireObject = { readonly [member: string]: unknown };

/** One item of one table, as a request names it. */
export interface ItemKey {
  readonly table: string;
  readonly key: Item;
}

/** Units of one table or of one of its indexes, by AWS's rules. */
export interface Consumed {
  readonly table: string;
  /** Absent for the table itself. */
  readonly index?: string;
  readonly read: number;
  readonly write: number;
}

/** A change of one item; `before` or `after` is absent if there was or is no item. */
export interface Change extends ItemKey {
  readonly before?: Item;
  readonly after?: Item;
}

/** Effects of a call besides its answer. */
export interface Effects {
  readonly consumed: readonly Consumed[];
  /** Each condition that was evaluated, in the order of the request. */
  readonly conditions: readonly (ItemKey & { readonly holds: boolean })[];
  /** Each written item, even if the write changed nothing (then `before` equals `after`). */
  readonly changes: readonly Change[];
}

export interface CallResult {
  readonly output: WireObject;
  readonly effects: Effects;
}

/** A stream record as a Lambda function gets it, without `eventSourceARN`. */
export interface StreamRecord {
  readonly eventID: string;
  readonly eventName: 'INSERT' | 'MODIFY' | 'REMOVE';
  readonly eventVersion: '1.1';
  readonly eventSource: 'aws:dynamodb';
  readonly awsRegion: string;
  readonly dynamodb: {
    /** Epoch seconds, rounded down. */
    readonly ApproximateCreationDateTime: number;
    readonly Keys: Item;
    readonly NewImage?: Item;
    readonly OldImage?: Item;
    readonly SequenceNumber: string;
    readonly SizeBytes: number;
    readonly StreamViewType: StreamViewType;
  };
  /** Present only for deletions by TTL. */
  readonly userIdentity?: { readonly type: 'Service'; readonly principalId: 'dynamodb.amazonaws.com' };
}

export type StreamViewType = 'KEYS_ONLY' | 'NEW_IMAGE' | 'OLD_IMAGE' | 'NEW_AND_OLD_IMAGES';

export interface ShardPage {
  readonly records: readonly StreamRecord[];
  /** Start of the next read: the last record's sequence number, or the requested one if there was no record. */
  readonly next: string | undefined;
  /** Records after `fromSequence` were older than 24 h and are gone. */
  readonly trimmed: boolean;
  /** The shard is closed, and was read to its end. */
  readonly ended: boolean;
}
