import { afterEach, describe, expect, test } from 'vitest';
import { needsFaults, world } from '../support/world.js';
import { approved, get, line, post, stocked } from './orders.js';
import { ADDRESS, forgetMe, judged, me, patch, problem, putStatus, user } from './users.js';

afterEach(() => world.heal());

const FORGOTTEN = { forgotten: true } as const;

describe('when a user asks to be forgotten', () => {
  test('the profile is erased, and the data that other services have sealed is unreadable', async () => {
    const userId = world.fresh('user');
    const as = { customer: userId };
    const deliverTo = { ...ADDRESS, name: world.fresh('name') };
    const street = world.fresh('street');
    await patch(userId, { name: 'Ada', address: { ...ADDRESS, street } });
    const { orderId } = await approved([line(await stocked(1))], { as, deliverTo });
    expect((await get(orderId, as)).body.deliverTo).toEqual(deliverTo);
    const answer = await forgetMe(userId);
    expect(answer).toMatchObject({ status: 204, text: '' });
    expect((await me(userId)).body).toEqual(FORGOTTEN);
    expect((await user(userId)).body).toEqual({ userId, status: 'ACTIVE', version: 2, ...FORGOTTEN });
    expect(await world.exported(userId)).toMatchObject({
      personalData: { state: 'forgotten', forgottenBy: 'customer' },
      user: FORGOTTEN,
    });
    // Read by a function that never had the key in memory.
    const history = await world.call({ method: 'GET', path: `/orders/${orderId}/history`, as });
    expect(history.body).toMatchObject({ items: [{ data: { deliverTo: FORGOTTEN } }, {}] });
    expect(await world.findCopies(street, deliverTo.name)).toEqual([]);
  });

  test('a repeat is a replay, another request finds it done, and no profile is taken any more', async () => {
    const userId = world.fresh('user');
    const key = world.fresh('key');
    const patchKey = world.fresh('key');
    await patch(userId, { name: 'Ada' }, { key: patchKey });
    expect((await forgetMe(userId, key)).headers['idempotency-replayed']).toBeUndefined();
    expect(await forgetMe(userId, key)).toMatchObject({ status: 204, headers: { 'idempotency-replayed': 'true' } });
    expect((await forgetMe(userId)).status).toBe(204);
    expect(await patch(userId, { name: 'Ada' })).toMatchObject(problem(409, 'person-forgotten'));
    expect(await patch(userId, {})).toMatchObject(problem(409, 'person-forgotten'));
    expect((await world.commits('User', userId)).map(({ events }) => events[0]!.type)).toEqual([
      'UserProfileChanged',
      'UserForgotten',
    ]);
    const as = { customer: userId };
    expect(await world.call({ method: 'DELETE', path: '/users/me', as })).toMatchObject(problem(400, 'key-missing'));
  });

  test('a customer who never wrote anything gets no key any more', async () => {
    const userId = world.fresh('user');
    expect((await forgetMe(userId)).status).toBe(204);
    expect((await me(userId)).body).toEqual(FORGOTTEN);
    const order = { as: { customer: userId }, clientReference: 'mine' };
    expect(await post([line('sku')], order)).toMatchObject(problem(409, 'person-forgotten'));
  });

  test('the status stays in force, and operators may change it', async () => {
    const userId = world.fresh('user');
    await judged(userId, 'BLOCKED');
    await forgetMe(userId);
    const seen = { userId, status: 'BLOCKED', version: 2, ...FORGOTTEN };
    expect((await user(userId)).body).toEqual(seen);
    expect(await post([line('sku')], { as: { customer: userId } })).toMatchObject(problem(403, 'user-blocked'));
    const reason = world.fresh('reason');
    expect((await putStatus(userId, 'ACTIVE', { reason })).body).toEqual({ ...seen, status: 'ACTIVE', version: 3 });
    expect((await me(userId)).body).toEqual(FORGOTTEN);
    expect(await world.findCopies(reason)).toEqual([]);
  });

  test('an operator who forgets a person forgets the user', async () => {
    const [one, other] = [world.fresh('user'), world.fresh('user')];
    await patch(one, { name: 'Ada' });
    for (const userId of [one, other]) await world.forget(userId);
    for (const userId of [one, other]) expect((await me(userId)).body).toEqual(FORGOTTEN);
    expect(await patch(other, { name: 'Ada' })).toMatchObject(problem(409, 'person-forgotten'));
    expect((await forgetMe(one)).status).toBe(204);
    // The first tombstone stays: it shows the time of the erasure.
    const { personalData } = await world.exported(one);
    expect(personalData).not.toMatchObject({ forgottenBy: 'customer' });
  });

  test('payments receive the event', async () => {
    const userId = world.fresh('user');
    await forgetMe(userId);
    const [event] = await world.eventually('it is published', async () => {
      const events = await world.events({ aggregate: 'User', id: userId, types: ['UserForgotten'] });
      expect(events).toHaveLength(1);
      return events;
    });
    await world.eventually('payments have deleted what they have', async () =>
      expect(await world.readRecord('payments-users', event!.id)).toMatchObject({ status: 'PROCESSED' }),
    );
  });

  test.skipIf(!world.makesFaults)(`a lost answer leaves nothing half done ${needsFaults}`, async () => {
    const userId = world.fresh('user');
    const key = world.fresh('key');
    await patch(userId, { name: 'Ada' });
    await world.crash('users/forget-me', 'beforeWrite', { including: userId });
    await forgetMe(userId, key);
    expect((await user(userId)).body).toMatchObject({ name: 'Ada', version: 1 });
    await world.heal();
    await world.crash('users/forget-me', 'afterWrite', { including: userId });
    await forgetMe(userId, key);
    await world.faultsMet();
    expect(await forgetMe(userId, key)).toMatchObject({ status: 204, headers: { 'idempotency-replayed': 'true' } });
    expect((await me(userId)).body).toEqual(FORGOTTEN);
  });
});
