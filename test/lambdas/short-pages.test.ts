import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { accounts } from '../../lambdas/accounts/aggregates.js';
import { EXHAUSTED_INDEX } from '../../lambdas/accounts/contract.js';
import { createExhaustedList, readExhaustedAccounts } from '../../lambdas/accounts/exhausted-list.js';
import { EXHAUSTED } from '../../lambdas/accounts/keys.js';
import { Baskets } from '../../lambdas/baskets/basket-store.js';
import { HOLDERS } from '../../lambdas/baskets/keys.js';
import { Products } from '../../lambdas/baskets/products.js';
import { PRODUCTS_INDEX } from '../../lambdas/catalog/contract.js';
import { ALL_PRODUCTS, PRODUCT } from '../../lambdas/catalog/keys.js';
import { readOffers, readProductsAfter } from '../../lambdas/catalog/product-store.js';
import { orders } from '../../lambdas/orders/aggregates.js';
import { CUSTOMER_LISTS, REVIEWS } from '../../lambdas/orders/keys.js';
import { createOrdersList, readNewestSince, readOrders } from '../../lambdas/orders/order-list.js';
import { readOpenReviews } from '../../lambdas/orders/review-list.js';
import { PAGES, REPORTS } from '../../lambdas/reports/keys.js';
import { readReportsBefore, readTallyOfDay } from '../../lambdas/reports/report-store.js';
import { ENTRY, REWARDS } from '../../lambdas/rewards/keys.js';
import { loadStanding, readEntries } from '../../lambdas/rewards/rewards-store.js';
import { documentClient } from '../../packages/kit/aws/dynamodb.js';
import { dynamoDbTable } from '../../packages/kit/aws/table.js';
import { eventStoreFromEnvironment } from '../../packages/kit/event-store/event-store-from-environment.js';
import { stateKey } from '../../packages/kit/state-store/state-key.js';
import { functionEnvironment } from '../support/function-environment.js';
import { inProcessDynamoDb } from '../support/in-process-dynamodb.js';

/** Pages of one item, as if each item were so large that a page had no room for another one. */
const ROWS = 5;
const LIMIT = 3;
const table = dynamoDbTable('table');
const all = Array.from({ length: ROWS }, (_, at) => at);
const hexOf = (at: number): string => String(at).repeat(32);
const dayOf = (at: number): string => `2026-01-0${at + 1}`;

beforeAll(() => functionEnvironment());
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  inProcessDynamoDb(
    { table: ['pk', 'sk'] },
    { table: { [PRODUCTS_INDEX]: ['listPk', 'listSk'], [EXHAUSTED_INDEX]: ['exhaustedPk', 'exhaustedSk'] } },
    1,
  );
});
afterEach(() => void vi.useRealTimers());

const put = (...items: readonly object[]) =>
  Promise.all(items.map((Item) => documentClient.send(new PutCommand({ TableName: 'table', Item }))));

/** Lists: how they are filled, and how their first page is read, with one more where the list says so. */
const LISTS: Readonly<
  Record<string, readonly [fill: () => Promise<unknown>, read: () => Promise<readonly unknown[]>, length: number]>
> = {
  'orders of a customer': [
    () => putOrders(),
    () => readOrders(createOrdersList(eventStoreFromEnvironment(orders)), 'alice', undefined, LIMIT),
    LIMIT + 1,
  ],
  'newest orders of a customer': [
    () => putOrders(),
    () => readNewestSince(createOrdersList(eventStoreFromEnvironment(orders)), 'alice', dayOf(1), { limit: LIMIT }),
    LIMIT,
  ],
  'orders under review': [
    () => put(...all.map((at) => ({ pk: REVIEWS, sk: `alice#${hexOf(at)}` }))),
    () => readOpenReviews(table, {}, LIMIT),
    LIMIT,
  ],
  products: [
    () =>
      put(
        ...all.map((at) => ({ ...stateKey(PRODUCT, `S${at}`), listPk: ALL_PRODUCTS, listSk: `S${at}`, unitPrice: {} })),
      ),
    () => readProductsAfter('table', undefined, LIMIT),
    LIMIT + 1,
  ],
  'offers of products': [
    () =>
      put(
        ...all.map((at) => ({ ...stateKey(PRODUCT, `S${at}`), listPk: ALL_PRODUCTS, listSk: `S${at}`, unitPrice: {} })),
      ),
    async () => [
      ...(
        await readOffers(
          'table',
          all.map((at) => `S${at}`),
        )
      ).keys(),
    ],
    ROWS,
  ],
  'products as baskets know them': [
    () => put(...all.map((at) => ({ pk: `PRODUCT#S${at}`, sk: 'PRODUCT', sku: `S${at}` }))),
    async () => [...(await new Products('table').read(all.map((at) => `S${at}`))).keys()],
    ROWS,
  ],
  'holders of a product': [
    () => put(...all.map((at) => ({ pk: `${HOLDERS}TEA`, sk: `c${at}` }))),
    async () => {
      const baskets = new Baskets({ table } as never, new Products('table'));
      const { customerIds, more } = await baskets.readHolders('TEA', undefined, LIMIT);
      expect(more).toBe(true);
      return customerIds;
    },
    LIMIT,
  ],
  'accounts without credit': [
    () =>
      put(
        ...all.map((at) => ({ pk: `c${at}`, sk: 'ROW', exhaustedPk: EXHAUSTED, exhaustedSk: `c${at}`, account: '{}' })),
      ),
    () => readExhaustedAccounts(createExhaustedList(eventStoreFromEnvironment(accounts)), undefined, LIMIT),
    LIMIT + 1,
  ],
  'entries of rewards': [
    () => putEntries(),
    () => readEntries(table, 'alice', { after: 0, upTo: ROWS, limit: LIMIT, forgotten: [] }),
    LIMIT,
  ],
  'daily reports': [
    () =>
      put(...all.map((at) => ({ pk: `${REPORTS}daily`, sk: dayOf(at), report: JSON.stringify({ date: dayOf(at) }) }))),
    () => readReportsBefore(table, undefined, LIMIT),
    LIMIT,
  ],
};

const putOrders = () =>
  put(
    ...all.map((at) => {
      const order = { orderId: hexOf(at), placedAt: `${dayOf(at)}T00:00:00.000Z` };
      return {
        pk: `${CUSTOMER_LISTS}alice`,
        sk: `ORDER#${order.placedAt}#${order.orderId}`,
        order: JSON.stringify(order),
      };
    }),
  );
const putEntries = () =>
  put(
    { pk: `${REWARDS}alice`, sk: 'STANDING', sequence: ROWS, rules: 'earlier', standing: '{}' },
    ...all.map((at) => ({
      pk: `${REWARDS}alice`,
      sk: `${ENTRY}${String(at + 1).padStart(10, '0')}`,
      entry: JSON.stringify({ at: `${dayOf(at)}T00:00:00.000Z`, type: 'BonusApplied', points: 1 }),
    })),
  );

test.each(Object.entries(LISTS))(
  '%s: a page that DynamoDB cuts short is not the last one',
  async (_, [fill, read, length]) => {
    await fill();
    // The indexes show it by then.
    vi.advanceTimersByTime(60_000);
    expect(await read()).toHaveLength(length);
  },
);

test('a standing of other rules is folded from all entries', async () => {
  await putEntries();
  expect((await loadStanding({ table, tiers: { silver: 10, gold: 20 } }, 'alice')).standing.points).toBe(ROWS);
});

test('a day has the sums of all its pages', async () => {
  const name = JSON.stringify(['count']);
  await put(
    ...all.map((at) => ({
      pk: PAGES + dayOf(0),
      sk: String(at + 1).padStart(6, '0'),
      tally: JSON.stringify({ [name]: '2' }),
    })),
  );
  expect((await readTallyOfDay(table, dayOf(0), ROWS)).get(name)).toBe(10n);
});
