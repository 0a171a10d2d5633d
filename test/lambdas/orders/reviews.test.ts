import { randomBytes, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { type OrderStore, orders } from '../../../lambdas/orders/aggregates.js';
import { decide } from '../../../lambdas/orders/domain/order.js';
import { onPayerChange } from '../../../lambdas/orders/on-payer-change.js';
import { onUserChange } from '../../../lambdas/orders/on-user-change.js';
import {
  buildApprovalWrites,
  checkBeforeCharge,
  checkBeforeDispatch,
  NeedsReview,
  type Reviews,
  startReview,
} from '../../../lambdas/orders/reviews.js';
import type { AddressReader } from '../../../lambdas/orders/user-address.js';
import { paymentsContract } from '../../../lambdas/payments/contract.js';
import { type UserStatus, usersContract } from '../../../lambdas/users/contract.js';
import { TransactionRefused } from '../../../packages/kit/aws/dynamodb.js';
import { newId } from '../../../packages/kit/aws/ids.js';
import { open, seal, sealedEventId, Unsealed } from '../../../packages/kit/messages/sealed.js';
import { InMemoryService } from '../../../packages/kit/testing/in-memory-service.js';
import { eventMessage } from '../../../packages/kit/testing/messages.js';
import { modelledTables } from '../../support/modelled-tables.js';
import { REVIEW_RULES } from '../../support/review-rules.js';
import { buildTrace } from '../../support/tally.js';

/** Reviews of orders, and what this service copies of users, in tables of the simulator's model. */

const HOME = { street: '12 St. James Square', city: 'London', postalCode: 'SW1', country: 'GB' };
const AWAY = { ...HOME, name: 'Grandma', street: '1 Harbour Road' };
const key = randomBytes(32);
let isForgotten = false;
let opened = 0;
/** Bob's key, which opens a value in its own place only. */
const people: AddressReader = {
  openAll: async (person, values) => {
    opened += values.length;
    return values.map(({ sealed, place }) =>
      isForgotten ? { forgotten: true } : open(key, person, sealed, { event: sealedEventId(sealed), ...place }),
    );
  },
};
let service: InMemoryService;
let orderStore: OrderStore;
let reviews: Reviews;
let told: ReturnType<InMemoryService['consumer']>;
beforeEach(() => {
  service = new InMemoryService('orders', modelledTables());
  orderStore = service.eventStore(orders);
  const rules = { ...REVIEW_RULES, otherAddress: true };
  reviews = { orderStore, table: service.table, rules, readNewest: async () => [], personalKeys: people };
  told = service.consumer([onUserChange(service.table), onPayerChange(service.table)]);
  [isForgotten, opened] = [false, 0];
});

const isJudged = (newStatus: UserStatus, sequence: number) =>
  told(
    eventMessage(
      usersContract,
      { type: 'UserStatusChanged', data: { userId: 'bob', oldStatus: 'ACTIVE', newStatus } },
      { sequence },
    ),
  );
/** A profile with this address, as the users service publishes it. */
function hasAddress(address: object | undefined, sequence: number) {
  const place = { aggregate: 'User#bob', event: newId(), field: 'address' };
  const sealed = address && { address: seal(key, 'bob', address, place) };
  return told(
    eventMessage(
      usersContract,
      { type: 'UserProfileChanged', data: { userId: 'bob', ...sealed } },
      { sequence, id: place.event },
    ),
  );
}

/** Events of payments about Bob as a payer; his order is placed at 10:00. */
const isPayer = (declines: readonly string[], sequence: number, methodChangedAt?: string, epoch = 0) =>
  told(
    eventMessage(
      paymentsContract,
      {
        type: 'PayerChanged',
        data: {
          customerId: 'bob',
          declinedCharges: declines.map((time) => `2026-03-01T${time}:00.000Z`),
          ...(methodChangedAt && { methodChangedAt: `2026-03-01T${methodChangedAt}:00.000Z` }),
        },
      },
      { sequence, epoch },
    ),
  );

async function placed(address?: object, amount = 350): Promise<string> {
  const orderId = randomUUID().replaceAll('-', '');
  const lines = [{ sku: 'TEA-1', quantity: 1, unitPrice: { amount, currency: 'EUR' } }];
  const deliverTo = address ? { deliverTo: new Unsealed('bob', key, address) } : {};
  const order = await orderStore.load(orderId);
  const events = decide(
    order.state,
    { type: 'Place', orderId, customerId: 'bob', lines, ...deliverTo },
    { now: '2026-03-01T10:00:00.000Z' },
  );
  await orderStore.append(orderStore.buildCommit(order, events, buildTrace(randomUUID())));
  return orderId;
}

/** Asks before the charge, and commits the decision. @returns the reasons of the review, if there is one */
async function reasonsOf(orderId: string) {
  const { next, writes } = await checkBeforeCharge(reviews, orderId, buildTrace(randomUUID()));
  await service.table.transact(writes);
  const { state } = await orderStore.load(orderId);
  expect(state.status).toBe(next === 'hold' ? 'UNDER_REVIEW' : 'PENDING');
  return state.status === 'UNDER_REVIEW' ? state.reviewReasons : undefined;
}

describe('an order of a suspect user', () => {
  beforeEach(async () => void (await isJudged('SUSPECT', 1)));

  test('an order is marked if it goes to another address than the one in the profile', async () => {
    await hasAddress(HOME, 2);
    expect(await reasonsOf(await placed(AWAY))).toEqual(['SUSPECT_USER', 'OTHER_ADDRESS']);
    expect(await reasonsOf(await placed({ ...HOME, name: 'Bob' }))).toEqual(['SUSPECT_USER']);
    // Nothing is opened where there is nothing to compare.
    opened = 0;
    expect(await reasonsOf(await placed())).toEqual(['SUSPECT_USER']);
    await hasAddress(undefined, 3);
    expect(await reasonsOf(await placed(AWAY))).toEqual(['SUSPECT_USER']);
    expect(opened).toBe(0);
  });

  test('addresses are not compared if the setting says so', async () => {
    await hasAddress(HOME, 2);
    reviews = { ...reviews, rules: { ...reviews.rules, otherAddress: false } };
    expect(await reasonsOf(await placed(AWAY))).toEqual(['SUSPECT_USER']);
    expect(opened).toBe(0);
  });

  test('an order is compared with the newest address, in whichever order and however often events come', async () => {
    await hasAddress(AWAY, 5);
    await hasAddress(HOME, 4);
    expect(await reasonsOf(await placed(AWAY))).toEqual(['SUSPECT_USER']);
  });

  test('an order of a forgotten user is not compared: no key opens the addresses, and the copy is deleted', async () => {
    await hasAddress(HOME, 2);
    const orderId = await placed(AWAY);
    isForgotten = true;
    expect(await reasonsOf(orderId)).toEqual(['SUSPECT_USER']);
    await told(eventMessage(usersContract, { type: 'UserForgotten', data: { userId: 'bob' } }, { sequence: 3 }));
    const copy = { pk: 'USER#bob', sk: 'ADDRESS', version: 3, epoch: 0 };
    expect(await service.table.read({ pk: 'USER#bob', sk: 'ADDRESS' })).toEqual(copy);
    // A late profile doesn't bring it back.
    await hasAddress(HOME, 2);
    expect(await service.table.read({ pk: 'USER#bob', sk: 'ADDRESS' })).toEqual(copy);
  });

  test('an order is marked after declined charges and a change of the payment method', async () => {
    await isPayer(['09:00', '09:01'], 1);
    expect(await reasonsOf(await placed())).toEqual(['SUSPECT_USER']);
    await isPayer(['09:00', '09:01', '09:02'], 2);
    expect(await reasonsOf(await placed())).toEqual(['SUSPECT_USER', 'DECLINED_CHARGES']);
    await isPayer(['09:00', '09:01', '09:02'], 3, '09:03');
    expect(await reasonsOf(await placed())).toEqual(['SUSPECT_USER', 'DECLINED_CHARGES', 'METHOD_CHANGED']);
  });

  test('an order is marked by the newest state of its payer, in whichever order and however often events come', async () => {
    const many = ['09:00', '09:01', '09:02'];
    for (const [declines, sequence] of [
      [many, 3],
      [many.slice(0, 1), 1],
      [many, 3],
      [many.slice(0, 2), 2],
    ] as const) {
      await isPayer(declines, sequence);
    }
    expect(await reasonsOf(await placed())).toEqual(['SUSPECT_USER', 'DECLINED_CHARGES']);
    // After a restore the versions count from the restored ones again.
    await isPayer(many.slice(0, 2), 2, undefined, 1);
    expect(await reasonsOf(await placed())).toEqual(['SUSPECT_USER']);
  });

  test('stays in no plain text: the copy is what the users service has sealed', async () => {
    await hasAddress(HOME, 2);
    expect(JSON.stringify(await service.table.read({ pk: 'USER#bob', sk: 'ADDRESS' }))).not.toContain('London');
  });

  test('an order is not held if the user is active again by then', async () => {
    const asked = await checkBeforeCharge(reviews, await placed(), buildTrace(randomUUID()));
    await isJudged('ACTIVE', 2);
    expect(asked.next).toBe('hold');
    await expect(service.table.transact(asked.writes)).rejects.toThrow(TransactionRefused);
  });
});

describe('an order', () => {
  test('an order of an active user is charged', async () => {
    await isJudged('ACTIVE', 1);
    expect(await reasonsOf(await placed())).toBeUndefined();
  });

  test('an order of a blocked user is held, also if it costs nothing', async () => {
    await isJudged('BLOCKED', 1);
    expect(await reasonsOf(await placed())).toEqual(['BLOCKED_USER']);
    expect(await reasonsOf(await placed(undefined, 0))).toEqual(['BLOCKED_USER']);
  });

  test('a cancelled order is not charged, though its saga does not know of it yet', async () => {
    const orderId = await placed();
    const order = await orderStore.load(orderId);
    const events = decide(order.state, { type: 'Cancel' }, { now: '2026-03-01T10:00:01.000Z' });
    await orderStore.append(orderStore.buildCommit(order, events, buildTrace(randomUUID())));
    expect(await checkBeforeCharge(reviews, orderId, buildTrace(randomUUID()))).toMatchObject({ next: 'cancel' });
  });

  test('an order is not charged if it changes after the question', async () => {
    const orderId = await placed();
    const { writes } = await checkBeforeCharge(reviews, orderId, buildTrace(randomUUID()));
    await isJudged('SUSPECT', 1);
    await reasonsOf(orderId);
    await expect(service.table.transact(writes)).rejects.toThrow(TransactionRefused);
  });
});

describe('a paid order', () => {
  /** Approves an order, as its saga does at its end. */
  async function isApproved(orderId: string): Promise<void> {
    await service.table.transact(
      await buildApprovalWrites(reviews, await orderStore.load(orderId), buildTrace(randomUUID())),
    );
  }
  const stateOf = async (orderId: string) => (await orderStore.load(orderId)).state;
  const isListed = async (orderId: string) =>
    (await service.table.read({ pk: 'REVIEWS', sk: `bob#${orderId}` })) !== undefined;

  test('comes under review with its approval if its user is suspect by then', async () => {
    const orderId = await placed();
    await isJudged('SUSPECT', 1);
    await isApproved(orderId);
    expect(await stateOf(orderId)).toMatchObject({ status: 'UNDER_REVIEW', paid: true });
    expect(await isListed(orderId)).toBe(true);
  });

  test('an order does not come under review if its user is active again at that moment', async () => {
    const orderId = await placed();
    await isJudged('SUSPECT', 1);
    const writes = await buildApprovalWrites(reviews, await orderStore.load(orderId), buildTrace(randomUUID()));
    await isJudged('ACTIVE', 2);
    await expect(service.table.transact(writes)).rejects.toThrow(TransactionRefused);
    await isApproved(orderId);
    expect(await stateOf(orderId)).toMatchObject({ status: 'APPROVED' });
  });

  test('an order that no review has found is not dispatched, but comes under review', async () => {
    const orderId = await placed();
    await isApproved(orderId);
    await isJudged('SUSPECT', 1);
    await expect(checkBeforeDispatch(service.table, await stateOf(orderId))).rejects.toThrow(NeedsReview);
    for (const _ of ['first', 'repeat']) await startReview(reviews, orderId, buildTrace(randomUUID()));
    expect((await orderStore.load(orderId)).version).toBe(3);
    expect(await isListed(orderId)).toBe(true);
  });

  test('an order is not dispatched if its user becomes suspect at that moment', async () => {
    const orderId = await placed();
    await isApproved(orderId);
    const check = await checkBeforeDispatch(service.table, await stateOf(orderId));
    await isJudged('SUSPECT', 1);
    await expect(service.table.transact([check!])).rejects.toThrow(TransactionRefused);
  });
});
