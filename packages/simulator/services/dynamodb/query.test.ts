import { describe, expect, test } from 'vitest';
import { model, TABLE } from '../../support/dynamodb/tables.js';
import { DynamoDbError } from './errors.js';
import type { AttributeValue, Item, WireObject } from './wire.js';

const s = (S: string): AttributeValue => ({ S });
const n = (N: number): AttributeValue => ({ N: String(N) });
const at = (pk: string, sk: number): Item => ({ pk: s(pk), sk: n(sk) });

/** Creates a model with items 0 to 9 in partition `p`, each with `v` = its sort key; the odd ones have kind `odd`. */
function filled(more: Parameters<typeof model>[0] = {}) {
  const made = model(more);
  for (const sk of [3, 1, 10, 0, 2, 9, 5, 4, 8, 7, 6]) {
    const kind = sk % 2 ? { kind: s('odd'), level: n(sk) } : {};
    made.db.call('PutItem', { TableName: TABLE, Item: { ...at('p', sk), v: n(sk), ...kind } });
  }
  made.db.call('PutItem', { TableName: TABLE, Item: at('q', 1) });
  return made;
}

type Given = { readonly [reference: string]: AttributeValue };
type Refused = [expression: string, values: Given, more: WireObject, message: RegExp];

function ask(KeyConditionExpression: string, values: Given, more: WireObject = {}) {
  const { db } = filled();
  return db.call('Query', { TableName: TABLE, KeyConditionExpression, ExpressionAttributeValues: values, ...more })
    .output;
}

const sortKeys = (output: WireObject): readonly number[] =>
  (output.Items as Item[]).map(({ sk }) => Number((sk as { N: string }).N));
const p = { ':p': s('p') };

describe('a query', () => {
  test.each<[string, Given, readonly number[]]>([
    ['pk = :p', {}, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
    ['pk = :p AND sk > :x', { ':x': n(8) }, [9, 10]],
    ['sk <= :x AND pk = :p', { ':x': n(1) }, [0, 1]],
    ['pk = :p AND :x > sk', { ':x': n(2) }, [0, 1]],
    ['(pk = :p) AND (sk BETWEEN :x AND :y)', { ':x': n(3), ':y': n(4) }, [3, 4]],
    ['pk = :p AND sk = :x', { ':x': n(11) }, []],
  ])('%s', (text, values, expected) => expect(sortKeys(ask(text, { ...p, ...values }))).toEqual(expected));

  test('a query goes backwards, and continues from where a page ended, filter or not', () => {
    const back = { ScanIndexForward: false, Limit: 4 };
    const first = ask('pk = :p', p, back);
    expect(sortKeys(first)).toEqual([10, 9, 8, 7]);
    expect(first.LastEvaluatedKey).toEqual(at('p', 7));
    const second = ask('pk = :p', p, { ...back, ExclusiveStartKey: first.LastEvaluatedKey });
    expect(sortKeys(second)).toEqual([6, 5, 4, 3]);
    const filter = { FilterExpression: 'v = :v', Limit: 3 };
    const filtered = ask('pk = :p', { ...p, ':v': n(9) }, filter);
    expect(filtered).toMatchObject({ Items: [], Count: 0, ScannedCount: 3, LastEvaluatedKey: at('p', 2) });
    expect(ask('pk = :p', p, { Limit: 11 })).toHaveProperty('LastEvaluatedKey', at('p', 10));
    expect(ask('pk = :p', p, { Limit: 12 })).not.toHaveProperty('LastEvaluatedKey');
  });

  test('ends a page with the item that passes 1 MB', () => {
    const { db } = model();
    const x = s('x'.repeat(100 * 1024));
    for (let sk = 0; sk < 25; sk++) db.call('PutItem', { TableName: TABLE, Item: { ...at('p', sk), x } });
    const request = {
      TableName: TABLE,
      KeyConditionExpression: 'pk = :p',
      ExpressionAttributeValues: p,
      Select: 'COUNT',
    };
    const { output } = db.call('Query', { ...request, ReturnConsumedCapacity: 'TOTAL' });
    expect(output).toMatchObject({
      Count: 11,
      LastEvaluatedKey: at('p', 10),
      ConsumedCapacity: { CapacityUnits: 138 },
    });
    expect(output).not.toHaveProperty('Items');
  });

  test.each<Refused>([
    ['pk > :p', p, {}, /Query key condition not supported/],
    ['sk = :x', { ':x': n(1) }, {}, /Query condition missed key schema element: pk/],
    ['pk = :p AND v = :x', { ...p, ':x': n(1) }, {}, /missed key schema element/],
    ['pk = :p AND sk <> :x', { ...p, ':x': n(1) }, {}, /Invalid operator used in KeyConditionExpression: <>/],
    ['pk = :p OR sk = :x', { ...p, ':x': n(1) }, {}, /Invalid operator used in KeyConditionExpression: OR/],
    ['pk = :p AND sk > :x AND sk < :x', { ...p, ':x': n(1) }, {}, /only contain one condition per key/],
    ['pk = :p AND sk = :x', { ...p, ':x': s('1') }, {}, /Condition parameter type does not match schema type/],
    ['pk = :p', { ':p': s('') }, {}, /cannot contain an empty string value. Key: pk/],
    ['pk = :p', { ':p': s('x'.repeat(2049)) }, {}, /Size of hashkey has exceeded/],
    ['kind = :p', { ':p': s('') }, { IndexName: 'byKind' }, /an empty string value. IndexName: byKind, IndexKey: kind/],
    ...['tag = :x', 'tag > :x', 'tag BETWEEN :x AND :p', 'begins_with(tag, :x)'].flatMap((range): Refused[] => [
      [`kind = :p AND ${range}`, { ...p, ':x': s('') }, { IndexName: 'byTag' }, /IndexName: byTag, IndexKey: tag/],
    ]),
    ['kind = :p AND tag < :x', { ...p, ':x': s('x'.repeat(1025)) }, { IndexName: 'byTag' }, /size limit of 1024 bytes/],
    [
      'pk = :p',
      { ...p, ':x': n(1) },
      { FilterExpression: 'sk = :x' },
      /non-primary key attributes: Primary key attribute: sk/,
    ],
    ['pk = :p', p, { Limit: 0 }, /greater than or equal to 1/],
    ['pk = :p', p, { ExclusiveStartKey: at('q', 1) }, /starting key is outside query boundaries/],
    ['pk = :p', p, { ExclusiveStartKey: { pk: s('p') } }, /starting key is invalid/],
    ['pk = :p', p, { ExclusiveStartKey: { ...at('p', 1), pk: s('') } }, /an empty string value. Key: pk/],
    ['pk = :p', p, { IndexName: 'none' }, /does not have the specified index: none/],
    ['kind = :p', p, { IndexName: 'byKind', ConsistentRead: true }, /Consistent reads are not supported/],
    ['kind = :p', p, { IndexName: 'kindKeys', ProjectionExpression: 'v' }, /does not project \[v\]/],
    ['kind = :p', p, { IndexName: 'kindKeys', Select: 'ALL_ATTRIBUTES' }, /its projection type is not ALL/],
  ])('%s is refused (%o, %o)', (text, values, more, message) => {
    expect(() => ask(text, values, more)).toThrow(DynamoDbError);
    expect(() => ask(text, values, more)).toThrow(message);
  });
});

describe('an index', () => {
  const odd = { TableName: TABLE, KeyConditionExpression: 'kind = :k', ExpressionAttributeValues: { ':k': s('odd') } };

  test('holds the items that have its keys, in its order, with what it projects', () => {
    const { db } = filled();
    const byKind = db.call('Query', { ...odd, IndexName: 'byKind', ScanIndexForward: false, Limit: 2 }).output;
    expect(byKind.Items).toEqual([9, 7].map((sk) => ({ ...at('p', sk), v: n(sk), kind: s('odd'), level: n(sk) })));
    expect(byKind.LastEvaluatedKey).toEqual({ ...at('p', 7), kind: s('odd'), level: n(7) });
    const rest = db.call('Query', {
      ...odd,
      IndexName: 'byKind',
      ScanIndexForward: false,
      ExclusiveStartKey: byKind.LastEvaluatedKey,
    });
    expect(sortKeys(rest.output)).toEqual([5, 3, 1]);
    const keys = db.call('Query', { ...odd, IndexName: 'kindKeys', ReturnConsumedCapacity: 'INDEXES' }).output;
    expect((keys.Items as Item[])[0]).toEqual({ pk: s('p'), sk: expect.anything(), kind: s('odd') });
    expect(keys.ConsumedCapacity).toMatchObject({
      Table: { CapacityUnits: 0 },
      GlobalSecondaryIndexes: { kindKeys: { CapacityUnits: 0.5 } },
    });
  });

  test('pages through equal sort keys without loss', () => {
    const { db } = filled();
    const seen: number[] = [];
    let ExclusiveStartKey: unknown;
    do {
      const { output } = db.call('Query', {
        ...odd,
        IndexName: 'kindKeys',
        Limit: 2,
        ...(ExclusiveStartKey ? { ExclusiveStartKey } : {}),
      });
      seen.push(...sortKeys(output));
      ExclusiveStartKey = output.LastEvaluatedKey;
    } while (ExclusiveStartKey);
    expect(seen.sort()).toEqual([1, 3, 5, 7, 9]);
  });

  test('shows a change late, and the changes of one item in their order', () => {
    const delays = [100, 100, 10, 10];
    const { db, clock } = model({ indexDelay: () => delays.shift() ?? 0 });
    const put = (level: number) =>
      db.call('PutItem', { TableName: TABLE, Item: { ...at('p', 1), kind: s('odd'), level: n(level) } });
    const levels = () =>
      (db.call('Query', { ...odd, IndexName: 'byKind' }).output.Items as Item[]).map(({ level }) => level);
    put(1);
    put(2);
    clock.now += 50;
    expect(levels()).toEqual([]);
    clock.now += 50;
    expect(levels()).toEqual([n(2)]);
  });
});

test('a scan meets every item once, page by page', () => {
  const { db } = filled();
  const seen: string[] = [];
  let ExclusiveStartKey: unknown;
  do {
    const { output } = db.call('Scan', {
      TableName: TABLE,
      Limit: 3,
      ...(ExclusiveStartKey ? { ExclusiveStartKey } : {}),
    });
    seen.push(...(output.Items as Item[]).map(({ pk, sk }) => JSON.stringify([pk, sk])));
    ExclusiveStartKey = output.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  expect(seen).toHaveLength(12);
  expect(new Set(seen).size).toBe(12);
});
