import { describe, expect, test } from 'vitest';
import { refusal } from '../../support/dynamodb/refusals.js';
import { model, TABLE, WITH_LOCAL_INDEXES } from '../../support/dynamodb/tables.js';
import type { Item, WireObject } from './wire.js';

const at = (pk: string, sk: number): Item => ({ pk: { S: pk }, sk: { N: String(sk) } });

/** Creates a model whose partition `p` has items of the levels 3, 2, 1, and one without a level. */
function filled() {
  const { db } = model({ indexDelay: () => 5_000 }, WITH_LOCAL_INDEXES);
  const call = (operation: 'Query' | 'Scan' | 'PutItem', input: WireObject) =>
    db.call(operation, { TableName: TABLE, ...input }).output;
  for (const sk of [1, 2, 3]) {
    call('PutItem', { Item: { ...at('p', sk), level: { N: String(4 - sk) }, note: { S: `note ${sk}` } } });
  }
  call('PutItem', { Item: at('p', 4) });
  const query = (more: WireObject = {}) =>
    call('Query', {
      IndexName: 'levels',
      KeyConditionExpression: 'pk = :p',
      ExpressionAttributeValues: { ':p': { S: 'p' } },
      ...more,
    });
  return { db, call, query };
}

const sortKeys = ({ Items }: WireObject): readonly string[] =>
  (Items as Item[]).map(({ sk }) => (sk as { N: string }).N);

describe('a local secondary index', () => {
  test('a local secondary index has the order of its own key, follows at once, and is read consistently', () => {
    const { query } = filled();
    expect(sortKeys(query())).toEqual(['3', '2', '1']);
    expect(query({ ConsistentRead: true, ReturnConsumedCapacity: 'INDEXES' })).toMatchObject({
      Count: 3,
      ConsumedCapacity: {
        CapacityUnits: 1,
        Table: { CapacityUnits: 0 },
        LocalSecondaryIndexes: { levels: { CapacityUnits: 1 } },
      },
    });
    const page = query({ Limit: 2 });
    expect(page.LastEvaluatedKey).toEqual({ ...at('p', 2), level: { N: '2' } });
    expect(sortKeys(query({ ExclusiveStartKey: page.LastEvaluatedKey }))).toEqual(['1']);
  });

  test('fetches from the table what it lacks, at the units of these reads', () => {
    const { query } = filled();
    const note = { ProjectionExpression: 'note', ReturnConsumedCapacity: 'INDEXES' };
    expect(query(note)).toMatchObject({
      Items: [3, 2, 1].map((sk) => ({ note: { S: `note ${sk}` } })),
      ConsumedCapacity: { CapacityUnits: 2, Table: { CapacityUnits: 1.5 } },
    });
    expect(query({ Select: 'ALL_ATTRIBUTES', Limit: 1 }).Items).toEqual([
      { ...at('p', 3), level: { N: '1' }, note: { S: 'note 3' } },
    ]);
    expect((query().Items as Item[])[0]).not.toHaveProperty('note');
  });

  test('lets a Scan filter by what it lacks, but no Query', () => {
    const { db, call } = filled();
    const filter = {
      TableName: TABLE,
      IndexName: 'levels',
      FilterExpression: 'note = :n',
      ExpressionAttributeValues: { ':n': { S: 'note 2' } },
    };
    expect(call('Scan', filter).Items).toEqual([{ ...at('p', 2), level: { N: '2' } }]);
    const query = { ...filter, KeyConditionExpression: 'pk = :n' };
    expect(refusal(db, 'Query', query).message).toMatch(/does not project one or more filter attributes: \[note\]/);
  });

  test('costs its writes, which are reported apart from those of global indexes', () => {
    const { call } = filled();
    const Item = { ...at('p', 9), level: { N: '1' }, kind: { S: 'x' } };
    const answer = call('PutItem', { Item, ReturnConsumedCapacity: 'INDEXES' });
    expect(answer.ConsumedCapacity).toMatchObject({
      Table: { CapacityUnits: 1 },
      LocalSecondaryIndexes: { levels: { CapacityUnits: 1 } },
      GlobalSecondaryIndexes: { byKind: { CapacityUnits: 1 } },
    });
  });
});

test('a table with local indexes reports the size of its item collections', () => {
  const { db, call } = filled();
  const metrics = { ItemCollectionKey: { pk: { S: 'p' } }, SizeEstimateRangeGB: [0, 1] };
  const wanted = { ReturnItemCollectionMetrics: 'SIZE' };
  expect(call('PutItem', { Item: at('p', 5), ...wanted })).toEqual({ ItemCollectionMetrics: metrics });
  expect(call('PutItem', { Item: at('p', 5) })).toEqual({});
  const writes = [5, 6].map((sk) => ({ PutRequest: { Item: at('p', sk) } }));
  expect(db.call('BatchWriteItem', { RequestItems: { [TABLE]: writes }, ...wanted }).output).toMatchObject({
    ItemCollectionMetrics: { [TABLE]: [metrics] },
  });
  const { db: plain } = model();
  expect(plain.call('PutItem', { TableName: TABLE, Item: at('p', 5), ...wanted }).output).toEqual({});
});

describe('a parallel scan', () => {
  const total = 3;
  function scanned(number: number, Limit?: number): readonly string[] {
    const { db } = model();
    for (let at = 0; at < 40; at++) {
      db.call('PutItem', { TableName: TABLE, Item: { pk: { S: `p${at}` }, sk: { N: '1' } } });
    }
    const names: string[] = [];
    let start: unknown;
    do {
      const page = db.call('Scan', {
        TableName: TABLE,
        Segment: number,
        TotalSegments: total,
        ...(Limit ? { Limit } : {}),
        ...(start ? { ExclusiveStartKey: start } : {}),
      }).output as { Items: Item[]; LastEvaluatedKey?: unknown };
      names.push(...page.Items.map(({ pk }) => (pk as { S: string }).S));
      start = page.LastEvaluatedKey;
    } while (start);
    return names;
  }

  test('finds each item in one segment, whatever its pages', () => {
    const segments = [0, 1, 2].map((number) => scanned(number));
    expect(segments.every((names) => names.length > 5)).toBe(true);
    expect(new Set(segments.flat()).size).toBe(40);
    expect(segments.flat()).toHaveLength(40);
    expect([0, 1, 2].map((number) => scanned(number, 2))).toEqual(segments);
  });

  test.each<[WireObject, RegExp]>([
    [{ Segment: 0 }, /TotalSegments parameter is required/],
    [{ TotalSegments: 2 }, /Segment parameter is required/],
    [{ Segment: 2, TotalSegments: 2 }, /Segment: 2 is not less than TotalSegments: 2/],
  ])('%j is refused', (input, message) => {
    const { db } = model();
    expect(refusal(db, 'Scan', { TableName: TABLE, ...input }).message).toMatch(message);
  });

  test('refuses to start in another segment', () => {
    const { db } = model();
    const start = { TableName: TABLE, TotalSegments: 2, ExclusiveStartKey: at('p', 1) };
    const refused = [0, 1].filter((Segment) => {
      try {
        return !db.call('Scan', { ...start, Segment });
      } catch {
        return true;
      }
    });
    expect(refused).toHaveLength(1);
  });
});
