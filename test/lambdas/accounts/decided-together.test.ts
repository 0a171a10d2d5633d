import { beforeEach, expect, test } from 'vitest';
import { accountLane } from '../../../lambdas/accounts/account-lane.js';
import { requireAccount } from '../../../lambdas/accounts/account-store.js';
import { type AccountStore, accounts } from '../../../lambdas/accounts/aggregates.js';
import { type AccountCommand, accountsContract } from '../../../lambdas/accounts/contract.js';
import { AccountRefused } from '../../../lambdas/accounts/domain/account.js';
import type { PaymentCommand } from '../../../lambdas/accounts/domain/authorization.js';
import { decideOrders, type OrderRequest } from '../../../lambdas/accounts/handle-order-command.js';
import { type OrderEvent, ordersContract } from '../../../lambdas/orders/contract.js';
import { paymentsContract } from '../../../lambdas/payments/contract.js';
import { InMemoryService } from '../../../packages/kit/testing/in-memory-service.js';
import { commandMessage, eventMessage } from '../../../packages/kit/testing/messages.js';
import { LIMITS } from '../../support/function-environment.js';
import { buildTrace } from '../../support/tally.js';

/** Messages about one account that are decided together: by one load, and in one transaction. */

const CREDIT = 1_000;
const eur = (amount: number) => ({ amount, currency: 'EUR' });
let accountStore: AccountStore;
let service: InMemoryService;
beforeEach(() => {
  service = new InMemoryService('accounts');
  accountStore = service.eventStore(accounts);
});

const step = (orderId: string, name: string) => ({ customerId: 'alice', orderId, stepId: `${orderId}/${name}` });
const authorize = (orderId: string, amount: number): AccountCommand => ({
  type: 'AuthorizeAccount',
  data: { ...step(orderId, 'authorize'), amount: eur(amount) },
});
const capture = (orderId: string): AccountCommand => ({ type: 'CaptureAuthorization', data: step(orderId, 'capture') });
const settle = (orderId: string): PaymentCommand => ({ type: 'SettleOrder', data: { customerId: 'alice', orderId } });

/** Each command comes with a message of its own: `m1`, `m2` ... */
function decide(...commands: readonly (AccountCommand | PaymentCommand)[]) {
  const requests = commands.map(
    (command, at): OrderRequest => ({ ...command.data, buildCommand: () => command, trace: buildTrace(`m${at + 1}`) }),
  );
  return decideOrders(context(), requests);
}
const context = () => ({
  accountStore,
  table: service.table,
  facts: { defaultCreditLimit: eur(CREDIT), limits: LIMITS },
});
async function commit(...commands: readonly (AccountCommand | PaymentCommand)[]) {
  const { effects } = await decide(...commands);
  await service.table.transact(effects.flat());
  return effects;
}
const history = async () => {
  const { items } = await accountStore.history('alice', { commit: 1, shown: 0 }, 50);
  return items.map(({ type, causationId, version }) => `${version} ${type} ${causationId}`);
};
const order = (orderId: string) => service.table.read({ pk: 'Account#alice', sk: `AUTH#${orderId}` });

test('each decision follows those before it, at a version of its own, and names its cause', async () => {
  await commit(authorize('o1', 600), authorize('o2', 600), authorize('o3', 400));
  expect(await history()).toEqual([
    '1 AccountOpened m1',
    '2 AccountAuthorized m1',
    '3 AuthorizationDeclined m2',
    '4 AccountAuthorized m3',
  ]);
  expect(requireAccount(await accountStore.load('alice'))).toMatchObject({ authorized: eur(1_000), available: eur(0) });
});

test('several messages about one order follow each other, and write the order once', async () => {
  const effects = await commit(authorize('o1', 600), settle('o1'), capture('o1'), authorize('o1', 600));
  expect(await history()).toEqual([
    '1 AccountOpened m1',
    '2 AccountAuthorized m1',
    '3 CreditSettled m2',
    '4 AuthorizationCaptured m3',
    '5 SagaReplyRequested m4',
  ]);
  expect(await order('o1')).toMatchObject({ first: 1, version: 5 });
  expect(JSON.parse(String((await order('o1'))?.authorization))).toMatchObject({ status: 'CAPTURED', settled: 600 });
  expect(effects.map((effect) => effect.length)).toEqual([1, 1, 1, 2]);
});

test('a message without events checks that its order is unchanged, unless another one changes it', async () => {
  await commit(authorize('o1', 600), settle('o1'));
  const { effects } = await decide(settle('o1'), authorize('o2', 100));
  expect(effects.map((effect) => effect.flatMap((write) => Object.keys(write)))).toEqual([
    ['ConditionCheck'],
    ['Put', 'Put'],
  ]);
  await commit(capture('o1'));
  await expect(service.table.transact(effects.flat())).rejects.toMatchObject({ name: 'TransactionRefused' });
  expect((await decide(settle('o1'), authorize('o1', 600))).effects.map((effect) => effect.length)).toEqual([0, 2]);
});

test('a snapshot comes with the commit that crosses its version, as in commits of their own', async () => {
  await commit(...Array.from({ length: 30 }, (_, number) => authorize(`o${number}`, 1)));
  const { version, commits, state } = await accountStore.load('alice');
  expect([version, commits.length]).toEqual([31, 12]);
  expect(state).toMatchObject({ authorized: 30 });
});

test('a message that contradicts an earlier one refuses the decision: the lane finds it, and decides without it', async () => {
  await expect(decide(authorize('o1', 600), authorize('o1', 500))).rejects.toThrow(AccountRefused);
});

test('the time of the last change is that of the newest commit', async () => {
  expect((await decide(authorize('o1', 600))).changedAt).toBeUndefined();
  await commit(authorize('o1', 600));
  const { commits } = await accountStore.load('alice');
  expect((await decide(authorize('o2', 600))).changedAt).toBe(commits.at(-1)?.at);
});

test('commands, ends of orders and charges contend for their customer', () => {
  const lane = accountLane(context());
  const ids = { customerId: 'alice', orderId: 'o1' };
  const ended = (event: OrderEvent) => eventMessage(ordersContract, event);
  const amount = eur(600);
  const paid = (event: object) =>
    eventMessage(paymentsContract, { type: 'PaymentCharged', data: { paymentId: 'p', amount, ...event } });
  const key = (message: ReturnType<typeof ended>) => lane.keyOf(message, { type: message.type, data: message.data });
  expect(key(commandMessage(accountsContract, authorize('o1', 600), 'orders'))).toBe('alice');
  expect(key(ended({ type: 'OrderApproved', data: ids }))).toBe('alice');
  expect(key(paid(ids))).toBe('alice');
  // Nothing is done for these.
  expect(key(ended({ type: 'OrderCancelled', data: { ...ids, underWay: true } }))).toBeUndefined();
  expect(key(paid({}))).toBeUndefined();
});
