import { beforeEach, describe, expect, test } from 'vitest';
import { existing } from '../../../lambdas/accounts/account-store.js';
import { type AccountStore, accounts } from '../../../lambdas/accounts/aggregates.js';
import { changeAccount } from '../../../lambdas/accounts/change-account.js';
import { type AccountCommand, accountsContract } from '../../../lambdas/accounts/contract.js';
import { onCommand } from '../../../lambdas/accounts/on-command.js';
import { onOrderEvent } from '../../../lambdas/accounts/on-order-event.js';
import { onPaymentEvent } from '../../../lambdas/accounts/on-payment-event.js';
import { type OrderEvent, ordersContract } from '../../../lambdas/orders/contract.js';
import { type PaymentEvent, paymentsContract } from '../../../lambdas/payments/contract.js';
import { InMemoryService } from '../../../packages/kit/testing/in-memory-service.js';
import { commandMessage, eventMessage } from '../../../packages/kit/testing/messages.js';
import { LIMITS } from '../../support/function-environment.js';
import { traceOf } from '../../support/tally.js';

/** Accounts as a service in memory: its consumers and its credit limit, without settings and without a client. */

const eur = (amount: number) => ({ amount, currency: 'EUR' });
const ids = { orderId: 'o1', customerId: 'alice' };
type Deliver = ReturnType<InMemoryService['consumer']>;
let accountStore: AccountStore;
let commands: Deliver;
let events: Deliver;
let money: Deliver;
beforeEach(() => {
  const service = new InMemoryService('accounts');
  accountStore = service.eventStore(accounts);
  const facts = { defaultCreditLimit: eur(1_000), limits: LIMITS };
  const context = { accountStore, table: service.table, facts };
  commands = service.consumer([onCommand(context)], ['orders']);
  events = service.consumer([onOrderEvent(context)]);
  money = service.consumer([onPaymentEvent(context)]);
});

const message = (command: AccountCommand) => commandMessage(accountsContract, command, 'orders');
const authorize = (amount = 600, orderId = ids.orderId) =>
  message({ type: 'AuthorizeAccount', data: { ...ids, orderId, stepId: `${orderId}/s`, amount: eur(amount) } });
const capture = () => message({ type: 'CaptureAuthorization', data: { ...ids, stepId: 'c' } });

async function hears(...heard: readonly OrderEvent[]): Promise<void> {
  for (const event of heard) await events(eventMessage(ordersContract, event));
}
const approved: OrderEvent = { type: 'OrderApproved', data: ids };
const cancelled = (more: object = {}): OrderEvent => ({ type: 'OrderCancelled', data: { ...ids, ...more } });
const account = async () => {
  const { authorized, captured, refunded } = existing(await accountStore.load(ids.customerId));
  return [authorized.amount, captured.amount, refunded.amount];
};
const history = async () => {
  const { items } = await accountStore.history(ids.customerId, { commit: 1, shown: 0 }, 20);
  return items.map(({ type }) => type);
};

test('a command holds an amount once, however often it is delivered', async () => {
  const delivered = authorize();
  expect(await commands(delivered)).toBe('applied');
  expect(await commands(delivered)).toBe('duplicate');
  expect(await account()).toEqual([600, 0, 0]);
  expect(await history()).toEqual(['AccountOpened', 'AccountAuthorized']);
});

test('two deliveries of a command at once hold an amount once', async () => {
  const delivered = authorize();
  expect((await Promise.all([commands(delivered), commands(delivered)])).toSorted()).toEqual(['applied', 'duplicate']);
  expect(await account()).toEqual([600, 0, 0]);
});

test('a retry of the step at the same time is another message: it gets the answer, and holds nothing more', async () => {
  expect(await Promise.all([commands(authorize()), commands(authorize())])).toEqual(['applied', 'applied']);
  expect(await account()).toEqual([600, 0, 0]);
  expect((await history()).at(-1)).toBe('SagaReplyRequested');
});

test('of two orders at once that exceed the credit together, one is declined', async () => {
  await Promise.all([commands(authorize(600, 'o1')), commands(authorize(600, 'o2'))]);
  expect(await account()).toEqual([600, 0, 0]);
  expect((await history()).toSorted()).toEqual(['AccountAuthorized', 'AccountOpened', 'AuthorizationDeclined']);
});

test('a held amount is captured once', async () => {
  await commands(authorize());
  const delivered = capture();
  expect([await commands(delivered), await commands(delivered), await commands(capture())]).toEqual([
    'applied',
    'duplicate',
    'applied',
  ]);
  expect(await account()).toEqual([0, 600, 0]);
});

test('another amount for the same order is refused, and changes nothing', async () => {
  await commands(authorize());
  await expect(commands(authorize(500))).rejects.toMatchObject({ code: 'AMOUNT_DIFFERS' });
  expect(await account()).toEqual([600, 0, 0]);
});

test('what is held for an order is taken once it is approved', async () => {
  await commands(authorize());
  await hears(approved, approved);
  expect(await account()).toEqual([0, 600, 0]);
});

test('cancelled afterwards, it is given back', async () => {
  await commands(authorize());
  await hears(approved, cancelled());
  expect(await account()).toEqual([0, 600, 600]);
});

test('cancelled as heard first, nothing is taken any more', async () => {
  await commands(authorize());
  await hears(cancelled(), approved);
  expect(await account()).toEqual([0, 0, 0]);
});

test('while its saga is under way, a cancellation is left to that', async () => {
  await commands(authorize());
  await hears(cancelled({ underWay: true }));
  expect(await account()).toEqual([600, 0, 0]);
});

test('an order of before there were sagas changes no account', async () => {
  await commands(authorize());
  const delivered = eventMessage(ordersContract, { type: 'OrderApproved', data: { orderId: ids.orderId } });
  expect([await events(delivered), await events(delivered)]).toEqual(['applied', 'duplicate']);
  expect(await account()).toEqual([600, 0, 0]);
});

const charged = (more: object = ids): PaymentEvent => ({
  type: 'PaymentCharged',
  data: { paymentId: ids.orderId, amount: eur(600), ...more },
});
const pays = (event: PaymentEvent) => money(eventMessage(paymentsContract, event));
const credit = async () => {
  const { available, settled } = existing(await accountStore.load(ids.customerId));
  return [available.amount, settled.amount];
};

test('a charge settles an order once, whether it comes before or after the capture', async () => {
  await commands(authorize());
  const delivered = eventMessage(paymentsContract, charged());
  expect([await money(delivered), await money(delivered)]).toEqual(['applied', 'duplicate']);
  expect(await credit()).toEqual([1_000, 600]);
  await hears(approved);
  // The same fact under another id, as an audit may send it.
  expect(await pays(charged())).toBe('applied');
  expect(await account()).toEqual([0, 600, 0]);
  expect(await credit()).toEqual([1_000, 600]);

  await commands(authorize(300, 'o2'));
  await hears({ type: 'OrderApproved', data: { ...ids, orderId: 'o2' } });
  expect(await credit()).toEqual([700, 600]);
  await pays(charged({ ...ids, orderId: 'o2' }));
  expect(await credit()).toEqual([1_000, 900]);
});

test('a cancellation after the charge gives back no credit that was available already', async () => {
  await commands(authorize());
  await pays(charged());
  await hears(approved, cancelled());
  expect(await account()).toEqual([0, 600, 600]);
  expect(await credit()).toEqual([1_000, 0]);
});

test('a charge that comes after the cancellation settles nothing', async () => {
  await commands(authorize());
  await hears(approved, cancelled());
  await pays(charged());
  expect(await credit()).toEqual([1_000, 0]);
});

test('goods that came back are refunded once, and raise no credit; a cancelled order is not refunded twice', async () => {
  await commands(authorize());
  await pays(charged());
  await hears(approved);
  const refunded = (more: object = ids): PaymentEvent => ({
    type: 'PaymentRefunded',
    data: { paymentId: ids.orderId, refundId: 'r1', amount: eur(200), ...more },
  });
  await pays(refunded({}));
  expect(await account()).toEqual([0, 600, 0]);
  for (const _ of [1, 2]) await pays(refunded());
  expect(await account()).toEqual([0, 600, 200]);
  expect(await credit()).toEqual([1_000, 400]);
});

test('a payment without an order, or from an earlier release, settles nothing', async () => {
  await commands(authorize());
  await pays(charged({}));
  expect(await credit()).toEqual([400, 0]);
});

test('a credit limit opens the account, and setting it again writes nothing', async () => {
  const set = (amount: number, trigger: string, ifMatch?: number) =>
    changeAccount(accountStore, {
      customerId: 'alice',
      command: () => ({ type: 'SetCreditLimit', customerId: 'alice', creditLimit: eur(amount) }),
      ifMatch,
      trace: traceOf(trigger),
    });
  expect(await set(500, 'one')).toMatchObject({ creditLimit: eur(500), version: 1 });
  expect(await set(500, 'again')).toMatchObject({ version: 1 });
  expect((await Promise.all([set(700, 'two'), set(800, 'three')])).map(({ version }) => version).toSorted()).toEqual([
    2, 3,
  ]);
  await expect(set(900, 'late', 1)).rejects.toMatchObject({ code: 'conflict' });
  await commands(authorize(801));
  expect((await history()).at(-1)).toBe('AuthorizationDeclined');
});

describe('an account that is closed', () => {
  const set = (status: 'OPEN' | 'CLOSED', trigger: string, ifMatch?: number) =>
    changeAccount(accountStore, {
      customerId: 'alice',
      command: () => ({ type: 'SetStatus', customerId: 'alice', status, defaultCreditLimit: eur(1_000) }),
      ifMatch,
      trace: traceOf(trigger),
    });

  test('declines what was not authorised before, and ends what was', async () => {
    await commands(authorize(600));
    expect(await set('CLOSED', 'one')).toMatchObject({ status: 'CLOSED', available: eur(0), authorized: eur(600) });
    const late = authorize(1, 'o2');
    expect(await commands(late)).toBe('applied');
    expect(await commands(late)).toBe('duplicate');
    await hears(approved);
    await pays(charged({ orderId: 'o1', customerId: 'alice' }));
    await hears(cancelled());
    expect(await account()).toEqual([0, 600, 600]);
    expect(await history()).toEqual([
      'AccountOpened',
      'AccountAuthorized',
      'AccountClosed',
      'AuthorizationDeclined',
      'AuthorizationCaptured',
      'CreditSettled',
      'AccountRefunded',
    ]);
    expect(await set('OPEN', 'two')).toMatchObject({ status: 'OPEN', available: eur(1_000) });
    await commands(authorize(1, 'o3'));
    expect((await history()).at(-1)).toBe('AccountAuthorized');
  });

  test('may be closed before its first order, and repeated; another version is refused', async () => {
    expect(await set('CLOSED', 'one')).toMatchObject({ status: 'CLOSED', version: 2 });
    expect(await set('CLOSED', 'again', 1)).toMatchObject({ status: 'CLOSED', version: 2 });
    await expect(set('OPEN', 'late', 1)).rejects.toMatchObject({ code: 'conflict' });
    expect(await history()).toEqual(['AccountOpened', 'AccountClosed']);
  });

  test('takes no other limit and no bonus, each with its problem', async () => {
    await set('CLOSED', 'one');
    const limit = (amount: number) =>
      changeAccount(accountStore, {
        customerId: 'alice',
        command: () => ({ type: 'SetCreditLimit', customerId: 'alice', creditLimit: eur(amount) }),
        ifMatch: undefined,
        trace: traceOf(`limit ${amount}`),
      });
    await expect(limit(2_000)).rejects.toMatchObject({ code: 'account-closed' });
    // The repeat of a request that succeeded before the account was closed.
    expect(await limit(1_000)).toMatchObject({ status: 'CLOSED', version: 2 });
  });
});
