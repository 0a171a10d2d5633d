import { beforeEach, expect, test } from 'vitest';
import { ordersContract } from '../../../lambdas/orders/contract.js';
import { type PaymentStore, payers, payments } from '../../../lambdas/payments/aggregates.js';
import { paymentsContract, type StepCommand } from '../../../lambdas/payments/contract.js';
import { onCommand } from '../../../lambdas/payments/on-command.js';
import { onOrderEvent } from '../../../lambdas/payments/on-order-event.js';
import { Payers } from '../../../lambdas/payments/payers.js';
import { SandboxProvider } from '../../../lambdas/payments/provider/sandbox-provider.js';
import { atProvider } from '../../../lambdas/payments/provider-consumer.js';
import type { Table } from '../../../packages/kit/aws/table.js';
import type { Envelope } from '../../../packages/kit/messages/envelope.js';
import { InMemoryService } from '../../../packages/kit/testing/in-memory-service.js';
import { tableOf } from '../../../packages/kit/testing/in-memory-tables.js';
import { commandMessage, eventMessage } from '../../../packages/kit/testing/messages.js';
import { modelledTables } from '../../support/modelled-tables.js';

/** Payments as a service in memory, with the sandbox as its provider: its counts of effects are arithmetic. */

const orderId = 'o1';
const ofAlice = { orderId, customerId: 'alice' };
type Deliver = ReturnType<InMemoryService['consumer']>;
let service: InMemoryService;
let paymentStore: PaymentStore;
let sandbox: Table;
let commands: Deliver;
let events: Deliver;
let tasks: Deliver;
beforeEach(() => {
  service = new InMemoryService('payments');
  sandbox = tableOf(modelledTables({ sandbox: ['pk'] }), 'sandbox');
  paymentStore = service.eventStore(payments);
  commands = service.consumer([onCommand(paymentStore)], ['orders']);
  events = service.consumer([onOrderEvent(paymentStore)]);
  const stores = { paymentStore, payers: new Payers(service.stateStore(payers)) };
  tasks = service.consumer([atProvider({ ...stores, provider: new SandboxProvider(sandbox) })]);
});

const PROVIDER_TASKS = ['PaymentRequested', 'PaymentPrepared', 'VoidRequested', 'RefundRequested'];
/** Brings each provider task twice to its consumer, until none is left. */
async function relayed(): Promise<void> {
  for (let sent = service.published(); sent.length > 0; sent = service.published()) {
    for (const message of sent.filter(({ type }) => PROVIDER_TASKS.includes(type))) {
      expect([await tasks(message), await tasks(message)]).toEqual(['applied', 'duplicate']);
    }
  }
}
const step = (command: StepCommand): Envelope => commandMessage(paymentsContract, command, 'orders');
const charge = (amount = 700) =>
  step({ type: 'ChargePayment', data: { ...ofAlice, stepId: 'c', amount: { amount, currency: 'EUR' } } });
const refund = () => step({ type: 'RefundPayment', data: { ...ofAlice, stepId: 'r' } });
const cancelled = (more: object = { customerId: 'alice' }) =>
  eventMessage(ordersContract, { type: 'OrderCancelled', data: { orderId, ...more } });

const history = async () =>
  (await paymentStore.history(orderId, { commit: 1, shown: 0 }, 20)).items.map(({ type }) => type);
/** What happened to its payment since it was charged. */
const since = async () => (await history()).slice((await history()).indexOf('PaymentCharged') + 1);
/** Effects at the provider. */
const effects = async () => {
  const { pk: _, ...counts } = (await sandbox.read({ pk: `TALLY#${orderId}` })) ?? {};
  return counts;
};

/** An order's payment, which was asked for by its saga and charged. */
async function charged(): Promise<void> {
  await commands(charge());
  await relayed();
}

test('a command charges once, however often it and what follows from it are delivered', async () => {
  const message = charge();
  expect([await commands(message), await commands(message)]).toEqual(['applied', 'duplicate']);
  await relayed();
  expect(await history()).toEqual(['PaymentRequested', 'PaymentPrepared', 'PaymentCharged', 'SagaReplyRequested']);
  expect(await effects()).toEqual({ charges: 1, chargeSum: 700 });
});

test('two deliveries at once of each message charge once', async () => {
  const twice = async (deliver: Deliver, message: Envelope) =>
    expect((await Promise.all([deliver(message), deliver(message)])).toSorted()).toEqual(['applied', 'duplicate']);
  await twice(commands, charge());
  for (let at = 0; at < 2; at++) for (const message of service.published()) await twice(tasks, message);
  expect((await paymentStore.load(orderId)).state.status).toBe('CHARGED');
  expect(await effects()).toEqual({ charges: 1, chargeSum: 700 });
});

test('a retry of the step is answered again, and charges nothing more', async () => {
  await charged();
  await commands(charge());
  await relayed();
  expect(await since()).toEqual(['SagaReplyRequested', 'SagaReplyRequested']);
  expect(await effects()).toEqual({ charges: 1, chargeSum: 700 });
});

test('a charge whose answer is lost is found when its task is delivered again', async () => {
  await commands(charge(50_400));
  for (const message of service.published()) await tasks(message);
  const [prepared] = service.published();
  await expect(tasks(prepared!)).rejects.toMatchObject({ name: 'ProviderUnavailable' });
  expect(await tasks(prepared!)).toBe('applied');
  expect((await paymentStore.load(orderId)).state.status).toBe('CHARGED');
  expect(await effects()).toEqual({ charges: 1, chargeSum: 50_400 });
});

test('a charge that the provider declines keeps no money, and the saga gets the reason', async () => {
  await commands(charge(40_200));
  await relayed();
  expect(await history()).toEqual(['PaymentRequested', 'PaymentPrepared', 'PaymentDeclined', 'SagaReplyRequested']);
  expect(await effects()).toEqual({});
});

test('a compensation gives everything back once', async () => {
  await charged();
  const message = refund();
  expect([await commands(message), await commands(message)]).toEqual(['applied', 'duplicate']);
  await relayed();
  await commands(refund());
  await relayed();
  expect(await effects()).toEqual({ charges: 1, chargeSum: 700, refunds: 1, refundSum: 700 });
});

test('a cancelled order is given back what was charged, once, however often it is told', async () => {
  await charged();
  const message = cancelled();
  for (const delivered of [message, message, cancelled()]) await events(delivered);
  expect((await since()).filter((type) => type !== 'SagaReplyRequested')).toEqual(['VoidRequested', 'RefundRequested']);
  expect((await paymentStore.load(orderId)).state).toMatchObject({ voidFor: `${orderId}/cancelled` });
  await relayed();
  expect(await effects()).toMatchObject({ refunds: 1, refundSum: 700 });
});

test('of an order that cost nothing nothing will be charged', async () => {
  await events(cancelled());
  expect(await history()).toEqual(['PaymentVoided', 'SagaReplyRequested']);
});

test('while its saga is under way, a cancellation is left to that', async () => {
  await charged();
  const before = await history();
  await events(cancelled({ customerId: 'alice', underWay: true }));
  expect(await history()).toEqual(before);
});

test('an order of before there were sagas has no payment', async () => {
  const message = cancelled({});
  expect([await events(message), await events(message)]).toEqual(['applied', 'duplicate']);
  expect(await history()).toEqual([]);
});
