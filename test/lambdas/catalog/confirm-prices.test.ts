import { beforeEach, expect, test } from 'vitest';
import { priceChecks } from '../../../lambdas/catalog/aggregates.js';
import { confirmPrices } from '../../../lambdas/catalog/confirm-prices.js';
import { type CatalogCommand, catalogContract } from '../../../lambdas/catalog/contract.js';
import type { Offer } from '../../../lambdas/catalog/domain/price-check.js';
import { InMemoryService } from '../../../packages/kit/testing/in-memory-service.js';
import { commandMessage } from '../../../packages/kit/testing/messages.js';

/** The catalogue as a service in memory: its consumer with its event store, without settings and without a client. */

const eur = (amount: number) => ({ amount, currency: 'EUR' });
const data = { orderId: 'o1', stepId: 'o1/confirm-prices', lines: [{ sku: 'TEA-1', unitPrice: eur(350) }] };
const command: CatalogCommand = { type: 'ConfirmPrices', data };
const sent = () => commandMessage(catalogContract, command, 'orders');
const step = { orderId: 'o1', stepId: 'o1/confirm-prices' };

const offerOf =
  (tea: number, more: Partial<Offer> = {}) =>
  async () =>
    new Map<string, Offer>([['TEA-1', { unitPrice: eur(tea), ...more }]]);
let offersOf: ReturnType<typeof offerOf>;
let priceCheckStore: ReturnType<typeof storeOf>;
let deliver: ReturnType<InMemoryService['consumer']>;
const storeOf = (service: InMemoryService) => service.eventStore(priceChecks);
beforeEach(() => {
  const service = new InMemoryService('catalog');
  offersOf = offerOf(350);
  priceCheckStore = storeOf(service);
  deliver = service.consumer([confirmPrices(priceCheckStore, () => offersOf())], ['orders']);
});
const events = async () => {
  const { items } = await priceCheckStore.history('o1', { commit: 1, shown: 0 }, 10);
  return items.map(({ type, data }) => ({ type, data }));
};
const confirmed = { type: 'PricesConfirmed', data: step };
const repeated = { type: 'SagaReplyRequested', data: { ...step, outcome: 'DONE' } };

test('a command has one effect, however often it is delivered', async () => {
  const message = sent();
  expect(await deliver(message)).toBe('applied');
  expect(await deliver(message)).toBe('duplicate');
  expect(await Promise.all([deliver(message), deliver(message)])).toEqual(['duplicate', 'duplicate']);
  expect(await events()).toEqual([confirmed]);
});

test('two deliveries at once have one effect', async () => {
  const message = sent();
  expect((await Promise.all([deliver(message), deliver(message)])).toSorted()).toEqual(['applied', 'duplicate']);
  expect(await events()).toEqual([confirmed]);
});

test('a retry of the step is another message: it gets the first answer again, whatever the prices are now', async () => {
  await deliver(sent());
  offersOf = offerOf(400);
  expect(await deliver(sent())).toBe('applied');
  expect(await events()).toEqual([confirmed, repeated]);
});

test('a retry at the same time loses the race, decides again and gets the first answer', async () => {
  expect(await Promise.all([deliver(sent()), deliver(sent())])).toEqual(['applied', 'applied']);
  expect(await events()).toEqual([confirmed, repeated]);
});

test('a delivery whose prices cannot be read has no effect, and the redelivery has it', async () => {
  const message = sent();
  offersOf = () => Promise.reject(new Error('unreachable'));
  await expect(deliver(message)).rejects.toThrow('unreachable');
  expect(await events()).toEqual([]);
  offersOf = offerOf(350);
  expect(await deliver(message)).toBe('applied');
});

test('a retry of a refused step gets the reason again, though the product is sold again', async () => {
  offersOf = offerOf(350, { discontinued: true });
  await deliver(sent());
  offersOf = offerOf(350);
  expect(await deliver(sent())).toBe('applied');
  const refusal = { reason: 'PRODUCT_DISCONTINUED', skus: ['TEA-1'] };
  expect(await events()).toEqual([
    { type: 'PricesRefused', data: { ...step, ...refusal } },
    { type: 'SagaReplyRequested', data: { ...step, outcome: 'REFUSED', ...refusal } },
  ]);
});

test('a command of any other service is refused', async () => {
  const message = commandMessage(catalogContract, command, 'payments');
  await expect(deliver(message)).rejects.toMatchObject({ code: 'SENDER_NOT_ALLOWED' });
});
