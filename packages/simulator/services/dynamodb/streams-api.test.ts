import { expect, test } from 'vitest';
import { refusal } from '../../support/dynamodb/refusals.js';
import { model, TABLE } from '../../support/dynamodb/tables.js';
import type { Operation } from './model.js';
import type { Item, WireObject } from './wire.js';

const HOUR = 3_600_000;
const at = (pk: string, sk: number): Item => ({ pk: { S: pk }, sk: { N: String(sk) } });

/** A table with a stream of one shard. */
function streamed() {
  const { db, clock } = model({ shardsPerStream: 1 });
  const call = (operation: Operation, input: WireObject = {}) => db.call(operation, input).output;
  const [{ StreamArn } = { StreamArn: '' }] = call('ListStreams').Streams as readonly { StreamArn: string }[];
  const put = (sk: number) => call('PutItem', { TableName: TABLE, Item: at('a', sk) });
  const describe = (): WireObject => call('DescribeStream', { StreamArn }).StreamDescription as WireObject;
  const [{ ShardId } = { ShardId: '' }] = describe().Shards as readonly { ShardId: string }[];
  const iterator = (ShardIteratorType: string, SequenceNumber?: string): string =>
    String(
      call('GetShardIterator', { StreamArn, ShardId, ShardIteratorType, ...(SequenceNumber && { SequenceNumber }) })
        .ShardIterator,
    );
  const read = (ShardIterator: string, more: WireObject = {}) => {
    const { Records, NextShardIterator } = call('GetRecords', { ShardIterator, ...more });
    const records = Records as readonly { dynamodb: { Keys: Item; SequenceNumber: string } }[];
    const sortKeys = records.map(({ dynamodb }) => Number((dynamodb.Keys.sk as { N: string }).N));
    return { records, sortKeys, next: NextShardIterator as string | undefined };
  };
  return { db, clock, call, put, describe, iterator, read, StreamArn };
}

test('a stream is read from the oldest record, from now on, and from a record', () => {
  const { put, iterator, read } = streamed();
  put(1);
  const latest = iterator('LATEST');
  for (const sk of [2, 3]) put(sk);
  const { records, sortKeys, next } = read(iterator('TRIM_HORIZON'));
  expect(sortKeys).toEqual([1, 2, 3]);
  expect(read(next!).sortKeys).toEqual([]);
  expect(read(latest).sortKeys).toEqual([2, 3]);
  const second = records[1]!.dynamodb.SequenceNumber;
  expect(read(iterator('AT_SEQUENCE_NUMBER', second)).sortKeys).toEqual([2, 3]);
  expect(read(iterator('AFTER_SEQUENCE_NUMBER', second)).sortKeys).toEqual([3]);
  const first = read(iterator('AT_SEQUENCE_NUMBER', records[0]!.dynamodb.SequenceNumber), { Limit: 1 });
  expect(first.sortKeys).toEqual([1]);
  expect(read(first.next!).sortKeys).toEqual([2, 3]);
});

test('a stream that is disabled ends, can be read for a day, and makes room for another', () => {
  const { db, clock, call, put, describe, iterator, read, StreamArn } = streamed();
  expect(describe()).toMatchObject({ StreamStatus: 'ENABLED', TableName: TABLE, StreamViewType: 'NEW_IMAGE' });
  put(1);
  const change = (StreamSpecification: WireObject) =>
    call('UpdateTable', { TableName: TABLE, StreamSpecification }).TableDescription as WireObject;
  expect(change({ StreamEnabled: false })).not.toHaveProperty('StreamSpecification');
  put(2);
  expect(describe()).toMatchObject({ StreamStatus: 'DISABLED' });
  expect(read(iterator('TRIM_HORIZON'))).toMatchObject({ sortKeys: [1], next: undefined });
  const { LatestStreamArn } = change({ StreamEnabled: true, StreamViewType: 'KEYS_ONLY' });
  expect(LatestStreamArn).not.toBe(StreamArn);
  put(3);
  const shards = db.listShards(TABLE);
  expect(shards.map(({ shardId }) => shardId)).not.toContain((describe().Shards as readonly WireObject[])[0]?.ShardId);
  expect(shards.map(({ shardId }) => db.readShard(shardId, undefined, 10).records.length)).toEqual([1]);
  expect(call('ListStreams', { TableName: TABLE }).Streams).toHaveLength(2);
  clock.now += 24 * HOUR;
  expect(refusal(db, 'DescribeStream', { StreamArn }).type).toBe('ResourceNotFoundException');
  expect(call('ListStreams').Streams).toHaveLength(1);
});

test('a shard that rolled over names its end, and ends; its child names it', () => {
  const ends: ('rolls over' | undefined)[] = [undefined, 'rolls over'];
  const { db } = model({ shardsPerStream: 1, shardChange: () => ends.shift() });
  const call = (operation: Operation, input: WireObject = {}) => db.call(operation, input).output;
  const [{ StreamArn } = { StreamArn: '' }] = call('ListStreams').Streams as readonly { StreamArn: string }[];
  for (const sk of [1, 2]) call('PutItem', { TableName: TABLE, Item: at('a', sk) });
  const { Shards } = call('DescribeStream', { StreamArn }).StreamDescription as { Shards: readonly WireObject[] };
  const [parent, child] = Shards;
  expect(parent).toMatchObject({ SequenceNumberRange: { EndingSequenceNumber: expect.any(String) } });
  expect(child).toMatchObject({ ParentShardId: parent!.ShardId });
  expect(child).not.toHaveProperty('SequenceNumberRange.EndingSequenceNumber');
  const read = ({ ShardId }: WireObject) =>
    call('GetRecords', call('GetShardIterator', { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' }));
  expect(read(parent!)).toMatchObject({ Records: [{ dynamodb: { Keys: at('a', 1) } }] });
  expect(read(parent!)).not.toHaveProperty('NextShardIterator');
  expect(read(child!)).toMatchObject({ Records: [{}], NextShardIterator: expect.any(String) });
});

test('a deleted table’s stream can be read for a day', () => {
  const { db, clock, call, put, iterator, read, StreamArn } = streamed();
  put(1);
  call('DeleteTable', { TableName: TABLE });
  expect(read(iterator('TRIM_HORIZON')).sortKeys).toEqual([1]);
  clock.now += 24 * HOUR;
  expect(refusal(db, 'DescribeStream', { StreamArn }).type).toBe('ResourceNotFoundException');
});

test('an iterator is valid for 15 minutes, and old records are trimmed', () => {
  const { db, clock, put, iterator, read } = streamed();
  put(1);
  const { records, next } = read(iterator('TRIM_HORIZON'));
  clock.now += HOUR / 4 + 1;
  expect(refusal(db, 'GetRecords', { ShardIterator: next }).type).toBe('ExpiredIteratorException');
  put(2);
  clock.now += 24 * HOUR - 1;
  put(3);
  expect(read(iterator('TRIM_HORIZON')).sortKeys).toEqual([2, 3]);
  const [{ dynamodb }] = records as [(typeof records)[0]];
  const trimmed = () => iterator('AT_SEQUENCE_NUMBER', dynamodb.SequenceNumber);
  expect(trimmed).toThrow(/trimmed/);
  expect(refusal(db, 'GetRecords', { ShardIterator: 'nonsense' }).type).toBe('ValidationException');
});

test('a record of TTL has the name of the service in the API’s own members', () => {
  const { db, clock, call, iterator, read } = streamed();
  call('PutItem', { TableName: TABLE, Item: { ...at('a', 1), expiresAt: { N: String(clock.now / 1000) } } });
  clock.now += HOUR;
  db.expire(clock.now);
  expect(read(iterator('TRIM_HORIZON')).records[1]).toMatchObject({
    eventName: 'REMOVE',
    userIdentity: { PrincipalId: 'dynamodb.amazonaws.com', Type: 'Service' },
  });
});

test('a table reports its stream, also if the clock advances while it is created', () => {
  let now = Date.UTC(2026, 0, 1);
  const { db } = model({ now: () => now++ });
  const { Table } = db.call('DescribeTable', { TableName: TABLE }).output as { Table: WireObject };
  expect(db.call('ListStreams', {}).output).toMatchObject({ Streams: [{ StreamArn: Table.LatestStreamArn }] });
});
