import { afterEach, describe, expect, test } from 'vitest';
import { needsFaults, world } from '../support/world.js';
import { ADDRESS, me, patch, problem, putStatus, user } from './users.js';

afterEach(() => world.heal());

const open = async (customer: string): Promise<string> => {
  const opened = await world.call<{ sessionId: string }>({
    method: 'POST',
    path: '/users/sessions',
    as: { customer },
  });
  expect(opened.status).toBe(201);
  return opened.body.sessionId;
};
const numbered = (session: string, number: number) => ({ 'Session-Id': session, 'Request-Number': String(number) });
const replayed = { headers: { 'idempotency-replayed': 'true' } };

describe('when a profile is patched', () => {
  test('a customer who never wrote anything is ACTIVE, at version 0', async () => {
    const userId = world.fresh('user');
    const nobody = { userId, status: 'ACTIVE', version: 0 };
    expect(await me(userId)).toMatchObject({ status: 200, body: nobody });
    expect((await user(userId)).body).toEqual(nobody);
  });

  test('members are set, merged and removed, and the user and operators see the result', async () => {
    const userId = world.fresh('user');
    const first = await patch(userId, { name: 'Ada', email: 'ada@example.org', address: ADDRESS });
    const profile = { name: 'Ada', email: 'ada@example.org', address: ADDRESS };
    expect(first).toMatchObject({ status: 200, body: { userId, status: 'ACTIVE', ...profile, version: 1 } });
    const second = await patch(userId, { email: null, address: { city: 'Leeds', name: 'Bob' } });
    const address = { ...ADDRESS, city: 'Leeds', name: 'Bob' };
    const after = { userId, status: 'ACTIVE', name: 'Ada', address, version: 2 };
    for (const { body } of [second, await me(userId), await user(userId)]) expect(body).toEqual(after);
    const third = await patch(
      userId,
      { name: null, address: null },
      { headers: { 'Content-Type': 'application/json' } },
    );
    expect(third.body).toEqual({ userId, status: 'ACTIVE', version: 3 });
  });

  test('a patch that changes nothing writes nothing, and answers the user', async () => {
    const userId = world.fresh('user');
    await patch(userId, { name: 'Ada', address: ADDRESS });
    for (const same of [{}, { name: 'Ada' }, { email: null }, { address: { city: 'London' } }]) {
      expect(await patch(userId, same)).toMatchObject({ status: 200, body: { name: 'Ada', version: 1 } });
    }
    expect(await world.commits('User', userId)).toHaveLength(1);
    const untouched = world.fresh('user');
    expect((await patch(untouched, { email: null })).body).toEqual({ userId: untouched, status: 'ACTIVE', version: 0 });
    expect(await world.commits('User', untouched)).toEqual([]);
  });

  test('a repeat gets the first answer, also after another patch, and changes nothing', async () => {
    const userId = world.fresh('user');
    const key = world.fresh('key');
    const first = await patch(userId, { name: 'Ada', address: ADDRESS }, { key });
    const unchanged = world.fresh('key');
    await patch(userId, { name: 'Ada' }, { key: unchanged });
    await patch(userId, { name: 'Bob' });
    for (const again of [
      await patch(userId, { name: 'Ada', address: ADDRESS }, { key }),
      await patch(userId, { name: 'Ada' }, { key: unchanged }),
    ]) {
      expect(again).toMatchObject({ status: 200, ...replayed });
      expect(again.body).toEqual(first.body);
    }
    expect((await me(userId)).body).toMatchObject({ name: 'Bob', version: 2 });
  });

  test('a repeat in a numbered session gets the first answer, as long as the client may need it', async () => {
    const userId = world.fresh('user');
    const session = await open(userId);
    const first = await patch(userId, { name: 'Ada' }, { headers: numbered(session, 1) });
    expect(first).toMatchObject({ status: 200, body: { name: 'Ada', version: 1 } });
    const again = await patch(userId, { name: 'Ada' }, { headers: numbered(session, 1) });
    expect(again).toMatchObject({ status: 200, body: first.body, ...replayed });
    expect(await patch(userId, { name: 'Eve' }, { headers: numbered(session, 1) })).toMatchObject(
      problem(422, 'key-reused'),
    );
    expect((await patch(userId, { name: 'Bob' }, { headers: numbered(session, 2) })).body.version).toBe(2);
    expect(await patch(userId, { name: 'Ada' }, { headers: numbered(session, 1) })).toMatchObject(
      problem(409, 'number-out-of-range'),
    );
    expect((await me(userId)).body).toMatchObject({ name: 'Bob', version: 2 });
  });

  test('another patch under the same key is refused: other members by the hash, other text by the stored answer', async () => {
    const userId = world.fresh('user');
    const key = world.fresh('key');
    await patch(userId, { name: 'Ada' }, { key });
    for (const other of [{ name: 'Eve' }, { name: null }, { email: 'ada@example.org' }, {}]) {
      expect(await patch(userId, other, { key })).toMatchObject(problem(422, 'key-reused'));
    }
    expect((await me(userId)).body).toMatchObject({ name: 'Ada', version: 1 });
  });

  test('If-Match is honoured, and its repeat is a replay', async () => {
    const userId = world.fresh('user');
    const key = world.fresh('key');
    const headers = { 'If-Match': '0' };
    expect((await patch(userId, { name: 'Ada' }, { key, headers })).body.version).toBe(1);
    expect(await patch(userId, { name: 'Bob' }, { headers })).toMatchObject({
      status: 409,
      body: { type: 'urn:orderly:problem:conflict', expectedVersion: 0, foundVersion: 1 },
    });
    expect(await patch(userId, { name: 'Ada' }, { key, headers })).toMatchObject({ status: 200, ...replayed });
    expect((await patch(userId, { name: 'Bob' }, { headers: { 'If-Match': '"1"' } })).body.version).toBe(2);
  });

  test('bad patches are refused with the place of the fault and without its text', async () => {
    const userId = world.fresh('user');
    for (const [body, pointer] of [
      [{ name: '' }, '/name'],
      [{ email: 'no-address-at-all' }, '/email'],
      [{ address: { street: 'Only a street' } }, '/address/city'],
      [{ address: { ...ADDRESS, country: 'Utopia' } }, '/address/country'],
      [{ phone: '1' }, '/phone'],
      [[], ''],
      [null, ''],
      ['text', ''],
    ] as const) {
      const answer = await patch(userId, JSON.stringify(body));
      expect(answer).toMatchObject(problem(400, 'invalid-request'));
      expect(answer.body).toMatchObject({ errors: expect.arrayContaining([expect.objectContaining({ pointer })]) });
      expect(answer.text).not.toMatch(/no-address-at-all|Only a street|Utopia/);
    }
    const as = { customer: userId };
    expect(await world.call({ method: 'PATCH', path: '/users/me', as, body: {} })).toMatchObject(
      problem(400, 'key-missing'),
    );
    expect(await world.commits('User', userId)).toEqual([]);
  });

  test('the profile is in plain text nowhere: not in tables, queues, logs or on the bus', async () => {
    const userId = world.fresh('user');
    const own = {
      name: world.fresh('name'),
      email: `${world.fresh('mail')}@example.org`,
      street: world.fresh('street'),
    };
    const { name, email, street } = own;
    const reason = world.fresh('reason');
    const body = { name, email, address: { ...ADDRESS, street } };
    expect(await patch(userId, body)).toMatchObject({ status: 200, body });
    expect((await putStatus(userId, 'SUSPECT', { reason })).body).toMatchObject({ ...body, status: 'SUSPECT' });
    await world.eventually('both events are published', async () =>
      expect((await world.events({ aggregate: 'User', id: userId })).map(({ type }) => type)).toEqual([
        'UserProfileChanged',
        'UserStatusChanged',
      ]),
    );
    expect(await world.findCopies(userId)).toContainEqual(expect.stringMatching('Users TableName'));
    expect(await world.findCopies(...Object.values(own), reason)).toEqual([]);
    // The same text under the same key has the same hash for everybody.
    const exported = await world.exported(userId);
    expect(exported).toMatchObject({ user: { ...body, status: 'SUSPECT', version: 2 } });
    expect(JSON.stringify(exported)).toContain(reason);
  });

  test.skipIf(!world.makesFaults)(`an answer that was lost is given again ${needsFaults}`, async () => {
    const userId = world.fresh('user');
    const key = world.fresh('key');
    // The first profile of a user creates the data key, which is a write too.
    await patch(userId, { name: 'Eve' });
    await world.crash('users/patch-me', 'afterWrite', { including: userId });
    await patch(userId, { name: 'Ada' }, { key });
    await world.faultsMet();
    const again = await patch(userId, { name: 'Ada' }, { key });
    expect(again).toMatchObject({ status: 200, body: { name: 'Ada', version: 2 }, ...replayed });
    expect(await world.commits('User', userId)).toHaveLength(2);
  });
});
