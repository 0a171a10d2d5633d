/** AWS, "DynamoDB Streams API Reference: ListStreams, DescribeStream, GetShardIterator, GetRecords". */
import { expiredIterator, notFound, trimmedData, validation } from '../errors.js';
import { anything, atLeast, oneOf, tableName } from '../operations/constraints.js';
import { readRequest } from '../operations/request.js';
import { defineShape } from '../operations/shape.js';
import { attributeNames } from '../table-definition.js';
import type { StreamRecord, WireObject } from '../wire.js';
import type { Catalog } from './catalog.js';
import type { StreamEntry } from './stream-archive.js';

const MAX_LISTED = 100;
const MAX_RECORDS = 1000;
const ITERATOR_MS = 15 * 60 * 1000;
const POSITIONS = ['TRIM_HORIZON', 'LATEST', 'AT_SEQUENCE_NUMBER', 'AFTER_SEQUENCE_NUMBER'] as const;

const listed = atLeast(1, MAX_LISTED);
const LIST = defineShape([], { TableName: tableName, ExclusiveStartStreamArn: anything, Limit: listed });
const DESCRIBE = defineShape(['StreamArn'], { ExclusiveStartShardId: anything, Limit: listed });
const ITERATOR = defineShape(['StreamArn', 'ShardId', 'ShardIteratorType'], {
  ShardIteratorType: oneOf(...POSITIONS),
  SequenceNumber: anything,
});
const RECORDS = defineShape(['ShardIterator'], { Limit: atLeast(1, MAX_RECORDS) });

/** A position in a shard, as text that clients pass back. */
interface Position {
  readonly stream: string;
  readonly shard: string;
  /** Records after this sequence number are read; from the oldest one if it is absent. */
  readonly after?: string;
  readonly issuedAt: number;
}

export function listStreams(catalog: Catalog, input: WireObject): WireObject {
  const { TableName, ExclusiveStartStreamArn: after, Limit = MAX_LISTED } = readRequest(input, LIST);
  const all = catalog.streams.list().filter(({ table }) => TableName === undefined || table === TableName);
  const start = after === undefined ? 0 : all.findIndex(({ arn }) => arn === after) + 1;
  const page = all.slice(start, start + Number(Limit));
  return {
    Streams: page.map(({ arn, table, label }) => ({ StreamArn: arn, TableName: table, StreamLabel: label })),
    ...(start + page.length < all.length ? { LastEvaluatedStreamArn: page.at(-1)?.arn } : {}),
  };
}

export function describeStream(catalog: Catalog, input: WireObject): WireObject {
  const { StreamArn, ExclusiveStartShardId: after, Limit = MAX_LISTED } = readRequest(input, DESCRIBE);
  const entry = catalog.streams.find(StreamArn);
  const { shards } = entry.stream;
  const start = after === undefined ? 0 : shards.findIndex(({ id }) => id === after) + 1;
  const page = shards.slice(start, start + Number(Limit));
  const names = attributeNames(entry.key);
  return {
    StreamDescription: {
      StreamArn: entry.arn,
      StreamLabel: entry.label,
      StreamStatus: entry.disabledAt === undefined ? 'ENABLED' : 'DISABLED',
      StreamViewType: entry.view,
      CreationRequestDateTime: entry.createdAt / 1000,
      TableName: entry.table,
      KeySchema: names.map((AttributeName, at) => ({ AttributeName, KeyType: at === 0 ? 'HASH' : 'RANGE' })),
      Shards: page.map((shard) => ({
        ShardId: shard.id,
        ...(shard.parent === undefined ? {} : { ParentShardId: shard.parent }),
        SequenceNumberRange: {
          StartingSequenceNumber: shard.first,
          ...(shard.closed || entry.disabledAt !== undefined
            ? { EndingSequenceNumber: entry.stream.lastSequence(shard) }
            : {}),
        },
      })),
      ...(start + page.length < shards.length ? { LastEvaluatedShardId: page.at(-1)?.id } : {}),
    },
  };
}

export function getShardIterator(catalog: Catalog, input: WireObject): WireObject {
  const { StreamArn, ShardId, ShardIteratorType: type, SequenceNumber } = readRequest(input, ITERATOR);
  const { stream, arn } = catalog.streams.find(StreamArn);
  const shard = findShard(stream, String(ShardId));
  const position = { stream: arn, shard: shard.id, issuedAt: catalog.options.now() };
  if (type === 'TRIM_HORIZON') return { ShardIterator: encodeIterator(position) };
  if (type === 'LATEST') return { ShardIterator: encodeIterator({ ...position, after: stream.lastSequence(shard) }) };
  if (typeof SequenceNumber !== 'string') {
    throw validation(`Sequence number is required for ShardIteratorType ${String(type)}`);
  }
  if (shard.trimmed !== undefined && SequenceNumber <= shard.trimmed) throw trimmedData();
  const after = type === 'AT_SEQUENCE_NUMBER' ? stream.before(shard, SequenceNumber) : SequenceNumber;
  return { ShardIterator: encodeIterator({ ...position, ...(after === undefined ? {} : { after }) }) };
}

/** A shard that is still written to always has a next iterator; a closed one, or one of a disabled stream, ends. */
export function getRecords(catalog: Catalog, input: WireObject): WireObject {
  const { ShardIterator, Limit = MAX_RECORDS } = readRequest(input, RECORDS);
  const now = catalog.options.now();
  const position = decodeIterator(ShardIterator);
  if (position.issuedAt < now - ITERATOR_MS) throw expiredIterator();
  const { stream, disabledAt } = catalog.streams.find(position.stream);
  const shard = findShard(stream, position.shard);
  const page = stream.read(shard, position.after, Number(Limit), now);
  if (page.trimmed && position.after !== undefined) throw trimmedData();
  const ended = page.ended || (disabledAt !== undefined && (page.next ?? shard.first) >= stream.lastSequence(shard));
  const next = { ...position, issuedAt: now, ...(page.next === undefined ? {} : { after: page.next }) };
  return {
    Records: page.records.map(asRecord),
    ...(ended ? {} : { NextShardIterator: encodeIterator(next) }),
  };
}

/** The API writes the members of an identity in capitals; Lambda's events don't. */
const asRecord = ({ userIdentity, ...record }: StreamRecord): WireObject => ({
  ...record,
  ...(userIdentity ? { userIdentity: { PrincipalId: userIdentity.principalId, Type: userIdentity.type } } : {}),
});

function findShard(stream: StreamEntry['stream'], id: string) {
  const found = stream.shards.find((shard) => shard.id === id);
  if (!found) throw notFound(`Shard: ${id} in Stream not found`);
  return found;
}

const encodeIterator = (position: Position): string =>
  `${position.stream}|1|${Buffer.from(JSON.stringify(position)).toString('base64')}`;

/** @throws {DynamoDbError} ValidationException if it isn't an iterator of this service */
function decodeIterator(iterator: unknown): Position {
  try {
    return JSON.parse(Buffer.from(String(iterator).split('|')[2] ?? '', 'base64').toString()) as Position;
  } catch {
    throw validation('Invalid ShardIterator');
  }
}
