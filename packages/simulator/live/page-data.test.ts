import { describe, expect, test } from 'vitest';
import { arnOf, createCloud, functionResource, TABLE } from '../support/clouds.js';
import { listItems, listLines, listMessages, listObjects, listResources, readObject } from './page-data.js';

const CLOUD = createCloud({
  Table: TABLE,
  Lines: {
    Type: 'AWS::DynamoDB::Table',
    Properties: {
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'N' },
      ],
      BillingMode: 'PAY_PER_REQUEST',
    },
  },
  Dead: { Type: 'AWS::SQS::Queue' },
  Queue: {
    Type: 'AWS::SQS::Queue',
    Properties: { RedrivePolicy: { deadLetterTargetArn: arnOf('Dead'), maxReceiveCount: 3 } },
  },
  Bucket: { Type: 'AWS::S3::Bucket' },
  ...functionResource('Works'),
});
const ALL = { text: '', after: undefined };
const put = (table: string, Item: object): unknown =>
  CLOUD.dynamodb.call('PutItem', { TableName: `Shop-${table}`, Item });

/** Reads all pages. @returns the entries of each */
function readAll<Entry>(
  page: (after: string | undefined) => { readonly entries: readonly Entry[]; readonly next?: string },
): readonly (readonly Entry[])[] {
  const pages: (readonly Entry[])[] = [];
  for (let next: string | undefined, isFirst = true; isFirst || next !== undefined; isFirst = false) {
    const { entries, next: following } = page(next);
    pages.push(entries);
    if (pages.length > 10) throw new Error(`page after page, and never the last one: ${next}`);
    next = following;
  }
  return pages;
}

describe('items of a table', () => {
  for (let at = 0; at < 40; at++)
    for (let line = 0; line < 3; line++)
      put('Lines', { pk: { S: `order-${String((at * 7) % 40).padStart(2, '0')}` }, sk: { N: String(line * 9) } });

  test('pages have each item once, in the order of the keys', () => {
    const pages = readAll((after) => listItems(CLOUD, 'Shop-Lines', { text: '', after }));
    expect(pages.map(({ length }) => length)).toEqual([50, 50, 20]);
    const keys = pages.flat().map(({ key }) => key.join(' '));
    const expected = Array.from(
      { length: 120 },
      (_, at) => `order-${String(Math.floor(at / 3)).padStart(2, '0')} ${(at % 3) * 9}`,
    );
    expect(keys).toEqual(expected);
  });

  test('a page continues after an item that is gone', () => {
    const first = listItems(CLOUD, 'Shop-Lines', ALL);
    CLOUD.dynamodb.call('DeleteItem', { TableName: 'Shop-Lines', Key: { pk: { S: 'order-16' }, sk: { N: '9' } } });
    expect(first.entries.at(-1)?.key).toEqual(['order-16', '9']);
    expect(listItems(CLOUD, 'Shop-Lines', { text: '', after: first.next }).entries[0]?.key).toEqual(['order-16', '18']);
    put('Lines', { pk: { S: 'order-16' }, sk: { N: '9' } });
  });

  test('a filter finds a text in the partition key or in the sort key', () => {
    const found = (text: string) => readAll((after) => listItems(CLOUD, 'Shop-Lines', { text, after })).flat().length;
    expect(found('order-07')).toBe(3);
    expect(found('18')).toBe(40 + 2);
    expect(found('nothing')).toBe(0);
  });

  test('an item is JSON as the table holds it', () => {
    const digits = '12345678901234567890';
    put('Table', {
      pk: { S: 'one' },
      small: { N: '7' },
      large: { N: digits },
      names: { SS: ['a', 'b'] },
      sealed: { B: 'AQID' },
      map: { M: { list: { L: [{ BOOL: true }, { NULL: true }] } } },
    });
    expect(listItems(CLOUD, 'Shop-Table', ALL).entries).toEqual([
      {
        key: ['one'],
        item: { pk: 'one', small: 7, large: digits, names: ['a', 'b'], sealed: 'AQID', map: { list: [true, null] } },
      },
    ]);
  });

  test('a table that does not exist, and a cursor of another table, are refused', () => {
    expect(() => listItems(CLOUD, 'Other', ALL)).toThrow("There is no table 'Other'.");
    expect(() => listItems(CLOUD, 'Shop-Lines', { text: '', after: '{"pk":{"S":"x"}}' })).toThrow(
      'after: \'{"pk":{"S":"x"}}\' is no key of this table',
    );
  });
});

describe('messages of a queue', () => {
  const queue = CLOUD.queue('Shop/Queue');
  for (let at = 0; at < 60; at++) queue.send({ body: JSON.stringify({ type: 'Placed', at }) });

  test('a page shows messages without receiving them', () => {
    const pages = readAll((after) => listMessages(CLOUD, queue.name, { text: '', after }));
    expect(pages.map(({ length }) => length)).toEqual([50, 10]);
    expect(new Set(pages.flat().map(({ id }) => id)).size).toBe(60);
    expect(pages[0]?.[0]).toMatchObject({
      state: 'visible',
      receiveCount: 0,
      maxReceives: 3,
      body: { type: 'Placed', at: 0 },
    });
    expect(queue.counts.visible).toBe(60);
  });

  test('a message in flight says how often it was received and until when it is hidden', () => {
    const [received] = queue.receive(1);
    const [shown] = listMessages(CLOUD, queue.name, { text: `${received?.id}`, after: undefined }).entries;
    expect(shown).toMatchObject({ state: 'in flight', receiveCount: 1 });
    expect(Date.parse(shown?.visibleAt ?? '')).toBe(CLOUD.world.now + 30_000);
    queue.delete(received?.receipt ?? '');
  });

  test('a page continues after a message that is gone', () => {
    const first = listMessages(CLOUD, queue.name, ALL);
    queue.purge();
    CLOUD.world.advance(CLOUD.world.now + 1_000);
    queue.send({ body: 'later' });
    const { entries } = listMessages(CLOUD, queue.name, { text: '', after: first.next });
    expect(entries.map(({ body }) => body)).toEqual(['later']);
  });
});

describe('objects and log lines', () => {
  test('objects are listed by key, and their text is shown as far as it goes', () => {
    const bucket = CLOUD.buckets.listNames()[0] ?? '';
    for (let at = 0; at < 55; at++) CLOUD.buckets.put(bucket, `day-${String(at).padStart(2, '0')}`, `{"at":${at}}`);
    CLOUD.buckets.put(bucket, 'long', 'x'.repeat(70_000));
    const pages = readAll((after) => listObjects(CLOUD, bucket, { text: 'day', after }));
    expect(pages.map(({ length }) => length)).toEqual([50, 5]);
    expect(readObject(CLOUD, bucket, 'day-07')).toMatchObject({ text: '{"at":7}', bytes: 8 });
    expect(readObject(CLOUD, bucket, 'long')).toMatchObject({ isCutOff: true, bytes: 70_000 });
    expect(() => readObject(CLOUD, bucket, 'none')).toThrow(`There is no object '${bucket}/none'.`);
  });

  test('lines are the newest first, and those of one moment are on one page only', () => {
    for (let at = 0; at < 120; at++)
      CLOUD.log.push({ at: 1_000 + Math.floor(at / 110), fn: 'Shop/Works', level: 'info', text: `line ${at}` });
    CLOUD.log.push({ at: 2_000, fn: 'Shop/Other', level: 'info', text: 'line of another' });
    const name = CLOUD.fn('Shop/Works').resource.ref;
    const pages = readAll((after) => listLines(CLOUD, name, { text: 'line', after }));
    expect(pages.flat().map(({ text }) => text)).toEqual(Array.from({ length: 120 }, (_, at) => `line ${119 - at}`));
    expect(listLines(CLOUD, name, { text: 'line 7', after: undefined }).entries).toHaveLength(11);
  });
});

test('the list of resources has counts of each', () => {
  const { tables, queues, buckets, logs } = listResources(CLOUD);
  expect(tables.map(({ label, count }) => [label, count])).toEqual([
    ['Shop/Lines', 120],
    ['Shop/Table', 1],
  ]);
  expect(queues.map(({ label, count }) => [label, count])).toEqual([
    ['Shop/Dead', 0],
    ['Shop/Queue', 1],
  ]);
  expect([buckets[0]?.count, logs[0]?.count]).toEqual([56, 120]);
});
