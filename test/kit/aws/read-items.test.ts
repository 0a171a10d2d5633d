import { readdirSync, readFileSync } from 'node:fs';
import { BatchGetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { queryItems, readItems } from '../../../packages/kit/aws/read-items.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';

afterEach(() => void vi.restoreAllMocks());

const QUERY = {
  TableName: 'things',
  KeyConditionExpression: 'pk = :pk',
  ExpressionAttributeValues: { ':pk': 'a' },
};
const keys = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ pk: 'a', sk: String(at).padStart(3, '0') }));

async function things(count: number, { bytes = 0, pageItems = undefined as number | undefined } = {}) {
  const { calls } = inProcessDynamoDb({ things: ['pk', 'sk'] }, {}, pageItems);
  for (const key of keys(count))
    await documentClient.send(new PutCommand({ TableName: 'things', Item: { ...key, filler: 'x'.repeat(bytes) } }));
  calls.length = 0;
  return calls;
}

describe('a query', () => {
  test('a query has as many items as were asked for, although a page has at most 1 MB', async () => {
    const calls = await things(12, { bytes: 300_000 });
    const { items, next } = await queryItems(documentClient, QUERY, { limit: 11 });
    expect(items.map(({ sk }) => sk)).toEqual(keys(11).map(({ sk }) => sk));
    expect(calls).toHaveLength(3);
    expect((await queryItems(documentClient, QUERY, { limit: 11, from: next })).items.map(({ sk }) => sk)).toEqual([
      '011',
    ]);
  });

  test('ends without a next key, and with one call where a page is enough', async () => {
    const calls = await things(5);
    expect(await queryItems(documentClient, QUERY, { limit: 6 })).not.toHaveProperty('next');
    expect((await queryItems(documentClient, QUERY, { limit: 3 })).items).toHaveLength(3);
    expect(calls).toHaveLength(2);
  });

  test('continues where it ended, whatever the pages of DynamoDB are', async () => {
    await things(7, { pageItems: 2 });
    const found: unknown[] = [];
    let from: Record<string, unknown> | undefined;
    do {
      const { items, next } = await queryItems(documentClient, QUERY, { limit: 3, from });
      found.push(...items.map(({ sk }) => sk));
      from = next;
    } while (from);
    expect(found).toEqual(keys(7).map(({ sk }) => sk));
  });
});

describe('items by their keys', () => {
  test('all items are read, although DynamoDB returns at most 16 MB at once', async () => {
    const calls = await things(50, { bytes: 360_000 });
    expect(await readItems(documentClient, 'things', keys(50), { consistent: true, attributes: ['sk'] })).toHaveLength(
      50,
    );
    expect(calls).toHaveLength(2);
  });

  test('missing items are requested again as long as something is returned', async () => {
    await things(30, { pageItems: 1 });
    expect(await readItems(documentClient, 'things', keys(30))).toHaveLength(30);
  });

  test('items that are never returned are an error', async () => {
    await things(1);
    const unread = { Responses: {}, UnprocessedKeys: { things: { Keys: keys(1) } } };
    const send = vi.spyOn(documentClient, 'send').mockImplementation((async () => unread) as never);
    await expect(readItems(documentClient, 'things', keys(1))).rejects.toThrow(/left 1 keys of things unread 5 times/);
    expect(send.mock.calls.every(([command]) => (command as unknown) instanceof BatchGetCommand)).toBe(true);
    expect(send).toHaveBeenCalledTimes(5);
  });

  test('an empty list of keys costs no call', async () => {
    const calls = await things(0);
    expect([await readItems(documentClient, 'things', []), calls]).toEqual([[], []]);
  });
});

/** Files that ask DynamoDB themselves, and why a page of theirs may be shorter than asked. */
const ASK_THEMSELVES: Readonly<Record<string, string>> = {
  'lambdas/operations/placed-orders.ts':
    'page after page of each partition, and holds back what one has read beyond the others',
  'lambdas/orders/list-statuses.ts': 'page after page of a scan, whose position an item keeps',
  'packages/kit/aws/read-items.ts': 'the functions that all others use',
  'packages/kit/event-store/dynamodb-event-store.ts': 'reads page after page until its reader has enough',
  'packages/kit/inbox/measure.ts': 'a gauge: it says that it is a lower bound',
  'packages/kit/lane/entrance.ts': 'what is not stored stays in its queue',
  'packages/operator/restore/restore-record.ts': 'page after page to the end',
  'packages/operator/restore/restore-run.ts': 'asks whether there is one',
  'packages/operator/restore/table-comparison.ts': 'raw items, page after page to the end',
  'packages/operator/status/read-status.ts': 'counts: it says whether there are more',
  'packages/kit/projection/replay.ts': 'a page of a scan, whose position the checkpoint keeps',
};

test('no other module asks DynamoDB for a page, so a short page is never taken for the last one', () => {
  const root = new URL('../../../', import.meta.url);
  const files = ['packages/kit', 'packages/operator', 'packages/client', 'lambdas', 'tools/operator'].flatMap(
    (folder) =>
      readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !file.includes('node_modules'))
        .map((file) => `${folder}/${file}`),
  );
  const asking = files.filter((file) =>
    /new (Query|Scan|BatchGet|BatchGetItem|BatchWrite)Command\(/.test(readFileSync(new URL(file, root), 'utf8')),
  );
  expect(asking.toSorted()).toEqual(Object.keys(ASK_THEMSELVES).toSorted());
});
