import { beforeEach, describe, expect, test } from 'vitest';
import { requireAccount } from '../../lambdas/accounts/account-store.js';
import { accounts } from '../../lambdas/accounts/aggregates.js';
import { onCommand as accountsOnCommand } from '../../lambdas/accounts/on-command.js';
import { onOrderEvent as accountsOnOrderEvent } from '../../lambdas/accounts/on-order-event.js';
import { onPaymentEvent as accountsOnPaymentEvent } from '../../lambdas/accounts/on-payment-event.js';
import { priceChecks, products } from '../../lambdas/catalog/aggregates.js';
import { confirmPrices } from '../../lambdas/catalog/confirm-prices.js';
import type { Offer } from '../../lambdas/catalog/domain/price-check.js';
import { type ProductStore, setProduct } from '../../lambdas/catalog/product-store.js';
import { reservations, stockItems } from '../../lambdas/inventory/aggregates.js';
import { onCommand as inventoryOnCommand } from '../../lambdas/inventory/on-command.js';
import { onOrderEvent as inventoryOnOrderEvent } from '../../lambdas/inventory/on-order-event.js';
import { readStock, type StockStore, setStock } from '../../lambdas/inventory/stock-store.js';
import { orders } from '../../lambdas/orders/aggregates.js';
import { createOrderOrchestrator } from '../../lambdas/orders/create-order-orchestrator.js';
import type { OrderCommand } from '../../lambdas/orders/domain/order.js';
import { onSagaMessage } from '../../lambdas/orders/on-saga-message.js';
import { createOrderSagas } from '../../lambdas/orders/saga-aggregate.js';
import { createOrderContract } from '../../lambdas/orders/saga-contract.js';
import { payers, payments } from '../../lambdas/payments/aggregates.js';
import { onCommand as paymentsOnCommand } from '../../lambdas/payments/on-command.js';
import { onOrderEvent as paymentsOnOrderEvent } from '../../lambdas/payments/on-order-event.js';
import { Payers } from '../../lambdas/payments/payers.js';
import { SandboxProvider } from '../../lambdas/payments/provider/sandbox-provider.js';
import { onProviderTask } from '../../lambdas/payments/provider-consumer.js';
import type { Source } from '../../packages/kit/idempotent-consumer/message-source.js';
import type { Envelope } from '../../packages/kit/messages/envelope.js';
import { InMemoryService } from '../../packages/kit/testing/in-memory-service.js';
import { createTable } from '../../packages/kit/testing/in-memory-tables.js';
import { Timers } from '../../packages/kit/timers/timers.js';
import { LIMITS } from '../support/function-environment.js';
import { modelledTables } from '../support/modelled-tables.js';
import { REVIEW_RULES } from '../support/review-rules.js';
import { buildTrace } from '../support/tally.js';

/**
 * An order's way through all five services in memory: no settings, no client, no function. A bus of a few lines brings
 * each message to each consumer that subscribes to it. What a deployment adds (faults, redelivery, retries) is the simulator's.
 */

interface Consumer {
  readonly sources: readonly Source[];
  readonly deliver: ReturnType<InMemoryService['consumer']>;
}

const eur = (amount: number) => ({ amount, currency: 'EUR' });
const [orderId, sku] = ['o1', 'TEA-1'];

/** Builds the services as their entry points do, with stores in memory. */
function allServices() {
  const catalog = new InMemoryService('catalog');
  const accountsService = new InMemoryService('accounts');
  const inventory = new InMemoryService('inventory', modelledTables());
  const paymentsService = new InMemoryService('payments');
  const ordersService = new InMemoryService('orders');

  const productStore: ProductStore = catalog.stateStore(products);
  const offersOf = async (skus: readonly string[]) => {
    const found = await Promise.all(skus.map(async (of) => [of, await productStore.read(of)] as const));
    return new Map(found.flatMap(([of, product]) => (product ? [[of, product satisfies Offer] as const] : [])));
  };
  const accountStore = accountsService.eventStore(accounts);
  const facts = { defaultCreditLimit: eur(2_000), limits: LIMITS };
  const context = { accountStore, table: accountsService.table, facts };
  const counters: StockStore = inventory.stateStore(stockItems);
  const reservationStore = inventory.eventStore(reservations);
  const paymentStore = paymentsService.eventStore(payments);
  const sandbox = createTable(modelledTables({ sandbox: ['pk'] }), 'sandbox');
  const orderStore = ordersService.eventStore(orders);
  const timers = new Timers({
    app: 'app',
    table: ordersService.records.name,
    consumer: { name: 'orders-saga', generation: 0 },
    contract: createOrderContract,
  });
  const orchestrator = createOrderOrchestrator(ordersService.eventStore(createOrderSagas), timers);

  const rules = REVIEW_RULES;
  const reviews = {
    orderStore,
    table: ordersService.table,
    rules,
    readNewest: async () => [],
    personalKeys: { openAll: async () => [] },
  };
  const consumers: Consumer[] = [];
  const receives = (service: InMemoryService, sources: readonly Source[]) =>
    consumers.push({ sources, deliver: service.consumer(sources, ['orders']) });
  receives(ordersService, onSagaMessage({ orderStore, orchestrator, reviews }));
  receives(catalog, [confirmPrices(catalog.eventStore(priceChecks), offersOf)]);
  receives(accountsService, [accountsOnCommand(context)]);
  receives(accountsService, [accountsOnOrderEvent(context)]);
  receives(accountsService, [accountsOnPaymentEvent(context)]);
  receives(inventory, [inventoryOnCommand(reservationStore)]);
  receives(inventory, [inventoryOnOrderEvent(reservationStore)]);
  receives(paymentsService, [paymentsOnCommand(paymentStore)]);
  receives(paymentsService, [paymentsOnOrderEvent(paymentStore)]);
  const payerCounts = new Payers(paymentsService.stateStore(payers));
  receives(paymentsService, [
    onProviderTask({ paymentStore, payers: payerCounts, provider: new SandboxProvider(sandbox) }),
  ]);
  const services = [catalog, accountsService, inventory, paymentsService, ordersService];
  return { services, consumers, productStore, accountStore, counters, paymentStore, sandbox, orderStore };
}

let shop: ReturnType<typeof allServices>;
beforeEach(async () => {
  shop = allServices();
  await setProduct(shop.productStore, sku, { name: 'Tea', unitPrice: eur(350) }, undefined, buildTrace('product'));
  await setStock(shop.counters, sku, 10, undefined, buildTrace('stock'));
});

/** Tells whether a subscription of a consumer has this message: a rule of the bus, in a deployment. */
const isHeard = ({ sources }: Consumer, message: Envelope): boolean => {
  const source = sources.find(({ matches: sends }) => sends(message));
  try {
    return source?.read(message) !== undefined;
  } catch {
    return false;
  }
};

/** Brings all that is published to all that hear it, each message as often as `times` says, until nothing is left. */
async function settled(times: number): Promise<void> {
  for (let round = 0; round < 50; round++) {
    const published = shop.services.flatMap((service) => service.drainPublished());
    if (published.length === 0) return;
    for (const message of published) {
      for (const consumer of shop.consumers.filter((one) => isHeard(one, message))) {
        const outcomes = await Promise.all(Array.from({ length: times }, () => consumer.deliver(message)));
        expect(outcomes.filter((outcome) => outcome === 'applied')).toHaveLength(1);
      }
    }
  }
  throw new Error('the services never come to rest');
}

/** A request's change of the order. */
async function changed(command: OrderCommand): Promise<void> {
  const order = await shop.orderStore.load(orderId);
  const events = shop.orderStore.decider.decide(order.state, command, { now: '2026-03-01T00:00:00.000Z' });
  await shop.orderStore.append(shop.orderStore.buildCommit(order, events, buildTrace(command.type)));
}
const placed = (quantity: number, unitPrice = 350) =>
  changed({ type: 'Place', orderId, customerId: 'alice', lines: [{ sku, quantity, unitPrice: eur(unitPrice) }] });

/** Effects of the order, in each service. */
async function done() {
  const { pk: _, ...provider } = (await shop.sandbox.read({ pk: `TALLY#${orderId}` })) ?? {};
  const { authorized, captured, refunded, available } = requireAccount(await shop.accountStore.load('alice'));
  return {
    order: (await shop.orderStore.load(orderId)).state.status,
    reserved: (await readStock(shop.counters, sku))?.reserved,
    account: [authorized.amount, captured.amount, refunded.amount],
    // However much was paid, the customer has their credit of 2,000 back.
    available: available.amount,
    provider,
  };
}

describe.each([1, 2])('an order with each message delivered %i times at once', (times) => {
  test('an order is confirmed, authorised, reserved, charged and captured once', async () => {
    await placed(2);
    await settled(times);
    const provider = { charges: 1, chargeSum: 700 };
    expect(await done()).toEqual({ order: 'APPROVED', reserved: 2, account: [0, 700, 0], available: 2_000, provider });
  });

  test('an order that is cancelled after its approval is undone once in each service', async () => {
    await placed(2);
    await settled(times);
    await changed({ type: 'Cancel' });
    await settled(times);
    const provider = { charges: 1, chargeSum: 700, refunds: 1, refundSum: 700 };
    expect(await done()).toEqual({
      order: 'CANCELLED',
      reserved: 0,
      account: [0, 700, 700],
      available: 2_000,
      provider,
    });
  });

  test('an order whose stock is short is rejected, and its authorisation is released', async () => {
    await setStock(shop.counters, sku, 1, undefined, buildTrace('low'));
    await placed(2);
    await settled(times);
    expect(await done()).toEqual({
      order: 'REJECTED',
      reserved: 0,
      account: [0, 0, 0],
      available: 2_000,
      provider: {},
    });
  });

  test('an order whose price has changed is rejected before anything is held', async () => {
    await placed(2, 300);
    await settled(times);
    expect((await shop.orderStore.load(orderId)).state).toMatchObject({ status: 'REJECTED', reason: 'PRICE_CHANGED' });
    expect((await shop.accountStore.load('alice')).version).toBe(0);
  });
});
