import { afterEach, describe, expect, test } from 'vitest';
import type { AccountView } from '../../lambdas/accounts/contract.js';
import { needsFaults, world } from '../support/world.js';
import { answered, customerWith, eur, getAccount, putLimit, sagaOf } from './accounts.js';
import type { ProblemBody } from './world.js';

interface Page {
  readonly items: readonly AccountView[];
  readonly nextCursor?: string;
}

const exhausted = (query = '') =>
  world.call<Page>({ method: 'GET', path: `/accounts?creditExhausted=true${query}`, as: 'operator' });

/** Returns all list entries of these customers, over all pages. */
async function listed(customers: readonly string[], limit = 100): Promise<readonly AccountView[]> {
  const found: AccountView[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const { status, body }: { status: number; body: Page } = await exhausted(`&limit=${limit}${cursor}`);
    expect(status).toBe(200);
    found.push(...body.items.filter(({ customerId }) => customers.includes(customerId)));
    cursor = body.nextCursor === undefined ? undefined : `&cursor=${body.nextCursor}`;
  }
  return found;
}

describe('when a credit limit is set', () => {
  afterEach(() => world.heal());

  test('opens the account with the limit, then changes the limit', async () => {
    const customer = world.fresh('customer');
    expect((await getAccount(customer)).status).toBe(404);
    const first = await putLimit(customer, eur(1000));
    const none = { authorized: eur(0), captured: eur(0), refunded: eur(0), settled: eur(0) };
    expect(first.body).toEqual({
      customerId: customer,
      creditLimit: eur(1000),
      ...none,
      available: eur(1000),
      status: 'OPEN',
      version: 1,
    });
    expect((await putLimit(customer, eur(2000))).body).toMatchObject({ available: eur(2000), version: 2 });
    expect(await getAccount(customer)).toMatchObject({ status: 200, body: { creditLimit: eur(2000), version: 2 } });
    expect(await world.events({ aggregate: 'Account', id: customer })).toMatchObject([
      { type: 'AccountOpened', data: { customerId: customer, creditLimit: eur(1000) }, actor: 'operator:operator' },
      { type: 'CreditLimitSet', data: { customerId: customer, creditLimit: eur(2000) }, sequence: 2 },
    ]);
  });

  test('writes nothing if the limit is unchanged', async () => {
    const customer = await customerWith(1000);
    for (let count = 0; count < 3; count++) expect((await putLimit(customer, eur(1000))).body.version).toBe(1);
    expect(await world.commits('Account', customer)).toHaveLength(1);
  });

  test('authorises nothing more below the used amount, and keeps what is held', async () => {
    const customer = await customerWith(1000);
    const { authorize, capture, refund } = sagaOf(customer);
    await answered(authorize(600));
    expect((await putLimit(customer, eur(500))).body).toMatchObject({ authorized: eur(600), available: eur(0) });
    expect(await answered(sagaOf(customer).authorize(1))).toMatchObject([{ type: 'AuthorizationDeclined' }]);
    await answered(capture);
    await answered(refund('r1', 200));
    expect((await getAccount(customer)).body).toMatchObject({ available: eur(100) });
  });

  test('accepts another currency as long as nothing was ever held, and answers 400 afterwards', async () => {
    const customer = await customerWith(1000);
    const usd = { amount: 5, currency: 'USD' };
    expect((await putLimit(customer, usd)).body).toMatchObject({ creditLimit: usd, available: usd });
    expect((await putLimit(customer, eur(1000))).status).toBe(200);
    await answered(sagaOf(customer).authorize(1));
    const { status, body } = await putLimit(customer, usd);
    expect(status).toBe(400);
    expect((body as unknown as ProblemBody).errors).toMatchObject([{ pointer: '/creditLimit/currency' }]);
  });

  test('If-Match accepts only its version, and a repeat of a success', async () => {
    const customer = await customerWith(1000);
    expect(await putLimit(customer, eur(2000), { 'If-Match': '1' })).toMatchObject({ status: 200 });
    expect(await putLimit(customer, eur(2000), { 'If-Match': '1' })).toMatchObject({ status: 200 });
    expect(await putLimit(customer, eur(3000), { 'If-Match': '1' })).toMatchObject({
      status: 409,
      body: { type: 'urn:orderly:problem:conflict' },
    });
    await answered(sagaOf(customer).authorize(1));
    expect((await putLimit(customer, eur(3000), { 'If-Match': '"2"' })).status).toBe(409);
    expect(await putLimit(customer, eur(3000), { 'If-Match': '"3"' })).toMatchObject({ body: { version: 4 } });
    expect((await putLimit(customer, eur(1), { 'If-Match': 'three' })).status).toBe(400);
  });

  test('If-Match: 0 means a customer without an account', async () => {
    const customer = world.fresh('customer');
    expect((await putLimit(customer, eur(1), { 'If-Match': '1' })).status).toBe(409);
    expect((await putLimit(customer, eur(1), { 'If-Match': '0' })).status).toBe(200);
    expect((await putLimit(customer, eur(2), { 'If-Match': '0' })).status).toBe(409);
  });

  test('lets one of several concurrent changes at one version win', async () => {
    const customer = await customerWith(1);
    const answers = await Promise.all([10, 20, 30].map((limit) => putLimit(customer, eur(limit), { 'If-Match': '1' })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect((await getAccount(customer)).body.version).toBe(2);
  });

  test.each([
    ['a fraction', { amount: 1.5, currency: 'EUR' }],
    ['less than nothing', { amount: -1, currency: 'EUR' }],
    ['more than 10^12', { amount: 1e12 + 1, currency: 'EUR' }],
    ['no currency', { amount: 1 }],
    ['a currency that isn’t one', { amount: 1, currency: 'EURO' }],
    ['an unknown field', { amount: 1, currency: 'EUR', note: '' }],
  ])('a credit limit with %s is 400', async (_, creditLimit) => {
    const customer = world.fresh('customer');
    expect((await putLimit(customer, creditLimit)).status).toBe(400);
    expect((await getAccount(customer)).status).toBe(404);
  });

  test('answers 404 for an impossible customer id; a valid id may need escaping', async () => {
    expect((await putLimit('a%20b', eur(1))).status).toBe(404);
    expect((await putLimit('x'.repeat(129), eur(1))).status).toBe(404);
    const customer = `idp|${world.fresh('customer')}`;
    expect((await putLimit(encodeURIComponent(customer), eur(1))).body.customerId).toBe(customer);
    expect((await getAccount(encodeURIComponent(customer), { customer })).status).toBe(200);
  });

  test.runIf(world.makesFaults)(
    `a lost answer leaves one commit, and the retry gets the answer ${needsFaults}`,
    async () => {
      const customer = world.fresh('customer');
      await world.loseAnswer('accounts/set-credit-limit', 'PutItem', { including: customer });
      expect(await putLimit(customer, eur(1000))).toMatchObject({ status: 200, body: { version: 1 } });
      expect(await world.commits('Account', customer)).toHaveLength(1);
    },
  );
});

describe('when credit is used up', () => {
  afterEach(() => world.heal());

  test('lists the customer until there is credit again', async () => {
    const [one, other] = [await customerWith(500), await customerWith(500)];
    const { authorize, release } = sagaOf(one);
    await answered(sagaOf(other).authorize(499));
    await answered(authorize(500));
    const [shown] = await world.eventually('the list shows the customer without credit', async () => {
      const found = await listed([one, other]);
      expect(found).toHaveLength(1);
      return found;
    });
    expect(shown).toEqual((await getAccount(one)).body);
    await answered(release);
    await world.eventually('the list shows none of them', async () => {
      expect(await listed([one, other])).toEqual([]);
    });
    await putLimit(other, eur(1));
    await world.eventually('a lowered limit also uses up the credit', async () => {
      expect(await listed([one, other])).toMatchObject([{ customerId: other, available: eur(0) }]);
    });
  });

  test('ignores its events that arrive again, late and out of order', async () => {
    const customer = await customerWith(500);
    const { authorize, release } = sagaOf(customer);
    await answered(authorize(500));
    await answered(release);
    const events = await world.redeliver({ aggregate: 'Account', id: customer }, 2);
    for (const { id } of events) {
      await world.eventually('each came three times', async () => {
        const { applied, duplicate } = await world.deliveries('accounts-exhausted', id);
        expect(applied + duplicate).toBe(3);
      });
    }
    expect(await listed([customer])).toEqual([]);
  });

  test('the list has pages, and each account is on one of them', async () => {
    const customers = await Promise.all([1, 2, 3, 4, 5].map(() => customerWith(0)));
    await world.eventually('all are listed', async () => {
      expect(await listed(customers)).toHaveLength(5);
    });
    const found = await listed(customers, 2);
    expect(found.map(({ customerId }) => customerId)).toEqual([...customers].sort());
  });

  test.each(['', '?creditExhausted=false', '?creditExhausted=true&customerId=alice'])(
    'there is no other list of accounts: GET /accounts%s is 400',
    async (query) => {
      const { status } = await world.call({ method: 'GET', path: `/accounts${query}`, as: 'operator' });
      expect(status).toBe(400);
    },
  );

  test('a cursor of another list, or a malformed one, is 400', async () => {
    expect((await exhausted('&cursor=none')).status).toBe(400);
  });
});
