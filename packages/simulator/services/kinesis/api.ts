import type { EventLoop } from '../../engine/event-loop.js';
import { type FunctionCall, type Operations, paginate, Refused, toSeconds } from '../../wire/operation.js';
import type { Input } from '../../wire/request.js';
import type { KinesisRecord, KinesisShard, KinesisStream, KinesisStreams } from './model.js';

/** Amazon Kinesis Data Streams API Reference, "PutRecords", "PutRecord", "GetRecords", "GetShardIterator". */
const MAX_ENTRIES = 500;
const MAX_BYTES = 1024 * 1024;
const MAX_RECORDS = 10_000;
const ITERATOR_KEPT = 5 * 60_000;
const PAGE = 100;

/** Parts of an account that streams need. */
interface Account {
  readonly kinesis: KinesisStreams;
  readonly world: EventLoop;
}

/** Data streams and their records. Amazon Kinesis Data Streams API Reference, "Actions". */
export function kinesisApi({ kinesis, world }: Account): Operations {
  const at = (input: Input): KinesisStream => findStream(kinesis, input);
  return {
    PutRecord: (input) => accepted(put(at(input), input)),
    PutRecords: (input, call) => putRecords(at(input), input, call),
    ListStreams: ({ ExclusiveStartStreamName, Limit = PAGE }) => {
      const names = kinesis
        .list()
        .map(({ name }) => name)
        .sort();
      const behind = names.filter(
        (name) => ExclusiveStartStreamName === undefined || name > String(ExclusiveStartStreamName),
      );
      return { StreamNames: behind.slice(0, Number(Limit)), HasMoreStreams: behind.length > Number(Limit) };
    },
    DescribeStream: (input) => ({
      StreamDescription: {
        ...describe(at(input), world),
        Shards: at(input).shards.map(describeShard),
        HasMoreShards: false,
      },
    }),
    DescribeStreamSummary: (input) => ({
      StreamDescriptionSummary: {
        ...describe(at(input), world),
        OpenShardCount: at(input).shards.length,
        ConsumerCount: 0,
      },
    }),
    ListShards: (input) => {
      const { page, next } = paginate(at(input).shards, input.NextToken, Number(input.MaxResults ?? 1000));
      return { Shards: page.map(describeShard), ...(next !== undefined && { NextToken: next }) };
    },
    GetShardIterator: (input) => {
      const stream = at(input);
      const shard = findShard(stream, input);
      return { ShardIterator: toIterator(stream, shard, positionOf(stream, shard, input), world.now) };
    },
    GetRecords: ({ ShardIterator, Limit = MAX_RECORDS }) => {
      const { stream, shard, from } = readIterator(kinesis, ShardIterator, world.now);
      const { records, next } = stream.read(shard, from, Number(Limit));
      const waiting = stream.read(shard, next, 1).records[0];
      return {
        Records: records.map(describeRecord),
        NextShardIterator: toIterator(stream, shard, next, world.now),
        MillisBehindLatest: waiting ? world.now - waiting.at : 0,
      };
    },
  };
}

function findStream(kinesis: KinesisStreams, { StreamARN, StreamName }: Input): KinesisStream {
  const found = StreamARN === undefined ? kinesis.findByName(String(StreamName)) : kinesis.find(String(StreamARN));
  if (!found) throw notFound(`Stream ${String(StreamARN ?? StreamName)} not found.`);
  return found;
}

const notFound = (message: string): Refused => new Refused('ResourceNotFoundException', message);

function put(stream: KinesisStream, { PartitionKey, Data = '', ExplicitHashKey }: Input): KinesisRecord {
  const key = String(PartitionKey ?? '');
  if (key === '' || key.length > 256) throw invalid("'partitionKey' must have a length between 1 and 256");
  if (Buffer.byteLength(String(Data), 'base64') + Buffer.byteLength(key) > MAX_BYTES)
    throw invalid(`a record with its partition key must not have more than ${MAX_BYTES} bytes`);
  return stream.put(key, String(Data), ExplicitHashKey === undefined ? undefined : BigInt(String(ExplicitHashKey)));
}

const invalid = (what: string): Refused => new Refused('ValidationException', `1 validation error detected: ${what}`);

/** "PutRecords": each record succeeds or fails by itself, and the answer is no error. */
function putRecords(stream: KinesisStream, { Records = [] }: Input, call?: FunctionCall): object {
  const entries = Records as readonly Input[];
  if (entries.length === 0 || entries.length > MAX_ENTRIES)
    throw invalid(`'records' must have between 1 and ${MAX_ENTRIES} members`);
  const results = entries.map((entry, at) => {
    const refused = call?.refusedEntries?.get(at);
    return refused === undefined
      ? accepted(put(stream, entry))
      : { ErrorCode: refused, ErrorMessage: 'Internal service failure.' };
  });
  return { FailedRecordCount: results.filter((result) => 'ErrorCode' in result).length, Records: results };
}

const accepted = ({ shardId, sequence }: KinesisRecord): object => ({ ShardId: shardId, SequenceNumber: sequence });

const describe = ({ name, resource, retention }: KinesisStream, { begins }: EventLoop): object => ({
  StreamName: name,
  StreamARN: resource.arn,
  StreamStatus: 'ACTIVE',
  StreamModeDetails: resource.properties.StreamModeDetails ?? { StreamMode: 'PROVISIONED' },
  RetentionPeriodHours: retention / 3_600_000,
  StreamCreationTimestamp: toSeconds(begins),
  EnhancedMonitoring: [{ ShardLevelMetrics: [] }],
  EncryptionType: resource.properties.StreamEncryption === undefined ? 'NONE' : 'KMS',
});

const describeShard = ({ shardId, firstHash, lastHash, firstSequence }: KinesisShard): object => ({
  ShardId: shardId,
  HashKeyRange: { StartingHashKey: String(firstHash), EndingHashKey: String(lastHash) },
  SequenceNumberRange: { StartingSequenceNumber: firstSequence },
});

const describeRecord = ({ sequence, at, data, partitionKey }: KinesisRecord): object => ({
  SequenceNumber: sequence,
  ApproximateArrivalTimestamp: toSeconds(at),
  Data: data,
  PartitionKey: partitionKey,
});

function findShard(stream: KinesisStream, { ShardId }: Input): KinesisShard {
  const found = stream.findShard(String(ShardId));
  if (!found) throw notFound(`Shard ${String(ShardId)} in stream ${stream.name} does not exist`);
  return found;
}

/** Returns the sequence number behind which to read; `undefined` for the beginning. */
function positionOf(stream: KinesisStream, shard: KinesisShard, input: Input): string | undefined {
  const { ShardIteratorType, StartingSequenceNumber, Timestamp } = input;
  const before = (is: (record: KinesisRecord) => boolean): string | undefined => {
    const { records } = stream.read(shard, undefined, Number.POSITIVE_INFINITY);
    const first = records.findIndex(is);
    return first < 0 ? records.at(-1)?.sequence : (records[first - 1]?.sequence ?? shard.trimmed);
  };
  switch (ShardIteratorType) {
    case 'TRIM_HORIZON':
      return shard.trimmed;
    case 'LATEST':
      return before(() => false);
    case 'AFTER_SEQUENCE_NUMBER':
      return String(StartingSequenceNumber);
    case 'AT_SEQUENCE_NUMBER':
      return before(({ sequence }) => sequence >= String(StartingSequenceNumber));
    case 'AT_TIMESTAMP':
      return before(({ at }) => at >= Number(Timestamp) * 1000);
    default:
      throw invalid(`'shardIteratorType' ${String(ShardIteratorType)} is unknown`);
  }
}

const toIterator = ({ name }: KinesisStream, { shardId }: KinesisShard, from: string | undefined, at: number): string =>
  Buffer.from(JSON.stringify([name, shardId, from ?? null, at])).toString('base64');

function readIterator(kinesis: KinesisStreams, iterator: unknown, now: number) {
  const [name, shardId, from, at] = parse(iterator);
  const stream = findStream(kinesis, { StreamName: name });
  if (now > Number(at) + ITERATOR_KEPT)
    throw new Refused('ExpiredIteratorException', 'Iterator expired: an iterator can be used for 5 minutes.');
  return { stream, shard: findShard(stream, { ShardId: shardId }), from: from === null ? undefined : String(from) };
}

function parse(iterator: unknown): readonly unknown[] {
  try {
    return JSON.parse(Buffer.from(String(iterator), 'base64').toString()) as readonly unknown[];
  } catch {
    throw new Refused('InvalidArgumentException', 'Invalid ShardIterator.');
  }
}
