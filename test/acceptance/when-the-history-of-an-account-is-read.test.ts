import { describe, expect, test } from 'vitest';
import type { AccountView } from '../../lambdas/accounts/contract.js';
import { world } from '../support/world.js';
import { answered, customerWith, eur, getAccount, putLimit, sagaOf } from './accounts.js';
import type { Caller } from './world.js';

interface Entry {
  readonly version: number;
  readonly type: string;
  readonly at: string;
  readonly actor: string;
  readonly causationId: string;
  readonly data: Record<string, unknown>;
}
interface Page {
  readonly items: readonly Entry[];
  readonly nextCursor?: string;
}

const history = (customer: string, query = '', as: Caller = { customer }) =>
  world.call<Page>({ method: 'GET', path: `/accounts/${customer}/history${query}`, as });

/** Creates an account with the versions 1 opened, 2 authorised, 3 captured, 4 partly refunded. */
async function used() {
  const customer = await customerWith(1000);
  const { orderId, authorize, capture, refund } = sagaOf(customer);
  const commands = [authorize(600), capture, refund('r1', 200)];
  const answers = [];
  for (const command of commands) answers.push(...(await answered(command)));
  return { customer, orderId, answers };
}

describe('when the history of an account is read', () => {
  test('shows every event, oldest first, with its actor and its cause', async () => {
    const { customer, orderId, answers } = await used();
    const { status, body } = await history(customer);
    expect(status).toBe(200);
    expect(body).not.toHaveProperty('nextCursor');
    expect(body.items).toMatchObject([
      { version: 1, type: 'AccountOpened', actor: 'operator', data: { creditLimit: eur(1000) } },
      { version: 2, type: 'AccountAuthorized', actor: 'service:accounts', data: { orderId, amount: eur(600) } },
      { version: 3, type: 'AuthorizationCaptured', data: { orderId, amount: eur(600) } },
      { version: 4, type: 'AccountRefunded', data: { orderId, refundId: 'r1', amount: eur(200) } },
    ]);
    // Each event is caused by the command that it answers.
    expect(body.items.slice(1).map(({ causationId }) => causationId)).toEqual(
      answers.map(({ causationid }) => causationid),
    );
  });

  test('shows the customer that an operator acted, and shows operators which one', async () => {
    const { customer } = await used();
    await putLimit(customer, eur(2000));
    const seen = (await history(customer)).body.items;
    const named = (await history(customer, '', 'operator')).body.items;
    expect(seen.map(({ actor }) => actor)).toEqual([
      'operator',
      ...Array<string>(3).fill('service:accounts'),
      'operator',
    ]);
    const whole = seen.map((entry) => (entry.actor === 'operator' ? { ...entry, actor: 'operator:operator' } : entry));
    expect(named).toEqual(whole);
  });

  test('shows the same page by page; a cursor fits only its own account', async () => {
    const { customer } = await used();
    const { items } = (await history(customer)).body;
    const first = await history(customer, '?limit=3');
    const rest = await history(customer, `?limit=3&cursor=${first.body.nextCursor}`);
    expect([...first.body.items, ...rest.body.items]).toEqual(items);
    expect(rest.body).not.toHaveProperty('nextCursor');
    const other = await customerWith(1);
    expect((await history(other, `?cursor=${first.body.nextCursor}`)).status).toBe(400);
  });

  test('answers 404 for an account that was never opened, even after a release', async () => {
    const customer = world.fresh('customer');
    await answered(sagaOf(customer).release);
    expect((await history(customer)).status).toBe(404);
    // Once the account is opened, the history shows everything.
    await putLimit(customer, eur(1));
    const { items } = (await history(customer)).body;
    expect(items.map(({ type }) => type)).toEqual(['AuthorizationVoided', 'AccountOpened']);
  });
});

describe('when an account is read as it was', () => {
  const as = (customer: string, query: string) =>
    world.call<AccountView>({ method: 'GET', path: `/accounts/${customer}?${query}`, as: { customer } });

  test('shows each of its versions, and 404 before the first and after the last', async () => {
    const { customer } = await used();
    const expected = [
      { authorized: eur(0), captured: eur(0), available: eur(1000) },
      { authorized: eur(600), captured: eur(0), available: eur(400) },
      { authorized: eur(0), captured: eur(600), available: eur(400) },
      { captured: eur(600), refunded: eur(200), available: eur(600) },
    ];
    for (const [before, account] of expected.entries()) {
      expect((await as(customer, `version=${before + 1}`)).body).toMatchObject({ ...account, version: before + 1 });
    }
    expect((await as(customer, 'version=4')).body).toEqual((await getAccount(customer)).body);
    for (const version of [0, 5, 99_999_999_999]) expect((await as(customer, `version=${version}`)).status).toBe(404);
  });

  test('shows it at each time, and 404 before it was opened', async () => {
    const { customer } = await used();
    const { items } = (await history(customer)).body;
    for (const { at } of items) {
      // Two events in one millisecond are one moment.
      const { version } = items.findLast((entry) => entry.at === at)!;
      expect((await as(customer, `at=${at}`)).body.version).toBe(version);
    }
    const before = new Date(Date.parse(items[0]!.at) - 1).toISOString();
    expect((await as(customer, `at=${before}`)).status).toBe(404);
    expect((await as(customer, 'at=2999-01-01T00:00:00Z')).body).toEqual((await getAccount(customer)).body);
  });

  test('refuses both parameters together, and malformed ones', async () => {
    const customer = await customerWith(1);
    for (const query of ['version=1&at=2999-01-01T00:00:00Z', 'version=one', 'at=yesterday']) {
      expect((await as(customer, query)).status, query).toBe(400);
    }
  });
});
