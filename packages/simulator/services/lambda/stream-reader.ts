import type { DynamoDbModel } from '../dynamodb/model.js';
import type { StreamRecord } from '../dynamodb/wire.js';

/** A stream of records in shards, as its poller sees it. */
export interface StreamReader<R> {
  /** Rights of the role that reads it. */
  readonly rights: readonly string[];
  /** Milliseconds for which a record is kept. */
  readonly retention: number;
  /** Member of a record about discarded records that describes their batch. */
  readonly batchInfo: 'DDBStreamBatchInfo' | 'KinesisBatchInfo';
  /** Shards that can be read, each behind its parent. */
  listShards(): readonly { readonly shardId: string; readonly parentShardId?: string | undefined }[];
  /** Reads a shard behind a position. @param from sequence number; `undefined` is the shard's beginning */
  readShard(
    shardId: string,
    from: string | undefined,
    limit: number,
  ): {
    readonly records: readonly R[];
    readonly next: string | undefined;
    readonly trimmed: boolean;
    readonly ended: boolean;
  };
  /** Records of one key are handled in order. */
  keyOf(record: R): string;
  sequenceOf(record: R): string;
  /** Returns the id of the event that has the record. */
  idOf(record: R): string;
  /** Time at which the stream took it, milliseconds since 1970. */
  timeOf(record: R): number;
  /** Returns the record as filters see it. */
  filtered(record: R): object;
  /** Returns the record as an event has it. @param source ARN of the stream */
  toEvent(record: R, source: string): object;
}

/** Reads the stream of a table. AWS Lambda, "Using AWS Lambda with Amazon DynamoDB". */
export class TableStreamReader implements StreamReader<StreamRecord> {
  readonly rights = ['dynamodb:GetRecords', 'dynamodb:GetShardIterator', 'dynamodb:DescribeStream'];
  readonly retention = 24 * 3_600_000;
  readonly batchInfo = 'DDBStreamBatchInfo';

  constructor(
    private readonly dynamodb: DynamoDbModel,
    private readonly table: string,
  ) {}

  listShards() {
    return this.dynamodb.listShards(this.table);
  }

  readShard(shardId: string, from: string | undefined, limit: number) {
    return this.dynamodb.readShard(shardId, from, limit);
  }

  keyOf({ dynamodb }: StreamRecord): string {
    return JSON.stringify(dynamodb.Keys);
  }

  sequenceOf({ dynamodb }: StreamRecord): string {
    return dynamodb.SequenceNumber;
  }

  idOf({ eventID }: StreamRecord): string {
    return eventID;
  }

  timeOf({ dynamodb }: StreamRecord): number {
    return dynamodb.ApproximateCreationDateTime * 1000;
  }

  filtered(record: StreamRecord): object {
    return record;
  }

  toEvent(record: StreamRecord, source: string): object {
    return { ...record, eventSourceARN: source };
  }
}
