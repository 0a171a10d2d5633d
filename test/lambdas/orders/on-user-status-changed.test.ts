import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type OrderStore, orders } from '../../../lambdas/orders/aggregates.js';
import type { Order, OrderCommand } from '../../../lambdas/orders/domain/order.js';
import { onUserStatusChanged } from '../../../lambdas/orders/on-user-status-changed.js';
import { createOrdersList } from '../../../lambdas/orders/order-list.js';
import { readOpenReviews } from '../../../lambdas/orders/review-list.js';
import { createReviews, type Reviews } from '../../../lambdas/orders/reviews.js';
import { readStatusCopy, statusEffect } from '../../../lambdas/orders/user-status.js';
import { type UserStatus, usersContract } from '../../../lambdas/users/contract.js';
import { documentClient, type Item } from '../../../packages/kit/aws/dynamodb.js';
import { dynamoDbTable } from '../../../packages/kit/aws/table.js';
import { eventStoreFromEnvironment } from '../../../packages/kit/event-store/event-store-from-environment.js';
import { recordKey } from '../../../packages/kit/failures/failure-records.js';
import { Receiver } from '../../../packages/kit/inbox/receiver.js';
import { Runner } from '../../../packages/kit/inbox/runner.js';
import { eventMessage } from '../../../packages/kit/testing/messages.js';
import { bodyOf, SETTINGS } from '../../kit/inbox/parcels.js';
import { functionEnvironment } from '../../support/function-environment.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { REVIEW_RULES } from '../../support/review-rules.js';
import { buildTrace } from '../../support/tally.js';

/** The inbox that goes through the orders of a judged user, at more orders than a page has. */

const BEGIN = Date.parse('2026-03-01T00:00:00.000Z');
const CONSUMER = { name: 'orders-reviews', generation: 0 };
/** Two pages of 20, and a part of a third one. */
const MANY = 45;
const ENOUGH = () => 60_000;
const table = dynamoDbTable('table');

let orderStore: OrderStore;
let reviews: Reviews;
let receiver: Receiver;
let runner: Runner;
/** Orders that the handler has loaded, in the order of their first load. */
let loaded: string[];
beforeAll(() => functionEnvironment());
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: BEGIN });
  const indexes = { due: ['duePk', 'executeAt'], failed: ['failedConsumer', 'failedAt'] };
  inProcessDynamoDb({ table: ['pk', 'sk'], records: ['pk'] }, { records: indexes });
  orderStore = eventStoreFromEnvironment(orders);
  const list = createOrdersList(orderStore);
  const rules = { ...REVIEW_RULES, manyOrders: MANY };
  reviews = createReviews(orderStore, table, list, rules, { openAll: async () => [] });
  const options = { table: 'records', consumer: CONSUMER, windowSeconds: 35 * 86_400 };
  receiver = new Receiver({ ...options, app: 'app', commanders: [], mode: 'single' });
  runner = new Runner({
    ...options,
    service: 'orders',
    settings: SETTINGS,
    queue: 'queue',
    isRefusal: () => false,
    sources: [onUserStatusChanged({ reviews, list })],
  });
  loaded = [];
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** The order with this number. A higher number is a later order, which is nearer to the beginning of the list. */
const idOf = (number: number): string => String(number).padStart(32, '0');

/** Places an order, carries out a command on it, and shows it in its customer's list. */
async function placed(number: number, command?: OrderCommand, apartMs = 1_000): Promise<void> {
  const id = idOf(number);
  const lines = [{ sku: 'TEA-1', quantity: 1, unitPrice: { amount: 350, currency: 'EUR' } }];
  const now = new Date(BEGIN + number * apartMs).toISOString();
  const commands: OrderCommand[] = [{ type: 'Place', orderId: id, customerId: 'bob', lines }];
  if (command) commands.push(command);
  let order = orderStore.assumeNew(id);
  for (const [at, one] of commands.entries()) {
    const events = orderStore.decider.decide(order.state, one, { now });
    const commit = orderStore.buildCommit(order, events, buildTrace(`${id}-${at}`));
    await orderStore.append(commit);
    order = orderStore.applyCommit(order, commit);
  }
  const row = createOrdersList(orderStore).row(order);
  await documentClient.send(new PutCommand({ TableName: 'table', Item: row as Item }));
}

async function placedMany(): Promise<void> {
  for (let number = 1; number <= MANY; number++) await placed(number);
}

/** Stores the event of a new status in the inbox. @returns its id */
async function judged(newStatus: UserStatus, sequence: number): Promise<string> {
  const data = { userId: 'bob', oldStatus: 'ACTIVE', newStatus } as const;
  const message = eventMessage(
    usersContract,
    { type: 'UserStatusChanged', data },
    { id: `judged-${sequence}`, subject: 'User/bob', sequence },
  );
  const attributes = { ApproximateReceiveCount: '1' };
  await receiver.receiveBatch({
    Records: [{ messageId: 'm', body: bodyOf(message), attributes, messageAttributes: {} }],
  } as never);
  return message.id;
}

/** Runs a stored message, and remembers which orders are loaded. @param before called before each of these loads */
async function run(
  messageId: string,
  timeLeft: () => number = ENOUGH,
  before: (id: string) => unknown = () => undefined,
): Promise<void> {
  loaded = [];
  const load = orderStore.load.bind(orderStore);
  const spy = vi.spyOn(orderStore, 'load').mockImplementation(async (id) => {
    if (!loaded.includes(id)) loaded.push(id);
    await before(id);
    return load(id);
  });
  await runner.run({ record: recordKey(CONSUMER, `app.users:${messageId}`) }, timeLeft);
  spy.mockRestore();
}

const record = async (messageId: string) =>
  (await dynamoDbTable('records').read({ pk: recordKey(CONSUMER, `app.users:${messageId}`) })) ?? {};

/** Number of orders by status. */
async function statuses(): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (let number = 1; number <= MANY; number++) {
    const { status }: Order = (await orderStore.load(idOf(number))).state;
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

const underReview = async (most = MANY): Promise<number> =>
  (await readOpenReviews(table, { userId: 'bob' }, most + 1)).length;

describe('a user who became suspect', () => {
  test('a suspect user has all orders of all pages reviewed, the newest first', async () => {
    await placedMany();
    const message = await judged('SUSPECT', 1);
    await run(message);
    expect(await statuses()).toEqual({ UNDER_REVIEW: MANY });
    expect(await underReview()).toBe(MANY);
    expect(loaded).toEqual(Array.from({ length: MANY }, (_, at) => idOf(MANY - at)));
    // All of them were placed within an hour.
    const { state } = await orderStore.load(idOf(1));
    expect(state).toMatchObject({ reviewReasons: ['SUSPECT_USER', 'MANY_ORDERS'] });
    expect(await record(message)).toMatchObject({ status: 'PROCESSED' });
    expect(await readStatusCopy(table, 'bob')).toMatchObject({ status: 'SUSPECT', version: 1 });
  });

  test('a suspect user has no ended order reviewed, and a page of those is not read again', async () => {
    for (let number = 1; number <= MANY; number++) await placed(number, number > 20 ? { type: 'Cancel' } : undefined);
    const message = await judged('SUSPECT', 1);
    const times = [60_000, 5_000];
    await run(message, () => times.shift() ?? 5_000);
    expect(await record(message)).toMatchObject({
      status: 'PENDING',
      progress: { after: expect.stringContaining(idOf(MANY - 19)) },
    });
    await run(message);
    expect(loaded).toEqual(Array.from({ length: 20 }, (_, at) => idOf(20 - at)));
    expect(await statuses()).toEqual({ CANCELLED: MANY - 20, UNDER_REVIEW: 20 });
  });

  test('a suspect user has paid orders reviewed, even if the list is behind, and no dispatched one', async () => {
    await placed(1, { type: 'Approve' });
    await placed(2);
    for (const [number, command] of [
      [2, { type: 'Approve' }],
      [3, undefined],
    ] as const) {
      if (number === 3) await placed(3, { type: 'Approve' });
      const order = await orderStore.load(idOf(number));
      const events = orderStore.decider.decide(order.state, command ?? { type: 'Dispatch' }, {
        now: order.commits[0]!.at,
      });
      await orderStore.append(orderStore.buildCommit(order, events, buildTrace(`late-${number}`)));
    }
    await run(await judged('SUSPECT', 1));
    const statusOf = async (number: number) => (await orderStore.load(idOf(number))).state.status;
    expect([await statusOf(1), await statusOf(2), await statusOf(3)]).toEqual([
      'UNDER_REVIEW',
      'UNDER_REVIEW',
      'DISPATCHED',
    ]);
    expect(await underReview()).toBe(2);
  });

  test('a suspect user who is blocked then has the rest reviewed, too, and nothing is released', async () => {
    await placedMany();
    const suspected = await judged('SUSPECT', 1);
    const times = [60_000, 5_000];
    await run(suspected, () => times.shift() ?? 5_000);
    expect(await statuses()).toEqual({ UNDER_REVIEW: 20, PENDING: MANY - 20 });
    await run(await judged('BLOCKED', 2));
    await run(suspected);
    expect(await statuses()).toEqual({ UNDER_REVIEW: MANY });
    const reasons = async (number: number) => (await orderStore.load(idOf(number))).state;
    expect(await reasons(MANY)).toMatchObject({ reviewReasons: ['SUSPECT_USER', 'MANY_ORDERS'] });
    expect(await reasons(1)).toMatchObject({ reviewReasons: ['BLOCKED_USER', 'MANY_ORDERS'] });
  });

  test('another invocation reviews the rest when time is up, and begins behind the last page', async () => {
    await placedMany();
    const message = await judged('SUSPECT', 1);
    const times = [60_000, 5_000];
    await run(message, () => times.shift() ?? 5_000);
    expect(await statuses()).toEqual({ UNDER_REVIEW: 20, PENDING: MANY - 20 });
    expect(await record(message)).toMatchObject({ status: 'PENDING', attempts: 0, wake: true });
    await run(message);
    expect(loaded[0]).toBe(idOf(MANY - 20));
    expect(await statuses()).toEqual({ UNDER_REVIEW: MANY });
    expect(await record(message)).toMatchObject({ status: 'PROCESSED' });
  });

  test('the rest is reviewed after a crash in the middle of a page, and no order a second time', async () => {
    await placedMany();
    const message = await judged('SUSPECT', 1);
    await run(message, ENOUGH, (id) => {
      if (id === idOf(MANY - 27)) throw new Error('not today');
    });
    expect(await statuses()).toEqual({ UNDER_REVIEW: 27, PENDING: MANY - 27 });
    expect(await record(message)).toMatchObject({ status: 'PENDING', attempts: 1, failures: [{ name: 'Error' }] });
    vi.setSystemTime(BEGIN + 60_000);
    await run(message);
    expect(loaded[0]).toBe(idOf(MANY - 27));
    expect(await statuses()).toEqual({ UNDER_REVIEW: MANY });
  });

  test('two hundred orders are reviewed, each once, though an attempt dies on each page', async () => {
    const ORDERS = 200;
    for (let number = 1; number <= ORDERS; number++) {
      await placed(number, number % 2 === 0 ? { type: 'Approve' } : undefined, 3_600_000);
    }
    const message = await judged('SUSPECT', 1);
    const died = new Set<string>();
    for (let page = 0; page * 20 < ORDERS; page++) {
      // It dies at another order of each page: its lease ends, and the next attempt continues there.
      const end = idOf(ORDERS - page * 20 - (page % 20));
      await run(message, ENOUGH, (id) => {
        if (id !== end || died.has(id)) return;
        died.add(id);
        throw new Error('not today');
      });
      vi.setSystemTime(Date.now() + 3_600_000);
    }
    await run(message);
    expect(await record(message)).toMatchObject({ status: 'PROCESSED' });
    expect(died.size).toBe(ORDERS / 20);
    expect(await underReview(ORDERS)).toBe(ORDERS);
    const versions = new Set<number>();
    for (let number = 1; number <= ORDERS; number++) {
      const { state, version } = await orderStore.load(idOf(number));
      expect(state.status).toBe('UNDER_REVIEW');
      versions.add(version - (number % 2 === 0 ? 1 : 0));
    }
    expect([...versions]).toEqual([2]);
  });

  test('a suspect user who is active again a moment later has no further order reviewed', async () => {
    await placedMany();
    const message = await judged('SUSPECT', 1);
    await run(message, ENOUGH, async (id) => {
      if (id !== idOf(MANY - 5)) return;
      await table.transact(await statusEffect(table, 'bob', 'ACTIVE', { sequence: 2, epoch: 0 }));
    });
    expect(await statuses()).toEqual({ UNDER_REVIEW: 5, PENDING: MANY - 5 });
    expect(loaded).toHaveLength(6);
    expect(await record(message)).toMatchObject({ status: 'PROCESSED' });
    expect(await readStatusCopy(table, 'bob')).toMatchObject({ status: 'ACTIVE', version: 2 });
  });
});

test('a user’s copies follow a restore of the users, and what is sent again from before changes nothing', async () => {
  const heard = async (status: UserStatus, sequence: number, epoch: number) => {
    await table.transact(await statusEffect(table, 'bob', status, { sequence, epoch }));
    return (await readStatusCopy(table, 'bob'))?.status;
  };
  expect(await heard('BLOCKED', 3, 0)).toBe('BLOCKED');
  expect(await heard('ACTIVE', 2, 0)).toBe('BLOCKED');
  expect(await heard('SUSPECT', 2, 1)).toBe('SUSPECT');
  expect(await heard('ACTIVE', 4, 0)).toBe('SUSPECT');
});

describe('a user who is active again', () => {
  beforeEach(async () => {
    await placedMany();
    await run(await judged('SUSPECT', 1));
  });

  test('all orders of an active user are released, page by page, also by another invocation when time is up', async () => {
    const message = await judged('ACTIVE', 2);
    const times = [60_000, 5_000];
    await run(message, () => times.shift() ?? 5_000);
    expect(await statuses()).toEqual({ UNDER_REVIEW: MANY - 20, PENDING: 20 });
    expect(await record(message)).toMatchObject({ status: 'PENDING', attempts: 0, wake: true });
    await run(message);
    expect([await statuses(), await underReview()]).toEqual([{ PENDING: MANY }, 0]);
    expect(await record(message)).toMatchObject({ status: 'PROCESSED' });
  });

  test('orders stay under review if their user is blocked before the message is processed', async () => {
    const message = await judged('ACTIVE', 2);
    await run(await judged('BLOCKED', 3));
    await run(message);
    expect([await statuses(), await underReview()]).toEqual([{ UNDER_REVIEW: MANY }, MANY]);
    expect(await record(message)).toMatchObject({ status: 'PROCESSED' });
    expect(await readStatusCopy(table, 'bob')).toMatchObject({ status: 'BLOCKED', version: 3 });
  });
});
