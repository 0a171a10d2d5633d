import { afterAll, beforeAll, expect, test } from 'vitest';
import { functionResource, TABLE, writeAssembly } from '../support/clouds.js';
import { LocalCloud } from './local-cloud.js';
import type { Stored } from './stored.js';

const resources = {
  Orders: TABLE,
  Stock: TABLE,
  ...functionResource('Reserve', [], { Environment: { Variables: { TABLE_NAME: { Ref: 'Stock' } } } }),
};

let cloud: LocalCloud;
beforeAll(async () => {
  cloud = await LocalCloud.start({
    folder: writeAssembly(resources, { Reserve: 'exports.handler = async () => undefined;' }),
    port: 0,
    threads: 1,
    log: () => undefined,
  });
  cloud.live.runInside(({ dynamodb, log, world }) => {
    const [orders = '', stock = ''] = ['Orders', 'Stock'].map((name) =>
      dynamodb.tables().find((one) => one.includes(name)),
    );
    dynamodb.load(orders, [{ pk: { S: 'Order#1' }, commands: { L: [{ M: { id: { S: 'm-1' } } }] } }], '');
    dynamodb.load(stock, [{ pk: { S: 'stock@0#m-1' }, expiresAt: { N: '7' } }, { pk: { S: 'stock@0#m-2' } }], '');
    dynamodb.load(
      stock,
      Array.from({ length: 25 }, (_, at) => ({ pk: { S: `many ${at}` }, trigger: { S: 'm-3' } })),
      '',
    );
    const line = { at: world.now, level: 'INFO' };
    log.push({ ...line, fn: 'Shop/Reserve', text: '{"message":"applied","eventId":"m-1"}' });
    log.push({ ...line, fn: 'Shop/Other', text: 'm-1 and m-2' });
  });
});
afterAll(() => cloud.stop());

const ask = async (query: string): Promise<Stored & { readonly message?: string }> =>
  (await fetch(`${cloud.url}/_local/stored${query}`)).json() as never;

test('items and log lines that name a message are found in every table, however deep', async () => {
  const { items, lines, more } = await ask('?ids=m-1');
  expect(items.map(({ key }) => key).toSorted()).toEqual(['Order#1', 'stock@0#m-1']);
  expect(items.find(({ key }) => key.startsWith('stock'))?.item).toEqual({ pk: 'stock@0#m-1', expiresAt: 7 });
  expect(lines.map(({ line }) => line)).toEqual(['{"message":"applied","eventId":"m-1"}', 'm-1 and m-2']);
  expect(more).toBe(false);
});

test('with a function, only its tables and its lines are looked at', async () => {
  const label = [...cloud.live.cloud.functions.values()][0]?.label ?? '';
  const { items } = await ask(`?ids=m-1,m-2&owner=${encodeURIComponent(label)}`);
  expect(items.map(({ key }) => key).toSorted()).toEqual(['stock@0#m-1', 'stock@0#m-2']);
});

test('an answer has 20 items at most, and says that there are more', async () => {
  const { items, more } = await ask('?ids=m-3');
  expect([items.length, more]).toEqual([20, true]);
});

test('a question without an id is refused with what is right', async () => {
  expect((await ask('?ids=')).message).toContain('/_local/stored?ids=<id>');
  expect((await ask('')).message).toContain('ids of messages');
});
