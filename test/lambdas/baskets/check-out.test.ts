import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { baskets as basketAggregate, checkouts } from '../../../lambdas/baskets/aggregates.js';
import { AppEnv } from '../../../lambdas/environment.js';
import { transact } from '../../../packages/kit/aws/dynamodb.js';
import { eventStoreFromEnvironment } from '../../../packages/kit/event-store/event-store-from-environment.js';
import { parseIdempotencyKey } from '../../../packages/kit/idempotent-receiver/idempotency-key.js';
import { stateStoreFromEnvironment } from '../../../packages/kit/state-store/state-store-from-environment.js';
import { consumerEnvironment } from '../../support/consumed.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { buildTrace } from '../../support/tally.js';

const customerId = 'ada';
let out: (key: string) => Promise<{ readonly replayed: boolean }>;
let put: (quantity: number) => Promise<unknown>;

beforeAll(async () => {
  inProcessDynamoDb({ table: ['pk', 'sk'], records: ['pk'] });
  consumerEnvironment('baskets', 'baskets-products');
  const { Products } = await import('../../../lambdas/baskets/products.js');
  const { Baskets } = await import('../../../lambdas/baskets/basket-store.js');
  const { checkOut } = await import('../../../lambdas/baskets/check-out.js');
  const products = new Products('table');
  const baskets = new Baskets(stateStoreFromEnvironment(basketAggregate), products);
  const product = { sku: 'PEN-1', unitPrice: { amount: 20, currency: 'EUR' }, version: 1 };
  await transact([(await products.chooseNewest(product)).write]);
  put = (quantity) =>
    baskets.change({ type: 'SetItem', customerId, sku: 'PEN-1', quantity }, buildTrace(`put-${quantity}`));
  const request = { client: `customer:${customerId}`, method: 'POST', path: '/basket/checkout', query: {} };
  out = (key) =>
    checkOut({
      baskets,
      checkouts: eventStoreFromEnvironment(checkouts),
      customerId,
      key: parseIdempotencyKey({ ...request, header: key, body: undefined }),
      ifMatch: undefined,
      trace: buildTrace(randomUUID()),
    });
});
afterEach(() => void vi.unstubAllEnvs());

test('a basket that no card can be charged is refused where the environment says so, and the repeat of a checkout is not', async () => {
  await put(2);
  vi.stubEnv(AppEnv.UNCHARGEABLE_ORDERS, 'refuse');
  const faults = [{ pointer: '/lines/0', detail: expect.stringContaining('of 50 to ') }];
  await expect(out('cheap')).rejects.toMatchObject({ code: 'not-orderable', extra: { errors: faults } });
  vi.stubEnv(AppEnv.UNCHARGEABLE_ORDERS, undefined);
  expect(await out('cheap')).toMatchObject({ replayed: false });
  vi.stubEnv(AppEnv.UNCHARGEABLE_ORDERS, 'refuse');
  expect(await out('cheap')).toMatchObject({ replayed: true });
  await put(3);
  expect(await out('dear')).toMatchObject({ replayed: false });
});
