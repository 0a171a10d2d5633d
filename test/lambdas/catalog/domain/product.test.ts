import { describe, expect, test } from 'vitest';
import type { ProductEvent } from '../../../../lambdas/catalog/contract.js';
import { productDecider } from '../../../../lambdas/catalog/domain/product.js';
import { given } from '../../../../packages/kit/testing/given.js';

const product = given(productDecider);
const eur = (amount: number) => ({ amount, currency: 'EUR' });
const usd = { amount: 350, currency: 'USD' };
const set = (name: string, unitPrice: typeof usd) => ({ sku: 'TEA-1', name, unitPrice });
const added: ProductEvent = { type: 'ProductAdded', data: set('Tea', eur(350)) };
const renamed: ProductEvent = { type: 'ProductRenamed', data: { ...set('Mint', eur(350)), oldName: 'Tea' } };
const repriced: ProductEvent = {
  type: 'ProductPriceChanged',
  data: { ...set('Tea', eur(400)), oldUnitPrice: eur(350) },
};
const gone = { ...set('Tea', eur(350)), discontinued: true } as const;
const discontinued: ProductEvent = { type: 'ProductDiscontinued', data: gone };
const resumed: ProductEvent = { type: 'ProductResumed', data: set('Tea', eur(350)) };

describe('a product', () => {
  test('a product is added', () =>
    product([])
      .when(set('Tea', eur(350)))
      .then([added]));
  test('a product without a change stays as it is', () =>
    product([added])
      .when(set('Tea', eur(350)))
      .then([]));
  test('a product is renamed', () =>
    product([added])
      .when(set('Mint', eur(350)))
      .then([renamed]));
  test('gets another price', () =>
    product([added])
      .when(set('Tea', eur(400)))
      .then([repriced]));
  test('gets its price in another currency, though the number is the same', () =>
    product([added])
      .when(set('Tea', usd))
      .then([{ type: 'ProductPriceChanged', data: { ...set('Tea', usd), oldUnitPrice: eur(350) } }]));
  test('gets both, and each event says the whole product after it', () =>
    product([added, repriced])
      .when(set('Mint', eur(500)))
      .then([
        { type: 'ProductRenamed', data: { ...set('Mint', eur(400)), oldName: 'Tea' } },
        { type: 'ProductPriceChanged', data: { ...set('Mint', eur(500)), oldUnitPrice: eur(400) } },
      ]));

  test('a product is discontinued', () => product([added]).when(gone).then([discontinued]));
  test('a product that is discontinued already stays so', () => product([added, discontinued]).when(gone).then([]));
  test('a product that is set again without being discontinued is sold again', () =>
    product([added, discontinued])
      .when(set('Tea', eur(350)))
      .then([resumed]));
  test('a product that is sold does not change if it is set to be sold', () =>
    product([added, discontinued, resumed])
      .when({ ...set('Tea', eur(350)), discontinued: false })
      .then([]));
  test('a product can be discontinued from the beginning', () => product([]).when(gone).then([added, discontinued]));
  test('stays discontinued while it gets another name and another price', () =>
    product([added, discontinued])
      .when({ ...set('Mint', eur(400)), discontinued: true })
      .then([
        { type: 'ProductRenamed', data: { ...gone, name: 'Mint', oldName: 'Tea' } },
        { type: 'ProductPriceChanged', data: { ...gone, ...set('Mint', eur(400)), oldUnitPrice: eur(350) } },
      ]));
  test('gets another price and is sold again: it is not sold at the old price in between', () =>
    product([added, discontinued])
      .when(set('Tea', eur(400)))
      .then([
        { type: 'ProductPriceChanged', data: { ...gone, unitPrice: eur(400), oldUnitPrice: eur(350) } },
        { type: 'ProductResumed', data: set('Tea', eur(400)) },
      ]));

  test('a product is what its newest event says, whatever came before', () => {
    for (const before of [undefined, { name: 'Old', unitPrice: eur(1), discontinued: true } as const]) {
      for (const event of [added, renamed, repriced, discontinued, resumed]) {
        const { name, unitPrice } = event.data;
        const soldOrNot = event === discontinued ? { discontinued: true } : {};
        expect(productDecider.evolve(before, event)).toEqual({ name, unitPrice, ...soldOrNot });
      }
    }
  });
});
