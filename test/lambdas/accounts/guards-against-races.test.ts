import { randomUUID } from 'node:crypto';
import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { type AccountStore, accounts } from '../../../lambdas/accounts/aggregates.js';
import type { AccountCommand } from '../../../lambdas/accounts/contract.js';
import type { Account } from '../../../lambdas/accounts/domain/account.js';
import type { PaymentCommand } from '../../../lambdas/accounts/domain/authorization.js';
import { createExhaustedList } from '../../../lambdas/accounts/exhausted-list.js';
import { tableFromEnvironment } from '../../../packages/kit/aws/table.js';
import { eventStoreFromEnvironment } from '../../../packages/kit/event-store/event-store-from-environment.js';
import type { Projection } from '../../../packages/kit/projection/projection.js';
import { functionEnvironment } from '../../support/function-environment.js';
import { type Call, inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { buildTrace } from '../../support/tally.js';

/** Races that are too narrow to be met from outside: the rival comes in between two calls, each time. */

let store: typeof import('../../../lambdas/accounts/account-store.js');
let accountStore: AccountStore;
let stores: import('../../../lambdas/accounts/account-store.js').AccountStores;
let changes: typeof import('../../../lambdas/accounts/change-account.js');
let exhaustedList: Projection<Account>;
let projections: typeof import('../../../packages/kit/projection/projection.js');
let commands: typeof import('../../../lambdas/accounts/handle-order-command.js');
let dynamodb: typeof import('../../../packages/kit/aws/dynamodb.js');
let calls: Call[] = [];
let customer = '';
/** Runs once: in front of the next call of an operation, or between its answer and whoever waits for it. */
let rival: { readonly at: 'before' | 'after'; readonly operation: string; work(): Promise<unknown> } | undefined;
/** Told of each operation that was answered. */
let answered = (_operation: string) => {};

beforeAll(async () => {
  functionEnvironment();
  ({ calls } = inProcessDynamoDb({ table: ['pk', 'sk'], records: ['pk'] }));
  store = await import('../../../lambdas/accounts/account-store.js');
  changes = await import('../../../lambdas/accounts/change-account.js');
  accountStore = eventStoreFromEnvironment(accounts);
  stores = { accountStore, table: tableFromEnvironment() };
  exhaustedList = createExhaustedList(accountStore);
  projections = await import('../../../packages/kit/projection/projection.js');
  commands = await import('../../../lambdas/accounts/handle-order-command.js');
  dynamodb = await import('../../../packages/kit/aws/dynamodb.js');
  dynamodb.documentClient.middlewareStack.add(
    (next, context) => async (args) => {
      const comes = async (at: 'before' | 'after') => {
        const now = rival?.at === at && rival.operation === context.commandName ? rival : undefined;
        if (!now) return;
        rival = undefined;
        await now.work();
      };
      await comes('before');
      const answer = await next(args);
      answered(context.commandName ?? '');
      await comes('after');
      return answer;
    },
    { step: 'initialize' },
  );
});
beforeEach(() => {
  customer = randomUUID();
});

const eur = (amount: number) => ({ amount, currency: 'EUR' });
const factsOf = (credit: number) => ({
  defaultCreditLimit: eur(credit),
  limits: { ordersUnderWay: 1_000, ordersPerHour: 1_000 },
});
const limit = (amount: number, trigger: string = randomUUID(), ifMatch?: number) =>
  changes.changeAccount(accountStore, {
    customerId: customer,
    command: () => ({ type: 'SetCreditLimit', customerId: customer, creditLimit: eur(amount) }),
    ifMatch,
    trace: buildTrace(trigger),
  });
const authorize = (orderId = 'order', amount = 100): AccountCommand => ({
  type: 'AuthorizeAccount',
  data: { customerId: customer, orderId, stepId: `${orderId}/authorize`, amount: eur(amount) },
});
const capture = (orderId = 'order'): AccountCommand => ({
  type: 'CaptureAuthorization',
  data: { customerId: customer, orderId, stepId: `${orderId}/capture` },
});
const view = async () => store.requireAccount(await accountStore.load(customer));

async function decided(...decidedCommands: readonly (AccountCommand | PaymentCommand)[]) {
  const requests = decidedCommands.map((command) => ({
    ...command.data,
    buildCommand: () => command,
    trace: buildTrace(randomUUID()),
  }));
  const { effects } = await commands.decideOrders({ ...stores, facts: factsOf(1000) }, requests);
  return effects.flat();
}

/** Resolves when the next operation of this name is answered. */
const answerOf = (operation: string): Promise<void> =>
  new Promise((resolve) => {
    answered = (name) => {
      if (name === operation) resolve();
    };
  });

async function orderRead() {
  const { orders } = await store.loadOrders(stores, customer, ['order']);
  const order = orders.get('order');
  if (!order) throw new Error('the order was not read');
  return order;
}
const keyOfOrder = () => ({ pk: `Account#${customer}`, sk: 'AUTH#order' });

test('an order that was authorised between the read of the order and that of its account is not again', async () => {
  await limit(1000);
  // The account is seen with the rival's commit, the order without it.
  const orderIsRead = answerOf('BatchGetItemCommand');
  const work = async () => {
    await orderIsRead;
    await dynamodb.transact(await decided(authorize()));
  };
  rival = { at: 'before', operation: 'QueryCommand', work };
  const late = await decided(authorize());
  await expect(dynamodb.transact(late)).rejects.toMatchObject({ name: 'TransactionRefused' });
  expect(await view()).toMatchObject({ authorized: eur(100), version: 2 });
});

test('an order that was authorised between the read of its account and its own is written, not checked', async () => {
  await limit(1000);
  // The order is seen with the rival's commit, the account without it: this decision has the version that was read.
  const accountIsRead = answerOf('QueryCommand');
  const work = async () => {
    await accountIsRead;
    await dynamodb.transact(await decided(authorize()));
  };
  rival = { at: 'before', operation: 'BatchGetItemCommand', work };
  const late = await decided(capture());
  // The functions of commands have no permission to check.
  expect(late.map((write) => Object.keys(write))).toEqual([['Put'], ['Put']]);
  await expect(dynamodb.transact(late)).rejects.toMatchObject({ name: 'TransactionRefused' });
});

test('a charge that finds nothing to settle is not recorded if the order was authorised in between', async () => {
  await limit(1000);
  const charged = { type: 'SettleOrder', data: { customerId: customer, orderId: 'order' } } as const;
  const early = await decided(charged);
  await dynamodb.transact(await decided(authorize()));
  await expect(dynamodb.transact(early)).rejects.toMatchObject({ name: 'TransactionRefused' });
  await dynamodb.transact(await decided(charged));
  expect(await view()).toMatchObject({ available: eur(1000), settled: eur(100) });
  // Settled by now: the decision that nothing is left holds until the order changes.
  const [repeat, late] = [await decided(charged), await decided(charged)];
  await dynamodb.transact(repeat);
  await dynamodb.transact(await decided(capture()));
  await expect(dynamodb.transact(late)).rejects.toMatchObject({ name: 'TransactionRefused' });
});

test('two that decide on one version: one of them is refused', async () => {
  await limit(1000);
  const [one, other] = [await decided(authorize()), await decided(authorize())];
  await dynamodb.transact(one);
  await expect(dynamodb.transact(other)).rejects.toMatchObject({ name: 'TransactionRefused' });
});

test("a limit whose answer was lost is this request's own, though another came since", async () => {
  await limit(1000);
  const trigger = randomUUID();
  const account = await accountStore.load(customer);
  // Its first try was carried out, and then another request's.
  rival = {
    at: 'after',
    operation: 'QueryCommand',
    work: async () => {
      const events = [{ type: 'CreditLimitSet', data: { customerId: customer, creditLimit: eur(2000) } } as const];
      await accountStore.append(accountStore.buildCommit(account, events, buildTrace(trigger)));
      await limit(3000);
    },
  };
  expect(await limit(2000, trigger)).toMatchObject({ creditLimit: eur(2000), version: 2 });
  expect(await view()).toMatchObject({ creditLimit: eur(3000), version: 3 });
});

test('a limit that meets another is set on top of it, or refused where it named a version', async () => {
  await limit(1000);
  rival = { at: 'after', operation: 'QueryCommand', work: () => limit(2000) };
  expect(await limit(3000)).toMatchObject({ creditLimit: eur(3000), version: 3 });
  rival = { at: 'after', operation: 'QueryCommand', work: () => limit(4000) };
  await expect(limit(5000, randomUUID(), 3)).rejects.toMatchObject({
    code: 'conflict',
    extra: { versions: { expectedVersion: 3, foundVersion: 4 } },
  });
});

test('an older row never takes the place of a newer one', async () => {
  await limit(0);
  const older = await accountStore.load(customer);
  await limit(1000);
  const newer = await accountStore.load(customer);
  expect(await projections.updateProjection(exhaustedList, newer)).toBe('applied');
  expect(await projections.updateProjection(exhaustedList, older)).toBe('duplicate');
  expect(await projections.updateProjection(exhaustedList, newer)).toBe('duplicate');
});

test("an order's row of another release, in another shape, is ignored: the events are folded instead", async () => {
  await limit(1000);
  await dynamodb.transact(await decided(authorize()));
  // Others' orders, and a limit, between the order's events.
  for (const orderId of ['other', 'another']) await dynamodb.transact(await decided(authorize(orderId, 50)));
  await dynamodb.transact(await decided(capture()));
  await limit(2000);
  const before = await orderRead();
  const Key = keyOfOrder();
  for (const schema of [1, 3]) {
    await dynamodb.documentClient.send(
      new UpdateCommand({
        TableName: 'table',
        Key,
        UpdateExpression: 'SET #schema = :schema, #authorization = :shape',
        ExpressionAttributeNames: { '#schema': 'schema', '#authorization': 'authorization' },
        // Which this release would take for an order that may be authorised.
        ExpressionAttributeValues: { ':schema': schema, ':shape': '{"status":"NONE","held":[]}' },
      }),
    );
    const read = await orderRead();
    expect(read).toEqual(before);
    expect(read.authorization).toEqual({ status: 'CAPTURED', amount: eur(100), settled: 0, refunds: {} });
  }
  // The next write brings it into the present shape.
  await dynamodb.transact(await decided(authorize()));
  const { Item } = await dynamodb.documentClient.send(new GetCommand({ TableName: 'table', Key }));
  expect(Item).toMatchObject({ schema: 2, first: 2, version: 7, authorization: JSON.stringify(before.authorization) });
  expect(await view()).toMatchObject({ authorized: eur(100), captured: eur(100), version: 7 });
});

test('folding an order again reads no more of its account than the time that the order was under way', async () => {
  await limit(1_000_000);
  for (let count = 0; count < 120; count++) await limit(1_000 + count);
  await dynamodb.transact(await decided(authorize()));
  const order = await orderRead();
  const Item = { ...keyOfOrder(), schema: 0, version: order.version, first: order.first, authorization: '{}' };
  await dynamodb.documentClient.send(new PutCommand({ TableName: 'table', Item }));
  calls.length = 0;
  expect((await orderRead()).authorization).toEqual(order.authorization);
  // The account, the item, and one page of events.
  expect(calls.map(({ operation }) => operation).toSorted()).toEqual(['BatchGetItem', 'Query', 'Query']);
  expect(calls.at(-1)?.readUnits).toBeLessThanOrEqual(1);
});

test('an account of two hundred orders is loaded in one query, and its snapshot is as small as ever', async () => {
  await limit(1_000_000);
  for (let count = 0; count < 200; count++) await dynamodb.transact(await decided(authorize(`order-${count}`)));
  const { state, commits, version } = await accountStore.load(customer);
  expect(version).toBe(201);
  expect(commits.length).toBeLessThanOrEqual(20);
  expect(JSON.stringify(state).length).toBeLessThan(200);
});
