import { describe, expect, test } from 'vitest';
import { world } from '../support/world.js';
import { approved, becomes, get, line, placed, post, stocked } from './orders.js';
import { judged, me, problem, putStatus, user } from './users.js';

describe('when a user is blocked', () => {
  test('places no order until they are active again; a repeat of an earlier order gets its answer', async () => {
    const userId = world.fresh('user');
    const as = { customer: userId };
    const lines = [line(await stocked(5))];
    const key = world.fresh('key');
    const earlier = await placed(lines, { as, key });
    await judged(userId, 'BLOCKED');
    const refused = await post(lines, { as });
    expect(refused).toMatchObject({ ...problem(403, 'user-blocked'), body: { title: 'User blocked' } });
    expect(await post(lines, { as, key })).toMatchObject({
      status: 201,
      body: { orderId: earlier.orderId },
      headers: { 'idempotency-replayed': 'true' },
    });
    // The earlier order waits for its review, wherever its saga is.
    await becomes(earlier.orderId, 'UNDER_REVIEW');
    await judged(userId, 'ACTIVE');
    await becomes(earlier.orderId, 'APPROVED');
    await approved(lines, { as });
  });

  test('a refused order uses up no key, and another customer is not affected', async () => {
    const userId = world.fresh('user');
    const as = { customer: userId };
    const lines = [line(await stocked(5))];
    const key = world.fresh('key');
    await judged(userId, 'BLOCKED');
    expect(await post(lines, { as, key })).toMatchObject(problem(403, 'user-blocked'));
    expect((await post(lines, { as: { customer: world.fresh('user') } })).status).toBe(201);
    await judged(userId, 'ACTIVE');
    const { orderId } = await placed(lines, { as, key });
    expect((await get(orderId)).status).toBe(200);
  });

  test('the event carries the old and the new status; setting the same status again writes nothing', async () => {
    const userId = world.fresh('user');
    expect((await putStatus(userId, 'ACTIVE')).body).toEqual({ userId, status: 'ACTIVE', version: 0 });
    expect((await putStatus(userId, 'SUSPECT')).body).toEqual({ userId, status: 'SUSPECT', version: 1 });
    expect((await putStatus(userId, 'SUSPECT', { reason: 'again' })).body.version).toBe(1);
    expect((await putStatus(userId, 'BLOCKED')).body.version).toBe(2);
    const changes = await world.eventually('both changes are published', async () => {
      const events = await world.events({ aggregate: 'User', id: userId });
      expect(events).toHaveLength(2);
      return events;
    });
    expect(changes.map(({ sequence, data }) => ({ sequence, data }))).toEqual([
      { sequence: 1, data: { userId, oldStatus: 'ACTIVE', newStatus: 'SUSPECT' } },
      { sequence: 2, data: { userId, oldStatus: 'SUSPECT', newStatus: 'BLOCKED' } },
    ]);
    expect((await me(userId)).body).toEqual({ userId, status: 'BLOCKED', version: 2 });
    expect((await user(userId)).body).toEqual({ userId, status: 'BLOCKED', version: 2 });
  });

  test('If-Match is honoured, and a repeat of what succeeded passes', async () => {
    const userId = world.fresh('user');
    const headers = { 'If-Match': '0' };
    expect((await putStatus(userId, 'BLOCKED', { headers })).body.version).toBe(1);
    expect((await putStatus(userId, 'BLOCKED', { headers })).body.version).toBe(1);
    expect(await putStatus(userId, 'ACTIVE', { headers })).toMatchObject(problem(409, 'conflict'));
    expect(await putStatus('not an id', 'ACTIVE')).toMatchObject({ status: 400 });
  });

  test('an older event that comes late changes nothing', async () => {
    const userId = world.fresh('user');
    const lines = [line(await stocked(5))];
    await judged(userId, 'BLOCKED');
    await judged(userId, 'ACTIVE');
    // Newest first, and each three times.
    const again = await world.redeliver({ aggregate: 'User', id: userId }, 3);
    expect(again).toHaveLength(2);
    await world.eventually('all copies were handled', async () => {
      for (const { id } of again) expect((await world.deliveries('orders-users', id)).duplicate).toBe(3);
    });
    expect((await post(lines, { as: { customer: userId } })).status).toBe(201);
  });
});
