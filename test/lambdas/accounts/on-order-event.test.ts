import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { decide } from '../../../lambdas/accounts/domain/authorization.js';
import { AccountsEnv } from '../../../lambdas/accounts/environment.js';
import { type OrderEvent, ordersContract } from '../../../lambdas/orders/contract.js';
import { type ConsumerHandler, consumerEnvironment, eventConsumed, outcomeOf } from '../../support/consumed.js';
import { LIMITS } from '../../support/function-environment.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { traceOf } from '../../support/tally.js';

const eur = (amount: number) => ({ amount, currency: 'EUR' });
const defaultCreditLimit = eur(1_000);
let store: typeof import('../../../lambdas/accounts/account-store.js');
let handler: ConsumerHandler;
beforeAll(async () => {
  consumerEnvironment('accounts', 'accounts-orders', {
    [AccountsEnv.DEFAULT_CREDIT_LIMIT]: JSON.stringify(defaultCreditLimit),
  });
  inProcessDynamoDb({ table: ['pk', 'sk'], records: ['pk'] });
  store = await import('../../../lambdas/accounts/account-store.js');
  ({ handler } = await import('../../../lambdas/accounts/on-order-event.lambda.js'));
});

let ids: { readonly orderId: string; readonly customerId: string };
beforeEach(async () => {
  ids = { orderId: randomUUID().replaceAll('-', ''), customerId: randomUUID() };
  const order = await store.orderOfAccount(ids.customerId, ids.orderId);
  const { account, authorization } = order;
  const command = { type: 'AuthorizeAccount', data: { ...ids, stepId: 's', amount: eur(600) } } as const;
  const events = decide({ account: account.state, authorization }, command, {
    defaultCreditLimit,
    limits: LIMITS,
    now: '2026-03-01T10:00:00.000Z',
  });
  const { transact } = await import('../../../packages/kit/aws/dynamodb.js');
  await transact(store.writesOf(order, events, traceOf(randomUUID())));
});

async function hears(...events: readonly OrderEvent[]): Promise<void> {
  for (const event of events) await eventConsumed(handler, ordersContract, event);
}

const approved = (): OrderEvent => ({ type: 'OrderApproved', data: ids });
const cancelled = (more: object = {}): OrderEvent => ({ type: 'OrderCancelled', data: { ...ids, ...more } });
const account = async () => {
  const { authorized, captured, refunded } = store.existing(await store.accountStore.load(ids.customerId));
  return [authorized.amount, captured.amount, refunded.amount];
};

test('what is held for an order is taken once it is approved', async () => {
  await hears(approved(), approved());
  expect(await account()).toEqual([0, 600, 0]);
});

test('cancelled afterwards, it is given back', async () => {
  await hears(approved(), cancelled());
  expect(await account()).toEqual([0, 600, 600]);
});

test('cancelled as heard first, nothing is taken any more', async () => {
  await hears(cancelled(), approved());
  expect(await account()).toEqual([0, 0, 0]);
});

test('while its saga is under way, a cancellation is left to that', async () => {
  await hears(cancelled({ underWay: true }));
  expect(await account()).toEqual([600, 0, 0]);
});

test('an order of before there were sagas changes no account', async () => {
  const id = randomUUID();
  await eventConsumed(handler, ordersContract, { type: 'OrderApproved', data: { orderId: ids.orderId } }, id);
  expect(await outcomeOf(id)).toBe('PROCESSED');
  expect(await account()).toEqual([600, 0, 0]);
});
