import { afterEach, describe, expect, test } from 'vitest';
import type { AccountView } from '../../lambdas/accounts/contract.js';
import { needsFaults, world } from '../support/world.js';
import { customerWith, eur, getAccount } from './accounts.js';
import type { ApiAnswer, Caller, Json, ProblemBody } from './world.js';

const applyBonus = (
  customer: string,
  body: object,
  key: string | undefined = world.fresh('key'),
): Promise<ApiAnswer<AccountView>> =>
  world.call({
    method: 'POST',
    path: `/accounts/${customer}/bonus`,
    as: 'operator',
    body,
    ...(key === undefined ? {} : { key }),
  });

const someReason = () => `Sorry for ${world.fresh('parcel')}`;

async function reasonsShown(customer: string, as: Caller): Promise<readonly unknown[]> {
  const { body } = await world.call<{ items: readonly { type: string; data: Json }[] }>({
    method: 'GET',
    path: `/accounts/${customer}/history`,
    as,
  });
  return body.items.filter(({ type }) => type === 'BonusApplied').map(({ data }) => data.reason);
}

const bonuses = (customer: string) => world.events({ aggregate: 'Account', id: customer, types: ['BonusApplied'] });

describe('when a bonus is applied', () => {
  afterEach(() => world.heal());

  test('answers the account, whose credit stays as it was; the history shows why', async () => {
    const customer = await customerWith(1000);
    const reason = someReason();
    const { status, body, headers } = await applyBonus(customer, { points: 50, reason });
    expect({ status, body }).toMatchObject({ status: 201, body: { available: eur(1000), version: 2 } });
    expect(headers).toMatchObject({ location: `accounts/${customer}` });
    expect((await getAccount(customer)).body).toEqual(body);
    expect(await bonuses(customer)).toMatchObject([{ data: { customerId: customer, points: 50 }, sequence: 2 }]);
    expect(await reasonsShown(customer, { customer })).toEqual([reason]);
    expect(await reasonsShown(customer, 'operator')).toEqual([reason]);
  });

  test('opens the account of a customer who has none', async () => {
    const customer = world.fresh('customer');
    expect(await applyBonus(customer, { points: 1, reason: someReason() })).toMatchObject({
      status: 201,
      body: { customerId: customer, version: 2 },
    });
    const types = (await world.events({ aggregate: 'Account', id: customer })).map(({ type }) => type);
    expect(types).toEqual(['AccountOpened', 'BonusApplied']);
  });

  test('a repeat gets the same answer, and another request with its key is refused', async () => {
    const customer = world.fresh('customer');
    const [key, bonus] = [world.fresh('key'), { points: 50, reason: someReason() }];
    const first = await applyBonus(customer, bonus, key);
    await applyBonus(customer, { points: 7, reason: someReason() });
    const again = await applyBonus(customer, bonus, key);
    expect(again).toMatchObject({ status: 201, text: first.text, headers: { 'idempotency-replayed': 'true' } });
    for (const other of [
      { ...bonus, points: 51 },
      { ...bonus, reason: someReason() },
    ]) {
      expect(await applyBonus(customer, other, key)).toMatchObject({
        status: 422,
        body: { type: 'urn:orderly:problem:key-reused' },
      });
    }
    expect(await bonuses(customer)).toHaveLength(2);
  });

  test.runIf(world.makesFaults)(`a crash after the write leaves one bonus ${needsFaults}`, async () => {
    const customer = world.fresh('customer');
    // The first bonus also writes the customer's data key.
    await applyBonus(customer, { points: 1, reason: someReason() });
    await world.crash('accounts/apply-bonus', 'afterWrite', { including: customer });
    const [key, bonus] = [world.fresh('key'), { points: 50, reason: someReason() }];
    const answer = await world.eventually('the bonus is acknowledged', async () => {
      const repeat = await applyBonus(customer, bonus, key);
      expect(repeat.status).toBe(201);
      return repeat;
    });
    expect(answer.headers).toMatchObject({ 'idempotency-replayed': 'true' });
    expect(await bonuses(customer)).toHaveLength(2);
  });

  test.each([
    ['no points', { reason: 'r' }],
    ['0 points', { points: 0, reason: 'r' }],
    ['a fraction', { points: 1.5, reason: 'r' }],
    ['too many points', { points: 1_000_001, reason: 'r' }],
    ['no reason', { points: 1 }],
    ['an empty reason', { points: 1, reason: '' }],
    ['a long reason', { points: 1, reason: 'r'.repeat(201) }],
    ['an unknown field', { points: 1, reason: 'r', note: '' }],
  ])('a bonus with %s is 400', async (_, body) => {
    const customer = world.fresh('customer');
    expect((await applyBonus(customer, body)).status).toBe(400);
    expect((await getAccount(customer)).status).toBe(404);
  });

  test('needs a key, and the id of a customer', async () => {
    const bonus = { points: 1, reason: someReason() };
    const unkeyed = await world.call<ProblemBody>({
      method: 'POST',
      path: `/accounts/${world.fresh('customer')}/bonus`,
      as: 'operator',
      body: bonus,
    });
    expect(unkeyed).toMatchObject({ status: 400, body: { type: 'urn:orderly:problem:key-missing' } });
    expect((await applyBonus('a%20b', bonus)).status).toBe(404);
  });

  test("the reason of a forgotten person's bonus was never in plain text, and is not shown any more", async () => {
    const customer = world.fresh('person');
    const [key, bonus] = [world.fresh('key'), { points: 50, reason: someReason() }];
    const first = await applyBonus(customer, bonus, key);
    expect(first.status).toBe(201);
    expect(await world.findCopies(bonus.reason)).toEqual([]);
    await world.forget(customer);
    expect(await reasonsShown(customer, 'operator')).toEqual([{ forgotten: true }]);
    const exported = JSON.stringify(await world.exported(customer));
    expect(exported).toContain('BonusApplied');
    expect(exported).not.toContain(bonus.reason);
    expect(await applyBonus(customer, bonus, key)).toMatchObject({ status: 201, text: first.text });
    expect(await bonuses(customer)).toHaveLength(1);
  });

  test('a person who was forgotten before gets none, because its reason could not be sealed', async () => {
    const customer = world.fresh('person');
    await world.forget(customer);
    const bonus = { points: 50, reason: someReason() };
    expect(await applyBonus(customer, bonus)).toMatchObject({
      status: 409,
      body: { type: 'urn:orderly:problem:person-forgotten' },
    });
    expect((await getAccount(customer)).status).toBe(404);
    expect(await world.findCopies(bonus.reason)).toEqual([]);
  });
});
