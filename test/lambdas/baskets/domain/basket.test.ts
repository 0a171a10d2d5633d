import { describe, expect, test } from 'vitest';
import type { BasketEvent } from '../../../../lambdas/baskets/contract.js';
import {
  type BasketCommand,
  basketDecider,
  evolve,
  initialState,
  toView,
} from '../../../../lambdas/baskets/domain/basket.js';
import type { Product } from '../../../../lambdas/baskets/domain/product.js';
import { toOrdinal } from '../../../../packages/kit/messages/position.js';
import { given } from '../../../../packages/kit/testing/given.js';

const eur = (amount: number) => ({ amount, currency: 'EUR' });
const customerId = 'alice';
const tea = (version: number, amount: number, more: Partial<Product> = {}): Product => ({
  sku: 'TEA-1',
  unitPrice: eur(amount),
  version,
  ...more,
});
const knowing = (...products: readonly Product[]) =>
  given(basketDecider, { products: new Map(products.map((product) => [product.sku, product])) });

const set = (quantity: number, sku = 'TEA-1'): BasketCommand => ({ type: 'SetItem', customerId, sku, quantity });
const look: BasketCommand = { type: 'Look', customerId };
const changePrice: BasketCommand = { type: 'ChangePrice', customerId, sku: 'TEA-1' };
const empty = (orderId: string): BasketCommand => ({ type: 'Empty', customerId, orderId });

const itemSet = (quantity: number, amount = 350, productVersion = 1, sku = 'TEA-1'): BasketEvent => ({
  type: 'BasketItemSet',
  data: { customerId, sku, quantity, unitPrice: eur(amount), productVersion },
});
const priceChanged = (amount: number, productVersion: number, old?: number): BasketEvent => ({
  type: 'BasketPriceChanged',
  data: {
    customerId,
    sku: 'TEA-1',
    unitPrice: eur(amount),
    ...(old === undefined ? {} : { oldUnitPrice: eur(old) }),
    productVersion,
  },
});
const seen: BasketEvent = { type: 'BasketSeen', data: { customerId } };
const checkedOut = (orderId: string, ...skus: string[]): BasketEvent => ({
  type: 'BasketCheckedOut',
  data: { customerId, orderId, skus },
});
const emptied = (orderId: string, ...skus: string[]): BasketEvent => ({
  type: 'BasketEmptied',
  data: { customerId, orderId, skus },
});
const shown = (...history: readonly BasketEvent[]) => toView(history.reduce(evolve, initialState), history.length);

describe('a line', () => {
  test('a line is added at the price of the product', () =>
    knowing(tea(3, 350))([])
      .when(set(2))
      .then([itemSet(2, 350, 3)]));

  test('a line is not set again to the quantity that it has', () =>
    knowing(tea(1, 350))([itemSet(2)])
      .when(set(2))
      .then([]));

  test('a line has another quantity at the newest price, beside the price that was seen', () => {
    const events = [itemSet(3), priceChanged(400, 2, 350)];
    knowing(tea(2, 400))([itemSet(2)])
      .when(set(3))
      .then(events);
    expect(shown(itemSet(2), ...events).lines).toEqual([
      { sku: 'TEA-1', quantity: 3, unitPrice: eur(400), oldUnitPrice: eur(350) },
    ]);
  });

  test('needs a product that is known, and sold', () => {
    knowing()([]).when(set(1)).thenRefused('UNKNOWN_PRODUCT');
    const gone = knowing(tea(2, 350, { discontinued: true }));
    gone([]).when(set(1)).thenRefused('PRODUCT_DISCONTINUED');
    for (const quantity of [2, 3])
      gone([itemSet(2)])
        .when(set(quantity))
        .thenRefused('PRODUCT_DISCONTINUED');
  });

  test('a line that costs nothing has at most 10 pieces', () => {
    knowing(tea(1, 0))([]).when(set(11)).thenRefused('TOO_MANY_FREE_PIECES');
    knowing(tea(1, 0))([])
      .when(set(10))
      .then([itemSet(10, 0)]);
  });

  test('a basket has at most 50 lines', () => {
    const full = Array.from({ length: 50 }, (_, at) => itemSet(1, 350, 1, `SKU-${at}`));
    const another = { ...tea(1, 350), sku: 'SKU-0' };
    knowing(tea(1, 350))(full).when(set(1)).thenRefused('BASKET_FULL');
    knowing(another)(full)
      .when(set(2, 'SKU-0'))
      .then([itemSet(2, 350, 1, 'SKU-0')]);
  });

  test('a line is removed once', () => {
    const remove: BasketCommand = { type: 'RemoveItem', customerId, sku: 'TEA-1' };
    const removed: BasketEvent = { type: 'BasketItemRemoved', data: { customerId, sku: 'TEA-1' } };
    knowing()([itemSet(1)])
      .when(remove)
      .then([removed]);
    knowing()([itemSet(1), removed])
      .when(remove)
      .then([]);
    expect(shown(itemSet(1), removed)).toEqual({ lines: [], version: 2 });
  });
});

describe('a changed price', () => {
  test('keeps the price that was seen, however often it changes, until it is seen', () => {
    knowing(tea(3, 450))([itemSet(1), priceChanged(400, 2, 350)])
      .when(changePrice)
      .then([priceChanged(450, 3, 350)]);
    knowing(tea(3, 450))([itemSet(1), priceChanged(400, 2, 350), seen])
      .when(changePrice)
      .then([priceChanged(450, 3, 400)]);
  });

  test('a price that is the seen one again has no old price', () => {
    const history = [itemSet(1), priceChanged(400, 2, 350)];
    knowing(tea(3, 350))(history)
      .when(changePrice)
      .then([priceChanged(350, 3)]);
    expect(shown(...history, priceChanged(350, 3)).lines).toEqual([{ sku: 'TEA-1', quantity: 1, unitPrice: eur(350) }]);
  });

  test('a changed price is never lost to an older event, nor to a repeat', () => {
    const history = [itemSet(1), priceChanged(450, 3, 350)];
    for (const product of [tea(2, 400), tea(3, 450), tea(1, 350)]) knowing(product)(history).when(changePrice).then([]);
  });

  test('a price of a product that was restored from a backup is newer, whatever its version is', () => {
    const version = toOrdinal({ epoch: 1, sequence: 1 });
    expect(version).toBeGreaterThan(toOrdinal({ epoch: 0, sequence: 9_999_999_999 }));
    knowing(tea(version, 300))([itemSet(1, 350, 9)])
      .when(changePrice)
      .then([priceChanged(300, version, 350)]);
  });

  test('moves the version of the line on, even if the price is the same', () =>
    knowing(tea(3, 350))([itemSet(1)])
      .when(changePrice)
      .then([priceChanged(350, 3)]));

  test('a price of a product that is not in the basket changes nothing', () => {
    knowing(tea(3, 350))([itemSet(1, 350, 1, 'CUP-1')])
      .when(changePrice)
      .then([]);
    knowing(tea(3, 350))([]).when(changePrice).then([]);
  });

  test('a look at the basket stores a price that did not reach it, but not a new name', () => {
    knowing(tea(2, 400))([itemSet(1)])
      .when(look)
      .then([priceChanged(400, 2, 350)]);
    knowing(tea(2, 350))([itemSet(1)])
      .when(look)
      .then([]);
    knowing(tea(2, 400))([itemSet(1, 450, 3)])
      .when(look)
      .then([]);
  });

  test('a price is compared with its currency', () =>
    knowing(tea(2, 350, { unitPrice: { amount: 350, currency: 'USD' } }))([itemSet(1)])
      .when(look)
      .then([
        {
          type: 'BasketPriceChanged',
          data: {
            customerId,
            sku: 'TEA-1',
            unitPrice: { amount: 350, currency: 'USD' },
            oldUnitPrice: eur(350),
            productVersion: 2,
          },
        },
      ]));

  test('a price is seen once, and stays unseen until it is shown', () => {
    const see: BasketCommand = { type: 'See', customerId };
    const history = [itemSet(1), priceChanged(400, 2, 350)];
    knowing(tea(2, 400))(history).when(see).then([seen]);
    knowing(tea(2, 400))([...history, seen])
      .when(see)
      .then([]);
    knowing(tea(3, 450))(history)
      .when(see)
      .then([seen, priceChanged(450, 3, 400)]);
  });
});

describe('a checkout', () => {
  const two = [itemSet(1), itemSet(2, 500, 1, 'CUP-1')];
  const out = (orderId: string): BasketCommand => ({ type: 'CheckOut', customerId, orderId });

  test('marks the lines, which stay in the basket until their order is placed', () => {
    knowing()(two)
      .when(out('o1'))
      .then([checkedOut('o1', 'TEA-1', 'CUP-1')]);
    expect(shown(...two, checkedOut('o1', 'TEA-1', 'CUP-1')).lines).toHaveLength(2);
    knowing()([...two, checkedOut('o1', 'TEA-1', 'CUP-1')])
      .when(empty('o1'))
      .then([emptied('o1', 'TEA-1', 'CUP-1')]);
    expect(shown(...two, checkedOut('o1', 'TEA-1', 'CUP-1'), emptied('o1', 'TEA-1', 'CUP-1')).lines).toEqual([]);
  });

  test('leaves lines that were added or changed meanwhile, but not those with another price', () => {
    const history = [
      ...two,
      itemSet(1, 100, 1, 'POT-1'),
      checkedOut('o1', 'TEA-1', 'CUP-1', 'POT-1'),
      itemSet(3, 500, 1, 'CUP-1'),
      itemSet(1, 100, 1, 'PAN-1'),
      priceChanged(400, 2, 350),
    ];
    knowing()(history)
      .when(empty('o1'))
      .then([emptied('o1', 'TEA-1', 'POT-1')]);
    expect(shown(...history, emptied('o1', 'TEA-1', 'POT-1')).lines.map(({ sku }) => sku)).toEqual(['CUP-1', 'PAN-1']);
  });

  test('a repeat of an ordered quantity does not undo a checkout', () =>
    knowing(tea(1, 350))([itemSet(1), checkedOut('o1', 'TEA-1')])
      .when(set(1))
      .then([]));

  test('orders no line that another one is ordering, and its order removes its own lines only', () => {
    const history = [itemSet(1), checkedOut('o1', 'TEA-1'), itemSet(2, 500, 1, 'CUP-1')];
    knowing()(history)
      .when(out('o2'))
      .then([checkedOut('o2', 'CUP-1')]);
    const both = [...history, checkedOut('o2', 'CUP-1')];
    knowing()(both)
      .when(empty('o2'))
      .then([emptied('o2', 'CUP-1')]);
    knowing()([...both, emptied('o2', 'CUP-1')])
      .when(empty('o1'))
      .then([emptied('o1', 'TEA-1')]);
  });

  test('a checkout is not changed by other orders, nor by the same order again', () => {
    knowing()(two).when(empty('o9')).then([]);
    knowing()([]).when(empty('o9')).then([]);
    const done = [itemSet(1), checkedOut('o1', 'TEA-1'), emptied('o1', 'TEA-1'), itemSet(1)];
    knowing()(done).when(empty('o1')).then([]);
  });
});

test('any event is folded in any state', () => {
  for (const event of [itemSet(1), priceChanged(1, 1), seen, checkedOut('o', 'TEA-1'), emptied('o', 'TEA-1')]) {
    expect(evolve(initialState, event).lines.length).toBeLessThanOrEqual(1);
  }
});
