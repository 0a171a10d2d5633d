import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type PaymentStore, payers, payments } from '../../../lambdas/payments/aggregates.js';
import { paymentsContract } from '../../../lambdas/payments/contract.js';
import { decide } from '../../../lambdas/payments/domain/payment.js';
import { onCommand } from '../../../lambdas/payments/on-command.js';
import { onUserEvent } from '../../../lambdas/payments/on-user-event.js';
import { methodKey, type PayerStore, Payers } from '../../../lambdas/payments/payers.js';
import {
  type Charge,
  type PaymentProvider,
  ProviderRefused,
} from '../../../lambdas/payments/provider/payment-provider.js';
import { StripeCustomers } from '../../../lambdas/payments/provider/stripe-customers.js';
import { onProviderTask } from '../../../lambdas/payments/provider-consumer.js';
import { usersContract } from '../../../lambdas/users/contract.js';
import type { Envelope } from '../../../packages/kit/messages/envelope.js';
import { InMemoryService } from '../../../packages/kit/testing/in-memory-service.js';
import { InMemoryTables } from '../../../packages/kit/testing/in-memory-tables.js';
import { commandMessage, eventMessage } from '../../../packages/kit/testing/messages.js';
import { buildTrace } from '../../support/tally.js';
import { eur } from './provider/provider-suite.js';

/** Tests of what payments learn about a payer, in the transactions of the payments. The provider answers as each test says. */

const BEGIN = Date.parse('2026-03-01T10:00:00.000Z');
/** A time, in minutes since the beginning. */
const minute = (after: number) => new Date(BEGIN + after * 60_000).toISOString();

let charge: Charge;
let method: string | undefined;
const declines = (reason: Extract<Charge, { status: 'DECLINED' }>['reason']) => {
  charge = { status: 'DECLINED', reason };
};
const refused = async (): Promise<never> => {
  throw new ProviderRefused('UNEXPECTED_STATE');
};
const provider: PaymentProvider = {
  create: async ({ paymentId }) => ({ providerId: `pi_${paymentId}`, ...(method === undefined ? {} : { method }) }),
  confirm: async () => charge,
  cancel: refused,
  findCharge: async () => charge,
  refund: refused,
  findRefund: async () => undefined,
};

type Deliver = ReturnType<InMemoryService['consumer']>;
let service: InMemoryService;
let paymentStore: PaymentStore;
let payerStore: PayerStore;
let steps: Deliver;
let tasks: Deliver;
let forgettings: Deliver;
let made: number;
/** Whether a transaction that ends a payment is lost: its function was killed before. */
let isLost: boolean;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: BEGIN });
  [charge, method, made, isLost] = [{ status: 'CHARGED' }, 'card_1', 0, false];
  const tables = new InMemoryTables();
  const { transact } = tables;
  tables.transact = async (writes) => {
    if (isLost && JSON.stringify(writes).includes('PaymentDeclined')) throw new Error('lost');
    await transact.call(tables, writes);
  };
  service = new InMemoryService('payments', tables);
  paymentStore = service.eventStore(payments);
  payerStore = service.stateStore(payers);
  const learning = new Payers(payerStore);
  steps = service.consumer([onCommand(paymentStore)], ['orders']);
  tasks = service.consumer([onProviderTask({ paymentStore, payers: learning, provider })]);
  forgettings = service.consumer([onUserEvent(new StripeCustomers('table'), learning)]);
});
afterEach(() => void vi.useRealTimers());

const isAt = (time: string) => vi.setSystemTime(Date.parse(time));
const payerOf = async (customerId = 'bob') => {
  const { version: _, at: __, ...payer } = (await payerStore.read(customerId)) ?? expect.fail('no payer');
  return payer;
};
const hashOf = async (customerId = 'bob') => (await service.table.read(methodKey(customerId)))?.methodHash;

const changes: Envelope[] = [];
/** Messages that wait for the provider. What was published about payers is kept in `changes`. */
function waiting(): readonly Envelope[] {
  const published = service.drainPublished();
  changes.push(...published.filter(({ type }) => type === 'PayerChanged'));
  return published.filter(({ type }) => ['PaymentRequested', 'PaymentPrepared', 'VoidRequested'].includes(type));
}
beforeEach(() => void changes.splice(0));

/** Requests a payment as its customer does. @returns its event, which waits for the provider */
async function requested(customerId = 'bob'): Promise<Envelope> {
  const paymentId = `p${++made}`;
  const command = { type: 'Request', paymentId, customerId, accountId: customerId, amount: eur(100) } as const;
  const payment = await paymentStore.load(paymentId);
  const events = decide(payment.state, command, { now: minute(0) });
  await paymentStore.append(paymentStore.buildCommit(payment, events, buildTrace(paymentId)));
  return waiting()[0] ?? expect.fail('nothing waits');
}

/** Asks for the payment of an order, as its saga does. */
async function orderRequested(customerId = 'bob'): Promise<Envelope> {
  const orderId = `o${++made}`;
  const data = { orderId, customerId, stepId: `${orderId}/charge`, amount: eur(100) };
  await steps(commandMessage(paymentsContract, { type: 'ChargePayment', data }, 'orders'));
  return waiting()[0] ?? expect.fail('nothing waits');
}

async function prepared(request: Envelope): Promise<Envelope> {
  await tasks(request);
  return waiting()[0] ?? expect.fail('nothing waits');
}

/** Brings a payment to its end, each of its messages twice. */
async function pays(request?: Envelope): Promise<void> {
  for (let left = [request ?? (await requested())]; left.length > 0; left = [...waiting()]) {
    for (const message of left) expect([await tasks(message), await tasks(message)]).toEqual(['applied', 'duplicate']);
  }
}

describe('a declined charge', () => {
  beforeEach(() => declines('CARD_DECLINED'));

  test('counts once, however often its messages are delivered', async () => {
    await pays();
    expect(await payerOf()).toEqual({ declinedCharges: [minute(0)] });
    expect(changes.map(({ data }) => data)).toEqual([{ customerId: 'bob', declinedCharges: [minute(0)] }]);
  });

  test('counts with those before, of payments that the customer requested and of orders, oldest first', async () => {
    await pays(await orderRequested());
    isAt(minute(5));
    await pays();
    await pays(await requested('eve'));
    expect(await payerOf()).toEqual({ declinedCharges: [minute(0), minute(5)] });
    expect(await payerOf('eve')).toEqual({ declinedCharges: [minute(5)] });
    expect(changes.map(({ subject, sequence }) => [subject, sequence])).toEqual([
      ['Payer/bob', 1],
      ['Payer/bob', 2],
      ['Payer/eve', 1],
    ]);
  });

  test('counts beside another one at the same time, each delivered twice at once', async () => {
    const both = [await prepared(await requested()), await prepared(await requested())];
    const delivered = await Promise.all([...both, ...both].map(tasks));
    expect(delivered.toSorted()).toEqual(['applied', 'applied', 'duplicate', 'duplicate']);
    expect((await payerOf()).declinedCharges).toHaveLength(2);
  });

  test('counts in the transaction that declines the payment, or not at all', async () => {
    const task = await prepared(await requested());
    isLost = true;
    await expect(tasks(task)).rejects.toThrow('lost');
    expect(await payerStore.read('bob')).toBeUndefined();
    isLost = false;
    expect([await tasks(task), await tasks(task)]).toEqual(['applied', 'duplicate']);
    expect((await payerOf()).declinedCharges).toHaveLength(1);
  });

  test.each(['VOIDED', 'NO_PAYMENT_METHOD', 'REFUSED_BY_PROVIDER'] as const)(
    'a payment declined for %s is no declined charge, since no charge was tried',
    async (reason) => {
      declines(reason);
      await pays();
      expect((await paymentStore.load('p1')).state.status).toBe('DECLINED');
      expect(await payerStore.read('bob')).toBeUndefined();
    },
  );

  test('counts although its order was undone meanwhile, and its payment is VOIDED', async () => {
    const request = await orderRequested();
    await prepared(request);
    const data = { orderId: 'o1', customerId: 'bob', stepId: 'o1/undo' };
    await steps(commandMessage(paymentsContract, { type: 'RefundPayment', data }, 'orders'));
    const [voiding] = waiting();
    expect([await tasks(voiding!), await tasks(voiding!)]).toEqual(['applied', 'duplicate']);
    expect((await paymentStore.load('o1')).state).toMatchObject({ status: 'DECLINED', reason: 'VOIDED' });
    expect(await payerOf()).toEqual({ declinedCharges: [minute(0)] });
  });

  test('a charge that was spared or made is no declined charge', async () => {
    await orderRequested();
    const data = { orderId: 'o1', customerId: 'bob', stepId: 'o1/undo' };
    await steps(commandMessage(paymentsContract, { type: 'RefundPayment', data }, 'orders'));
    charge = { status: 'CHARGED' };
    await pays();
    expect(await payerStore.read('bob')).toBeUndefined();
  });
});

describe('the payment method', () => {
  test('a change is noted when another payment method than the last is charged; the first one is no change', async () => {
    await pays();
    await pays();
    expect(await payerStore.read('bob')).toBeUndefined();
    isAt(minute(7));
    method = 'card_2';
    await pays();
    isAt(minute(9));
    await pays();
    expect(await payerOf()).toEqual({ declinedCharges: [], methodChangedAt: minute(7) });
    expect(changes.map(({ data }) => data)).toEqual([
      { customerId: 'bob', declinedCharges: [], methodChangedAt: minute(7) },
    ]);
  });

  test('changes once, though two payments by the new one are prepared at once', async () => {
    await pays();
    method = 'card_2';
    const both = [await requested(), await requested()];
    await Promise.all([...both, ...both].map(tasks));
    expect(waiting()).toHaveLength(2);
    expect(changes).toHaveLength(1);
  });

  test('the payment method is the first one of two payments that are prepared at once', async () => {
    const both = [await requested(), await requested()];
    expect(await Promise.all(both.map(tasks))).toEqual(['applied', 'applied']);
    expect(await payerStore.read('bob')).toBeUndefined();
  });

  test('changes if it is another one of two first payments that are prepared at once', async () => {
    const [one, other] = [await requested(), await requested()];
    const first = tasks(one);
    // The provider has told the first one before the second one is asked for, and neither is committed.
    const create = vi.spyOn(provider, 'create');
    create.mockImplementationOnce(async () => ({ providerId: 'pi_other', method: 'card_2' }));
    await Promise.all([first, tasks(other)]);
    create.mockRestore();
    expect(waiting()).toHaveLength(2);
    expect(changes).toHaveLength(1);
  });

  test('stays known if a charge is declined, and the declined charge is kept when it changes', async () => {
    declines('CARD_EXPIRED');
    await pays();
    isAt(minute(3));
    method = 'card_2';
    charge = { status: 'CHARGED' };
    await pays();
    expect(await payerOf()).toEqual({ declinedCharges: [minute(0)], methodChangedAt: minute(3) });
  });

  test('the payment method is absent if the provider does not name it', async () => {
    method = undefined;
    await pays();
    expect(await hashOf()).toBeUndefined();
  });

  test('the payment method is stored as a hash, another one for each customer, and is in no event', async () => {
    for (const customer of ['bob', 'eve']) await pays(await requested(customer));
    expect(await hashOf()).toMatch(/^[0-9a-f]{64}$/);
    expect(await hashOf('eve')).not.toBe(await hashOf());
    method = 'card_2';
    await pays();
    expect(JSON.stringify([await service.table.read(methodKey('bob')), changes])).not.toContain('card_');
    expect(JSON.stringify(changes)).not.toContain(await hashOf());
  });

  test('the payment method of a forgotten user is deleted, twice at once, and a later one is the first again', async () => {
    await pays();
    const message = eventMessage(usersContract, { type: 'UserForgotten', data: { userId: 'bob' } });
    expect([await forgettings(message), await forgettings(message)]).toEqual(['applied', 'duplicate']);
    expect(await hashOf()).toBeUndefined();
    method = 'card_2';
    await pays();
    expect(await payerStore.read('bob')).toBeUndefined();
  });
});
