import { describe, test } from 'vitest';
import type { CatalogCommand, PriceCheckEvent } from '../../../../lambdas/catalog/contract.js';
import { type Offer, priceCheckDecider } from '../../../../lambdas/catalog/domain/price-check.js';
import { given } from '../../../../packages/kit/testing/given.js';

const eur = (amount: number) => ({ amount, currency: 'EUR' });
const offers = new Map<string, Offer>([
  ['TEA-1', { unitPrice: eur(350) }],
  ['CUP-1', { unitPrice: eur(900) }],
  ['FREE', { unitPrice: eur(0) }],
  ['OLD-1', { unitPrice: eur(100), discontinued: true }],
  ['OLD-2', { unitPrice: eur(200), discontinued: true }],
]);
const check = given(priceCheckDecider, { offers });
const step = { orderId: 'o1', stepId: 'o1/confirm-prices' };
const confirm = (...lines: CatalogCommand['data']['lines']): CatalogCommand => ({
  type: 'ConfirmPrices',
  data: { ...step, lines },
});
const tea = { sku: 'TEA-1', unitPrice: eur(350) };
const cup = { sku: 'CUP-1', unitPrice: eur(900) };
const confirmed: PriceCheckEvent = { type: 'PricesConfirmed', data: step };
const unknown = (...skus: string[]): PriceCheckEvent => ({
  type: 'PricesRefused',
  data: { ...step, reason: 'UNKNOWN_PRODUCT', skus },
});
const discontinued = (...skus: string[]): PriceCheckEvent => ({
  type: 'PricesRefused',
  data: { ...step, reason: 'PRODUCT_DISCONTINUED', skus },
});
const changed = (...lines: { sku: string; unitPrice: ReturnType<typeof eur> }[]): PriceCheckEvent => ({
  type: 'PricesRefused',
  data: { ...step, reason: 'PRICE_CHANGED', skus: lines.map(({ sku }) => sku), prices: lines },
});
const reply = (outcome: object) => [{ type: 'SagaReplyRequested', data: { ...step, ...outcome } } as PriceCheckEvent];

describe('the prices of an order', () => {
  test('right prices are confirmed', () =>
    check([])
      .when(confirm(tea, cup, { sku: 'FREE', unitPrice: eur(0) }))
      .then([confirmed]));
  test.each([
    ['another amount', eur(351)],
    ['another currency', { amount: 350, currency: 'USD' }],
  ])('prices are refused by %s', (_, unitPrice) =>
    check([])
      .when(confirm({ sku: 'TEA-1', unitPrice }, cup))
      .then([changed(tea)]),
  );
  test('prices are refused with what each changed line costs in the catalogue', () =>
    check([])
      .when(confirm({ ...cup, unitPrice: eur(1) }, { ...tea, unitPrice: { amount: 350, currency: 'USD' } }))
      .then([changed(cup, tea)]));
  test('an unknown product is refused before those that cost something else', () =>
    check([])
      .when(confirm({ ...tea, unitPrice: eur(1) }, { ...tea, sku: 'GONE-1' }, { ...tea, sku: 'GONE-2' }))
      .then([unknown('GONE-1', 'GONE-2')]));

  test('discontinued products are refused, and only they are named', () =>
    check([])
      .when(confirm(tea, { sku: 'OLD-1', unitPrice: eur(100) }, cup, { sku: 'OLD-2', unitPrice: eur(1) }))
      .then([discontinued('OLD-1', 'OLD-2')]));
  test('a discontinued product is refused before those that cost something else', () =>
    check([])
      .when(confirm({ ...tea, unitPrice: eur(1) }, { sku: 'OLD-1', unitPrice: eur(100) }))
      .then([discontinued('OLD-1')]));
  test('an unknown product is refused before a discontinued one', () =>
    check([])
      .when(confirm({ sku: 'OLD-1', unitPrice: eur(100) }, { ...tea, sku: 'GONE-1' }))
      .then([unknown('GONE-1')]));

  test('stay confirmed, though a product is discontinued now', () =>
    check([confirmed])
      .when(confirm({ sku: 'OLD-1', unitPrice: eur(100) }))
      .then(reply({ outcome: 'DONE' })));
  test('stay refused, though the product is sold again now', () =>
    check([discontinued('TEA-1')])
      .when(confirm(tea))
      .then(reply({ outcome: 'REFUSED', reason: 'PRODUCT_DISCONTINUED', skus: ['TEA-1'] })));
  test('stay confirmed, though they would not be now', () =>
    check([confirmed])
      .when(confirm({ ...tea, unitPrice: eur(1) }))
      .then(reply({ outcome: 'DONE' })));
  test('stay refused, though they would be right now', () =>
    check([changed(cup)])
      .when(confirm(cup))
      .then(reply({ outcome: 'REFUSED', reason: 'PRICE_CHANGED', skus: ['CUP-1'], prices: [cup] })));
  test('stay refused as an earlier release wrote it, without prices', () =>
    check([{ type: 'PricesRefused', data: { ...step, reason: 'PRICE_CHANGED', skus: ['TEA-1'] } }])
      .when(confirm(tea))
      .then(reply({ outcome: 'REFUSED', reason: 'PRICE_CHANGED', skus: ['TEA-1'] })));
  test('prices are answered as often as they are requested', () =>
    check([confirmed, ...reply({ outcome: 'DONE' }), ...reply({ outcome: 'DONE' })])
      .when(confirm(cup))
      .then(reply({ outcome: 'DONE' })));
  test('a retry is answered to the step that asks', () => {
    const again = confirm(tea);
    const other = { ...again, data: { ...again.data, stepId: 'o1/again' } };
    check([confirmed])
      .when(other)
      .then([{ type: 'SagaReplyRequested', data: { ...step, stepId: 'o1/again', outcome: 'DONE' } }]);
  });
});
