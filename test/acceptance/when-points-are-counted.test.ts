import { describe, expect, test } from 'vitest';
import type { RewardsView } from '../../lambdas/rewards/contract.js';
import { world } from '../support/world.js';
import { answered, customerWith, sagaOf } from './accounts.js';
import type { Caller } from './world.js';

const rewardsOf = (customer: string, query = '', as: Caller = { customer }) =>
  world.call<RewardsView>({ method: 'GET', path: `/rewards/${as === 'operator' ? customer : 'me'}${query}`, as });

const applyBonus = (customer: string, points: number) =>
  world.call({
    method: 'POST',
    path: `/accounts/${customer}/bonus`,
    as: 'operator',
    key: world.fresh('key'),
    body: { points, reason: 'a late parcel' },
  });

/** Captures a purchase. @returns its saga */
async function bought(customer: string, amount: number) {
  const saga = sagaOf(customer);
  await answered(saga.authorize(amount));
  await answered(saga.capture);
  return saga;
}

/** Waits until a customer has so many entries. */
const counted = (customer: string, entries: number): Promise<RewardsView> =>
  world.eventually(`${entries} entries are counted`, async () => {
    const { status, body } = await rewardsOf(customer, '?limit=100');
    expect({ status, entries: body.entries.length }).toEqual({ status: 200, entries });
    return body;
  });

describe('when points are counted', () => {
  test('a customer without an account has none', async () => {
    const customer = world.fresh('customer');
    const none = { customerId: customer, points: 0, tier: 'BASIC', entries: [] };
    expect(await rewardsOf(customer)).toMatchObject({ status: 200, body: none });
    expect((await rewardsOf(customer, '', 'operator')).body).toEqual(none);
  });

  test('points come from purchases and bonuses, and refunds take them back; entries say so, newest first', async () => {
    const customer = await customerWith(2_000_00);
    const one = await bought(customer, 600_50);
    const other = await bought(customer, 500_00);
    await answered(one.refund('r1', 100_00));
    await applyBonus(customer, 7);
    const rewards = await counted(customer, 4);
    expect(rewards).toMatchObject({
      customerId: customer,
      points: 600 + 500 - 100 + 7,
      tier: 'SILVER',
      entries: [
        { type: 'BonusApplied', points: 7 },
        { type: 'AccountRefunded', points: -100, orderId: one.orderId },
        { type: 'AuthorizationCaptured', points: 500, orderId: other.orderId },
        { type: 'AuthorizationCaptured', points: 600, orderId: one.orderId },
      ],
    });
    const events = await world.events({ aggregate: 'Account', id: customer });
    const times = new Map(
      events.map(({ type, time, data }) => [`${type} ${(data as { orderId?: string }).orderId}`, time]),
    );
    for (const { type, orderId, at } of rewards.entries) expect(at).toBe(times.get(`${type} ${orderId}`));
    expect((await rewardsOf(customer, '', 'operator')).body).toEqual(rewards);
  });

  test('points are the same if events arrive in reverse, three times each', async () => {
    const customer = await customerWith(2_000_00);
    const one = await bought(customer, 600_00);
    await bought(customer, 600_00);
    await answered(one.refund('r1', 600_00));
    const rewards = await counted(customer, 3);
    expect(rewards).toMatchObject({ points: 600, tier: 'SILVER' });
    // Another customer has the same history, and none of its events has arrived yet.
    const other = world.fresh('customer');
    const events = (await world.events({ aggregate: 'Account', id: customer })).map((event) => ({
      ...event,
      id: world.uuid(),
      subject: `Account/${other}`,
      data: { ...(event.data as object), customerId: other },
    }));
    const reversed = events.toReversed();
    await world.publish(...reversed, ...reversed, ...reversed);
    expect(await counted(other, 3)).toEqual({ ...rewards, customerId: other });
    // The first customer's events arrive again, too, and then a new one.
    await world.redeliver({ aggregate: 'Account', id: customer }, 3);
    await applyBonus(customer, 1);
    const { entries, ...after } = await counted(customer, 4);
    expect(entries.slice(1)).toEqual(rewards.entries);
    expect(after).toMatchObject({ points: 601, tier: 'SILVER' });
  });

  test('the tier depends on the order of a purchase and a refund', async () => {
    const customer = await customerWith(2_000_00);
    const one = await bought(customer, 600_00);
    await answered(one.refund('r1', 600_00));
    await bought(customer, 600_00);
    expect(await counted(customer, 3)).toMatchObject({ points: 600, tier: 'BASIC' });
  });

  test('pages continue from a cursor, which fits only its own customer', async () => {
    const customer = world.fresh('customer');
    for (const points of [4_000, 900, 101]) await applyBonus(customer, points);
    const all = await counted(customer, 3);
    expect(all).toMatchObject({ points: 5_001, tier: 'GOLD' });
    const first = (await rewardsOf(customer, '?limit=2')).body;
    const rest = (await rewardsOf(customer, `?limit=2&cursor=${first.nextCursor}`)).body;
    expect([...first.entries, ...rest.entries]).toEqual(all.entries);
    expect([first.points, rest.points, rest.nextCursor]).toEqual([5_001, 5_001, undefined]);
    const other = world.fresh('customer');
    expect((await rewardsOf(other, `?cursor=${first.nextCursor}`)).status).toBe(400);
  });

  test('an export has them, and they stay when their customer is forgotten', async () => {
    const customer = await customerWith(1000);
    await applyBonus(customer, 5);
    const { entries } = await counted(customer, 1);
    expect(await world.exported(customer)).toMatchObject({ rewards: { points: 5, entries: entries.toReversed() } });
    await world.forget(customer);
    expect((await rewardsOf(customer)).body).toMatchObject({ points: 5, entries });
  });
});
