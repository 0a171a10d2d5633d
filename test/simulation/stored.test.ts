import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StoredRecords } from '../../packages/operator/records/show-stored.js';
import type { LocalCloud } from '../../packages/simulator/live/local-cloud.js';
import { dueRecords } from '../../tools/local/awaits.js';
import { run } from '../../tools/operator/command-line.js';
import { accepted, beginLocalCloud, endLocalCloud } from '../support/simulation/at-local-cloud.js';
import { orderOf, productOf } from './scenarios/shop.js';

let local: LocalCloud;
/** Event and commands of the order: what was placed, and what the saga committed for it. */
let placed: string;
let followed: readonly string[];

beforeAll(async () => {
  local = await beginLocalCloud({ nextWorkAt: dueRecords });
  await accepted(local, productOf('TEA-1'));
  await accepted(local, { method: 'PUT', path: '/stock/TEA-1', as: 'operator', body: { onHand: 9 } });
  const { orderId } = await accepted(local, orderOf('alice', 'first', ['TEA-1']));
  await accepted(local, orderOf('bob', 'second', ['TEA-1']));
  await local.live.forward(60_000);
  const { events } = (await asked('order', orderId ?? '')) as {
    readonly events: readonly { readonly id: string; readonly type: string; readonly trigger: string }[];
  };
  placed = events.find(({ type }) => type === 'OrderPlaced')?.id ?? '';
  followed = events.filter(({ trigger }) => trigger === placed).map(({ id }) => id);
});
afterAll(() => endLocalCloud(local));

async function asked(...words: readonly string[]): Promise<object> {
  const out: string[] = [];
  const output = { out: (text: string) => void out.push(text), err: () => undefined };
  await run([...words, '--environment', 'prod', '--json'], output);
  return JSON.parse(out.join('')) as object;
}
const stored = async (...words: readonly string[]) => (await asked('stored', ...words)) as StoredRecords;
const keysOf = ({ items }: StoredRecords): readonly string[] =>
  items.map(({ key }) => key.replace(/#[\da-f-]{32,36}/, ''));

test('a message has its commit, the records of its consumers, and their lines about it', async () => {
  const found = await stored(placed);
  expect(keysOf(found)).toContain('Order / COMMIT#0000000001');
  expect(keysOf(found).filter((key) => key.startsWith('orders-saga@0'))).toHaveLength(1);
  expect(found.items.every(({ item }) => item.includes(placed) || item.includes('PROCESSED'))).toBe(true);
  expect(found.lines.length).toBeGreaterThan(1);
  expect(found.lines.every(({ line }) => line.includes(placed))).toBe(true);
  expect(found.more).toBe(false);
});

test('of one consumer, it shows that one’s record and lines, and what its effect committed', async () => {
  const found = await stored(placed, '--with', followed.join(','), '--consumer', 'orders-saga');
  expect(keysOf(found)).toContain('CreateOrderSaga / COMMIT#0000000001');
  expect(keysOf(found).filter((key) => !/^(Order|CreateOrderSaga) |^orders-saga@0/.test(key))).toEqual([]);
  expect(new Set(found.lines.map(({ owner }) => owner.split('-')[2])).size).toBe(1);
});

test('lines of another time are not looked for', async () => {
  const { lines } = await stored(placed, '--at', new Date(local.live.now + 3_600_000).toISOString());
  expect(lines).toEqual([]);
});

test('a message that nobody knows has nothing, and other ids are refused', async () => {
  const unknown = `${placed.slice(0, -4)}ffff`;
  expect(await stored(unknown)).toMatchObject({ items: [], lines: [], more: false });
  expect(await asked('stored', 'alice')).toMatchObject({ error: { code: 'usage' } });
  expect(await asked('stored', placed, '--with', Array(20).fill(placed).join(','))).toMatchObject({
    error: { message: expect.stringContaining('21 ids') },
  });
});
