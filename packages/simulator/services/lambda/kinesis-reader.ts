import { parseData } from '../../wire/embedded-json.js';
import type { KinesisRecord, KinesisShard, KinesisStream } from '../kinesis/model.js';
import type { StreamReader } from './stream-reader.js';

/** Reads a data stream. AWS Lambda Developer Guide, "Process Amazon Kinesis Data Streams records with Lambda". */
export class KinesisReader implements StreamReader<KinesisRecord> {
  readonly rights = ['kinesis:GetRecords', 'kinesis:GetShardIterator', 'kinesis:DescribeStream'];
  readonly batchInfo = 'KinesisBatchInfo';

  /** @param role ARN of the role that reads */
  constructor(
    private readonly stream: KinesisStream,
    private readonly role: string,
  ) {}

  get retention(): number {
    return this.stream.retention;
  }

  listShards(): readonly KinesisShard[] {
    return this.stream.shards;
  }

  readShard(shardId: string, from: string | undefined, limit: number) {
    return this.stream.read(this.stream.findShard(shardId) as KinesisShard, from, limit);
  }

  keyOf({ partitionKey }: KinesisRecord): string {
    return partitionKey;
  }

  sequenceOf({ sequence }: KinesisRecord): string {
    return sequence;
  }

  idOf({ shardId, sequence }: KinesisRecord): string {
    return `${shardId}:${sequence}`;
  }

  timeOf({ at }: KinesisRecord): number {
    return at;
  }

  /** "Filtering with Kinesis": patterns see the data as JSON. */
  filtered(record: KinesisRecord): object {
    const { kinesis, ...event } = this.toEvent(record, this.stream.resource.arn);
    return { ...event, ...kinesis, data: parseData(record.data) };
  }

  toEvent(record: KinesisRecord, source: string) {
    const { sequence, partitionKey, data, at } = record;
    return {
      kinesis: {
        kinesisSchemaVersion: '1.0',
        partitionKey,
        sequenceNumber: sequence,
        data,
        approximateArrivalTimestamp: at / 1000,
      },
      eventSource: 'aws:kinesis',
      eventVersion: '1.0',
      eventID: this.idOf(record),
      eventName: 'aws:kinesis:record',
      invokeIdentityArn: this.role,
      awsRegion: source.split(':')[3],
      eventSourceARN: source,
    };
  }
}
