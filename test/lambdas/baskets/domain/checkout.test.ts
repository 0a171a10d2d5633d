import { describe, expect, test } from 'vitest';
import { type Basket, type Facts, type Line, selectOrderable } from '../../../../lambdas/baskets/domain/basket.js';
import { checkoutDecider, findObstacle, toOrderLines } from '../../../../lambdas/baskets/domain/checkout.js';
import { PlaceOrder } from '../../../../lambdas/orders/contract.js';
import { findOversizedFreeLines } from '../../../../lambdas/orders/domain/admission.js';
import { given } from '../../../../packages/kit/testing/given.js';

const eur = (amount: number) => ({ amount, currency: 'EUR' });
const line = (sku: string, more: Partial<Line> = {}): Line => ({
  sku,
  quantity: 1,
  unitPrice: eur(350),
  productVersion: 1,
  ...more,
});
const none: Facts = { products: new Map() };
const basket = (...lines: readonly Line[]): Basket => ({ lines });

test('a checkout is requested once', () => {
  const request = { orderId: 'o1', customerId: 'alice', lines: [{ sku: 'TEA-1', quantity: 1, unitPrice: eur(350) }] };
  const requested = { type: 'CheckoutRequested', data: request } as const;
  given(checkoutDecider)([]).when(request).then([requested]);
  given(checkoutDecider)([requested])
    .when({ ...request, orderId: 'o2' })
    .then([]);
});

describe('a basket can be ordered', () => {
  test('a basket with a line that nothing is ordering can be ordered, and its lines fit an order', () => {
    const [one, two] = [line('TEA-1', { oldUnitPrice: eur(1) }), line('CUP-1', { checkedOut: 'o1' })];
    expect(findObstacle(basket(one, two), none)).toBeUndefined();
    const lines = toOrderLines(basket(one, two));
    expect(lines).toEqual([{ sku: 'TEA-1', quantity: 1, unitPrice: eur(350) }]);
    expect(PlaceOrder.safeParse({ lines }).success).toBe(true);
    expect(findObstacle(basket(two), none)).toEqual({ code: 'BASKET_EMPTY', faults: [] });
    expect(findObstacle(basket(), none)).toEqual({ code: 'BASKET_EMPTY', faults: [] });
  });

  test('a basket whose products are all sold can be ordered', () => {
    const gone = { sku: 'CUP-1', unitPrice: eur(1), version: 2, discontinued: true } as const;
    const products = new Map([['CUP-1', gone]]);
    expect(findObstacle(basket(line('TEA-1'), line('CUP-1')), { products })).toMatchObject({
      code: 'PRODUCT_DISCONTINUED',
      faults: [{ at: 1 }],
    });
    expect(findObstacle(basket(line('TEA-1'), line('CUP-1', { checkedOut: 'o1' })), { products })).toBeUndefined();
  });

  const wrong: readonly (readonly [string, Basket, readonly number[]])[] = [
    ['another currency', basket(line('A'), line('B', { unitPrice: { amount: 1, currency: 'USD' } })), [1]],
    ['too many free pieces', basket(line('A'), line('B', { unitPrice: eur(0), quantity: 11 })), [1]],
    ['a total above 2^53-1', basket(line('A', { unitPrice: eur(1e12), quantity: 10_000 })), [0]],
  ];
  test.each(wrong)('a basket with %s can not be ordered, since orders would refuse it', (_, found, places) => {
    const obstacle = findObstacle(found, none);
    expect(obstacle?.code).toBe('NOT_ORDERABLE');
    expect(obstacle?.faults.map(({ at }) => at)).toEqual(places);
    const lines = toOrderLines(found);
    const isTaken = PlaceOrder.safeParse({ lines }).success && findOversizedFreeLines(lines).length === 0;
    expect(isTaken).toBe(false);
  });

  test('lines that another checkout is ordering are left out, and count for no rule', () => {
    const foreign = line('B', { unitPrice: { amount: 1, currency: 'USD' }, checkedOut: 'o1' });
    expect(selectOrderable([foreign])).toEqual([]);
    expect(findObstacle(basket(foreign, line('A')), none)).toBeUndefined();
  });
});
