import { describe, expect, test } from 'vitest';
import { Dice, seededRandom } from '../../support/dynamodb/random.js';
import { OperationWriter } from '../../support/dynamodb/random-operations.js';
import { model, TABLE } from '../../support/dynamodb/tables.js';
import type { DynamoDbModel } from './model.js';
import { Stream } from './stream.js';
import type { Item, StreamRecord } from './wire.js';

const at = (pk: string): Item => ({ pk: { S: pk }, sk: { N: '1' } });
const put = (db: DynamoDbModel, pk: string, item: object = {}) =>
  db.call('PutItem', { TableName: TABLE, Item: { ...at(pk), ...item } });

const all = (db: DynamoDbModel): readonly StreamRecord[] =>
  db.listShards(TABLE).flatMap(({ shardId }) => db.readShard(shardId, undefined, 1000).records);

describe('a stream', () => {
  test('a stream has a record per change of an item, in its order, and none without a change', () => {
    const { db, clock } = model();
    put(db, 'a');
    put(db, 'a');
    put(db, 'a', { v: { N: '1' } });
    db.call('DeleteItem', { TableName: TABLE, Key: at('a') });
    db.call('DeleteItem', { TableName: TABLE, Key: at('a') });
    const records = all(db);
    expect(records.map(({ eventName }) => eventName)).toEqual(['INSERT', 'MODIFY', 'REMOVE']);
    expect(records[1]).toMatchObject({
      eventID: expect.stringMatching(/^[0-9a-f]{32}$/),
      eventVersion: '1.1',
      eventSource: 'aws:dynamodb',
      dynamodb: {
        ApproximateCreationDateTime: clock.now / 1000,
        Keys: at('a'),
        NewImage: { ...at('a'), v: { N: '1' } },
        SizeBytes: 7 + 10,
        StreamViewType: 'NEW_IMAGE',
      },
    });
    expect(records[2]).not.toHaveProperty('dynamodb.NewImage');
    const numbers = records.map(({ dynamodb }) => dynamodb.SequenceNumber);
    expect([...numbers].sort()).toEqual(numbers);
  });

  test('spreads items over shards, and the items of one transaction over its records in any order', () => {
    const orders = new Set<string>();
    for (let seed = 1; seed < 30; seed++) {
      const { db } = model({ random: seededRandom(seed), shardsPerStream: 1 });
      const TransactItems = ['a', 'b', 'c'].map((pk) => ({ Put: { TableName: TABLE, Item: at(pk) } }));
      db.call('TransactWriteItems', { TransactItems });
      orders.add(JSON.stringify(all(db).map(({ dynamodb }) => dynamodb.Keys.pk)));
    }
    expect(orders.size).toBe(6);
    const { db } = model();
    for (let pk = 0; pk < 50; pk++) put(db, `p${pk}`);
    const used = db.listShards(TABLE).filter(({ shardId }) => db.readShard(shardId, undefined, 1).records.length > 0);
    expect(used).toHaveLength(4);
  });

  test('takes no memory for unread records of more than 24 hours ago', () => {
    let [now, sequence] = [0, 0];
    const stream = new Stream({
      id: 'a',
      table: TABLE,
      view: 'NEW_IMAGE',
      key: { partition: 'pk' },
      splitsCollections: () => false,
      shards: 1,
      change: () => undefined,
      now: () => now,
      region: 'eu-west-1',
      random: () => 0,
      nextSequence: () => String(++sequence).padStart(21, '0'),
    });
    const hour = 3_600_000;
    for (; now < 100 * hour; now += hour)
      stream.append([{ table: TABLE, key: at('a'), after: { ...at('a'), v: { N: String(now) } } }], now);
    const [shard] = stream.shards;
    expect(shard?.kept).toHaveLength(24);
    expect(stream.read(shard!, undefined, 1_000, now - hour)).toMatchObject({ trimmed: true });
  });

  test('a stream is read page by page, and forgets after 24 hours', () => {
    const { db, clock } = model({ shardsPerStream: 1 });
    for (const pk of ['a', 'b', 'c']) put(db, pk);
    const shardId = db.listShards(TABLE)[0]!.shardId;
    const first = db.readShard(shardId, undefined, 2);
    expect(first.records).toHaveLength(2);
    const second = db.readShard(shardId, first.next, 2);
    expect(second.records).toHaveLength(1);
    expect(db.readShard(shardId, second.next, 2)).toEqual({
      records: [],
      next: second.next,
      trimmed: false,
      ended: false,
    });
    clock.now += 86_400_000;
    put(db, 'd');
    expect(db.readShard(shardId, first.next, 2)).toMatchObject({
      records: [{ dynamodb: { Keys: at('d') } }],
      trimmed: true,
    });
    expect(db.readShard(shardId, second.next, 2).trimmed).toBe(false);
  });

  test('a closed shard ends for a reader that comes after all its records were forgotten', () => {
    const changes = [undefined, 'rolls over'] as const;
    let made = 0;
    const { db, clock } = model({ shardsPerStream: 1, shardChange: () => changes[made++] });
    put(db, 'a');
    const shardId = db.listShards(TABLE)[0]!.shardId;
    clock.now += 12 * 3_600_000;
    put(db, 'a', { v: { N: '2' } });
    clock.now += 13 * 3_600_000;
    expect(db.readShard(shardId, undefined, 10)).toMatchObject({ records: [], trimmed: true, ended: true });
  });

  test('keeps the order of an item when its shard splits or rolls over, from parent to child', () => {
    const changes = [undefined, undefined, 'splits', undefined, 'rolls over'] as const;
    let at = 0;
    const { db } = model({ shardsPerStream: 1, shardChange: () => changes[at++] });
    for (const [pk, v] of ['a1', 'b1', 'a2', 'b2', 'a3']) put(db, pk!, { v: { N: v! } });
    const shards = db.listShards(TABLE);
    const [root, ...others] = shards.map(({ shardId }) => shardId);
    expect(shards.map(({ parentShardId }) => parentShardId)).toEqual([undefined, root, root, expect.anything()]);
    expect(others).toContain(shards[3]!.parentShardId);
    expect(db.readShard(root!, undefined, 10)).toMatchObject({ records: [{}, {}], ended: true });
    expect(db.readShard(shards[3]!.shardId, undefined, 10)).toMatchObject({ records: [{}], ended: false });
    const told = all(db).map(({ dynamodb: { NewImage } }) => NewImage as { pk: { S: string }; v: { N: string } });
    for (const [pk, values] of [
      ['a', '123'],
      ['b', '12'],
    ])
      expect(
        told
          .filter((one) => one.pk.S === pk)
          .map(({ v }) => v.N)
          .join(''),
      ).toBe(values);
  });
});

test('time to live deletes what has expired, as the service and with a record that says so', () => {
  const { db, clock } = model();
  const seconds = clock.now / 1000;
  put(db, 'old', { expiresAt: { N: String(seconds - 1) } });
  put(db, 'due', { expiresAt: { N: String(seconds) } });
  put(db, 'text', { expiresAt: { S: String(seconds - 1) } });
  put(db, 'ancient', { expiresAt: { N: String(seconds - 6 * 365 * 86_400) } });
  expect(db.expire(clock.now)).toEqual([{ table: TABLE, key: at('old') }]);
  expect(db.items(TABLE).map(({ pk }) => pk)).toEqual(['ancient', 'due', 'text'].map((S) => ({ S })));
  expect(all(db).filter(({ userIdentity }) => userIdentity)).toMatchObject([
    {
      eventName: 'REMOVE',
      dynamodb: { Keys: at('old') },
      userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' },
    },
  ]);
});

test('one seed is one history: answers, contents and streams', () => {
  const run = (seed: number) => {
    const { db, clock } = model({ random: seededRandom(seed), indexDelay: (random) => 1000 * random() });
    const writer = new OperationWriter(new Dice(seededRandom(seed)), TABLE);
    const answers: string[] = [];
    for (let step = 0; step < 500; step++) {
      clock.now += 10;
      const { operation, input } = writer.next();
      try {
        answers.push(JSON.stringify(db.call(operation, input)));
      } catch (error) {
        answers.push(String(error));
      }
    }
    return [answers, db.digest(), all(db)];
  };
  expect(run(7)).toEqual(run(7));
  expect(run(7)).not.toEqual(run(8));
});
