import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import type * as z from 'zod/mini';
import type { OrdersPageView } from '../../lambdas/operations/contract.js';
import { Cloud } from '../../packages/simulator/cloud/cloud.js';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { prodAssembly } from '../support/simulation/assembly.js';
import { Facts } from '../support/simulation/facts.js';
import { createDocumentClient } from '../support/simulation/operator.js';
import { Orderly } from '../support/simulation/orderly.js';
import { Rebuilds } from '../support/simulation/rebuilds.js';
import { cancellationOf, HOUR, MINUTE, orderOf, stocked } from './scenarios/shop.js';

type Page = z.infer<typeof OrdersPageView>;

/** A shop with orders that ended differently. Services that only listen are asleep here. */
async function shop(seed: string) {
  const cloud = new Cloud(loadSharedDeployment(prodAssembly()), { seed });
  const orderly = new Orderly(cloud, [], false);
  const get = async (query: string) => {
    const { reply } = await orderly.call({ method: 'GET', path: `/operations/orders?${query}`, as: 'operator' });
    return reply;
  };
  const find = async (query: string): Promise<Page> => {
    const reply = await get(query);
    expect(reply.status, JSON.stringify(reply)).toBe(200);
    return reply.body as Page;
  };
  const place = async (customer: string, key: string, skus: readonly string[]): Promise<string> => {
    const { reply } = await orderly.call(orderOf(customer, key, skus));
    await orderly.rest();
    return String(reply.body.orderId);
  };
  await stocked(orderly, { 'TEA-1': 5, 'CUP-2': 0 });
  return { cloud, orderly, get, find, place };
}

const idsOf = ({ orders }: Page): readonly string[] => orders.map(({ orderId }) => orderId);
const time = (at: number): string => new Date(at).toISOString();

test('operators find orders by status, reason, time, customer, SKU, key and the beginnings of ids', async () => {
  const { cloud, orderly, find, get, place } = await shop('operators-orders');
  const early = await place('alice', 'early', ['TEA-1']);
  await cloud.world.pass(2 * HOUR);
  const noon = cloud.world.now;
  const approved = await place('alice', 'one', ['TEA-1']);
  const rejected = await place('bob', 'two', ['CUP-2', 'TEA-1']);
  const cancelled = await place('alice', 'three', ['TEA-1']);
  await orderly.call(cancellationOf('alice', cancelled, 'cancel', 'I ordered it twice'));
  await orderly.rest();
  await cloud.world.pass(5 * MINUTE);

  const hour = await find('since=1h');
  expect(idsOf(hour)).toEqual([cancelled, rejected, approved]);
  expect(hour.counts).toEqual({
    orders: 3,
    statuses: ['APPROVED', 'CANCELLED', 'REJECTED'].map((status) => ({ status, orders: 1 })),
    reasons: [{ reason: 'OUT_OF_STOCK', orders: 1 }],
  });
  // Nothing of an earlier release is here, and the feed proves it.
  expect(hour.list).toEqual({ state: 'compared' });
  expect(JSON.stringify(hour)).not.toContain('ordered it twice');

  const [found, ...others] = (await find('status=rejected&since=1h&reason=out-of-stock,price-changed')).orders;
  expect(others).toEqual([]);
  expect(found).toMatchObject({
    orderId: rejected,
    customerId: 'bob',
    status: 'REJECTED',
    reason: 'OUT_OF_STOCK',
    step: 'reserve-stock',
    total: { amount: 700, currency: 'EUR' },
    skus: ['CUP-2', 'TEA-1'],
  });
  const decided = new Facts(orderly).orders.get(rejected)?.at(-1)?.at ?? '';
  expect(found).toMatchObject({
    decidedAt: decided,
    seconds: (Date.parse(decided) - Date.parse(found?.placedAt ?? '')) / 1000,
  });

  const atNoon = `customer=alice&from=${time(noon)}&to=${time(noon + HOUR)}`;
  expect(idsOf(await find(atNoon))).toEqual([cancelled, approved]);
  expect(idsOf(await find('customer=alice'))).toEqual([cancelled, approved, early]);
  expect(idsOf(await find('sku=CUP-2'))).toEqual([rejected]);
  for (const beginning of [rejected.slice(0, 9), 'bo', 'cup', found?.correlationId?.slice(0, 34) ?? '?'])
    expect(idsOf(await find(`search=${beginning}`)), beginning).toEqual([rejected]);
  expect(idsOf(await find(`search=${found?.correlationId}`))).toEqual([rejected]);
  expect(idsOf(await find(`search=${early}`)), 'a whole id is found at any time').toEqual([early]);
  expect(idsOf(await find('key=early&customer=alice'))).toEqual([early]);
  expect(idsOf(await find('key=early&customer=bob'))).toEqual([]);

  // By pages, as all at once.
  const pages: string[] = [];
  let cursor = '';
  do {
    const page = await find(`since=4h&limit=1${cursor}`);
    pages.push(...idsOf(page));
    expect(page.counts?.orders).toBe(cursor === '' ? 4 : undefined);
    cursor = page.nextCursor === undefined ? '' : `&cursor=${page.nextCursor}`;
  } while (cursor !== '');
  expect(pages).toEqual([cancelled, rejected, approved, early]);

  const wrong: Readonly<Record<string, [string, RegExp]>> = {
    'state=rejected': ['state', /^unknown parameter: expected since, from, to, status, reason, customer, sku, search/],
    'status=refused': ['status', /'refused' is unknown: expected pending, under-review, approved/],
    'reason=broke': ['reason', /'broke' is unknown: expected out-of-stock, price-changed/],
    'since=soon': ['since', /expected a number with s, m, h or d/],
    'from=noon': ['from', /'noon' is no time: expected a time of day in UTC, as 12:00/],
    'to=13:00': ['to', /expected with from only/],
    'since=93d': ['since', /expected at most 92 days without customer/],
    'key=one': ['key', /expected with customer only/],
    'cursor=4': ['cursor', /expected the nextCursor of an answer/],
    'limit=0': ['limit', /expected 1 to 100/],
  };
  for (const [query, [parameter, detail]] of Object.entries(wrong)) {
    const { status, body } = await get(query);
    expect({ status, errors: body.errors }, query).toEqual({
      status: 400,
      errors: [{ parameter, detail: expect.stringMatching(detail) }],
    });
  }
  const writes = cloud.tableCalls
    .filter(({ fn }) => fn.startsWith('Operations/'))
    .flatMap(({ effects }) => effects.changes);
  expect(writes).toEqual([]);
});

test('orders of an earlier release are missed, until a rebuild has filled the index; those of one customer never are', async () => {
  const { cloud, orderly, find, place } = await shop('operators-orders-filled');
  const documents = createDocumentClient(cloud);
  const old = await place('alice', 'old', ['TEA-1']);
  const TableName = orderly.services.find(({ name }) => name === 'orders')?.table ?? '';
  const row = orderly.itemsOf(TableName).find(({ pk, sk }) => pk === 'CUSTOMER#alice' && String(sk).endsWith(old));
  const { placedPk: _, summary: __, ...earlier } = row ?? {};
  await documents.send(new PutCommand({ TableName, Item: earlier }));
  const fresh = await place('bob', 'fresh', ['TEA-1']);
  await cloud.world.pass(5 * MINUTE);

  const missed = await find('since=1h');
  expect(idsOf(missed)).toEqual([fresh]);
  expect(missed.list).toEqual({
    state: 'incomplete',
    missing: 1,
    text: expect.stringMatching(/^1 order of this time is not in the list: an earlier release wrote them/),
    next: 'npm run -s orderly -- projections rebuild orders-list',
  });
  expect((await find('since=3d')).list).toMatchObject({ state: 'unknown', next: expect.stringContaining('rebuild') });
  const ofAlice = await find('customer=alice');
  expect(ofAlice).toMatchObject({
    orders: [{ orderId: old, status: 'APPROVED', skus: ['TEA-1'] }],
    list: { state: 'filled' },
  });

  await new Rebuilds(orderly).through('orders-list');
  const filled = await find('since=1h');
  expect(idsOf(filled)).toEqual([fresh, old]);
  expect(filled.list).toEqual({ state: 'filled' });
  expect(idsOf(await find('since=3d'))).toEqual([fresh, old]);
});
