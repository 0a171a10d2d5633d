import { afterEach, describe, expect, test } from 'vitest';
import type { AccountView } from '../../lambdas/accounts/contract.js';
import { needsFaults, world } from '../support/world.js';
import { answered, customerWith, eur, getAccount, putLimit, sagaOf } from './accounts.js';
import { approved, becomes, cancel, get, line, placed, stocked } from './orders.js';
import { giveBack, pay, shows } from './payments.js';
import type { ApiAnswer, Caller, Json } from './world.js';

const putStatus = (
  customer: string,
  status: 'OPEN' | 'CLOSED',
  { reason, ifMatch }: { readonly reason?: string; readonly ifMatch?: number } = {},
): Promise<ApiAnswer<AccountView>> =>
  world.call({
    method: 'PUT',
    path: `/accounts/${customer}/status`,
    as: 'operator',
    body: { status, ...(reason === undefined ? {} : { reason }) },
    ...(ifMatch === undefined ? {} : { headers: { 'If-Match': String(ifMatch) } }),
  });

const bonus = (customer: string, key = world.fresh('key')): Promise<ApiAnswer<AccountView>> =>
  world.call({
    method: 'POST',
    path: `/accounts/${customer}/bonus`,
    as: 'operator',
    body: { points: 50, reason: 'a late parcel' },
    key,
  });

const problem = (code: string) => ({ status: 409, body: { type: `urn:orderly:problem:${code}` } });

async function history(customer: string, as: Caller): Promise<readonly { type: string; data: Json }[]> {
  const path = `/accounts/${customer}/history`;
  return (await world.call<{ items: readonly { type: string; data: Json }[] }>({ method: 'GET', path, as })).body.items;
}

const typesOf = async (customer: string) => (await history(customer, 'operator')).map(({ type }) => type);

describe('when an account is closed', () => {
  afterEach(() => world.heal());

  test('shows its status and no credit; its history says why, and stays readable', async () => {
    const customer = await customerWith(1000);
    const reason = `Asked for it in ${world.fresh('letter')}`;
    const { status, body } = await putStatus(customer, 'CLOSED', { reason });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { customerId: customer, status: 'CLOSED', creditLimit: eur(1000), available: eur(0), version: 2 },
    });
    expect(Date.parse(body.closedAt!)).not.toBeNaN();
    for (const as of ['operator', { customer }] as const) {
      expect((await getAccount(customer, as)).body).toEqual(body);
      expect(await history(customer, as)).toMatchObject([
        { type: 'AccountOpened' },
        { type: 'AccountClosed', data: { customerId: customer, at: body.closedAt, reason } },
      ]);
    }
    const then = await world.call({ method: 'GET', path: `/accounts/${customer}?version=1`, as: 'operator' });
    expect(then.body).toMatchObject({ status: 'OPEN', available: eur(1000) });
    expect(await world.findCopies(reason)).toEqual([]);
  });

  test('a closing is repeatable, can be reversed, and respects the version that was read', async () => {
    const customer = await customerWith(1000);
    const closed = await putStatus(customer, 'CLOSED');
    expect((await putStatus(customer, 'CLOSED', { ifMatch: 1 })).body).toEqual(closed.body);
    expect(await putStatus(customer, 'OPEN', { ifMatch: 1 })).toMatchObject(problem('conflict'));
    const { body } = await putStatus(customer, 'OPEN', { ifMatch: 2 });
    expect(body).toMatchObject({ status: 'OPEN', available: eur(1000), version: 3 });
    expect(body).not.toHaveProperty('closedAt');
    expect(await typesOf(customer)).toEqual(['AccountOpened', 'AccountClosed', 'AccountReopened']);
  });

  test('lets one of two concurrent changes at one version win', async () => {
    const customer = await customerWith(1000);
    const answers = await Promise.all([
      putStatus(customer, 'CLOSED', { ifMatch: 1 }),
      putLimit(customer, eur(2000), { 'If-Match': '1' }),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  test('rejects an order with a reason that its customer understands, also if its command is delivered again', async () => {
    const customer = world.fresh('customer');
    expect((await putStatus(customer, 'CLOSED')).body).toMatchObject({ status: 'CLOSED', version: 2 });
    const { orderId } = await placed([line(await stocked(1))], { as: { customer } });
    const rejected = await becomes(orderId, 'REJECTED');
    expect(rejected.reason).toBe('ACCOUNT_CLOSED');
    expect((await get(orderId, { customer })).body).toEqual(rejected);
    const { authorize, ...order } = sagaOf(customer);
    expect(await answered(authorize(1))).toMatchObject([
      { type: 'AuthorizationDeclined', data: { orderId: order.orderId, reason: 'OVER_LIMIT', accountClosed: true } },
    ]);
    await putStatus(customer, 'OPEN');
    // The answer of an order is final, whatever the account is now.
    expect(await answered(authorize(1))).toMatchObject([
      { type: 'SagaReplyRequested', data: { outcome: 'REFUSED', reason: 'OVER_LIMIT', accountClosed: true } },
    ]);
    await approved([line(await stocked(1))], { as: { customer } });
  });

  test('captures, releases and refunds what was authorised before', async () => {
    const customer = await customerWith(1000);
    const [first, second] = [sagaOf(customer), sagaOf(customer)];
    for (const { authorize } of [first, second]) await answered(authorize(300));
    await putStatus(customer, 'CLOSED');
    expect(await answered(first.authorize(300))).toMatchObject([{ data: { outcome: 'DONE' } }]);
    for (const [command, type] of [
      [first.capture, 'AuthorizationCaptured'],
      [first.refund('r1', 100), 'AccountRefunded'],
      [second.release, 'AuthorizationReleased'],
    ] as const) {
      expect(await answered(command)).toMatchObject([{ type }]);
    }
    const books = { status: 'CLOSED', authorized: eur(0), captured: eur(300), refunded: eur(100), available: eur(0) };
    expect((await getAccount(customer)).body).toMatchObject(books);
    expect((await putStatus(customer, 'OPEN')).body).toMatchObject({ available: eur(800) });
  });

  test('cancels a paid order, and gives everything back', async () => {
    const customer = world.fresh('customer');
    const as = { customer };
    const { orderId, total } = await approved([line(await stocked(1))], { as });
    await putStatus(customer, 'CLOSED');
    expect((await cancel(orderId, { as })).status).toBe(200);
    await world.eventually('the account has given it back', async () => {
      expect((await getAccount(customer)).body).toMatchObject({ captured: total, refunded: total, settled: eur(0) });
    });
    await shows(orderId, { refunded: total });
  });

  test.runIf(world.makesFaults)(
    `an order whose credit was authorised before is approved all the same ${needsFaults}`,
    async () => {
      const customer = world.fresh('customer');
      const sku = await stocked(1);
      await world.throttle('inventory/on-command', 'TransactWriteItems', { including: sku, times: 1000 });
      const { orderId, total } = await placed([line(sku)], { as: { customer } });
      await world.faultsMet();
      await putStatus(customer, 'CLOSED');
      await world.heal();
      await becomes(orderId, 'APPROVED');
      await world.eventually('the account has captured it', async () => {
        expect((await getAccount(customer)).body).toMatchObject({ status: 'CLOSED', captured: total });
      });
    },
  );

  test('refuses another credit limit and a new bonus; repeats of what succeeded before get their answers', async () => {
    const customer = await customerWith(1000);
    const key = world.fresh('key');
    const first = await bonus(customer, key);
    await putStatus(customer, 'CLOSED');
    expect(await putLimit(customer, eur(2000))).toMatchObject(problem('account-closed'));
    expect(await bonus(customer)).toMatchObject(problem('account-closed'));
    expect((await putLimit(customer, eur(1000))).status).toBe(200);
    expect(await bonus(customer, key)).toMatchObject({ status: 201, text: first.text });
    expect(await typesOf(customer)).toEqual(['AccountOpened', 'BonusApplied', 'AccountClosed']);
  });

  test('refuses new payments, until it is open again; a repeat of an earlier one gets its answer', async () => {
    const customer = await customerWith(1000);
    const key = world.uuid();
    const first = await pay(customer, 100, key);
    await shows(first.body.paymentId, { status: 'CHARGED' });
    await putStatus(customer, 'CLOSED');
    await world.eventually('payments know it', async () =>
      expect(await pay(customer, 100, world.uuid())).toMatchObject(problem('account-closed')),
    );
    expect(await pay(customer, 100, key)).toMatchObject({ status: 201, text: first.text });
    // Money that was paid before is given back as ever.
    const given = await giveBack(customer, first.body.paymentId, world.uuid(), { amount: eur(100) });
    expect(given.status).toBe(201);
    await putStatus(customer, 'OPEN');
    await world.eventually('payments know it', async () =>
      expect((await pay(customer, 100, world.uuid())).status).toBe(201),
    );
  });

  test('leaves the list of accounts without credit', async () => {
    const customer = await customerWith(0);
    const listed = async (): Promise<boolean> => {
      const { items } = (
        await world.call<{ items: readonly AccountView[] }>({
          method: 'GET',
          path: '/accounts?creditExhausted=true&limit=100',
          as: 'operator',
        })
      ).body;
      return items.some(({ customerId }) => customerId === customer);
    };
    await world.eventually('it is listed', async () => expect(await listed()).toBe(true));
    await putStatus(customer, 'CLOSED');
    await world.eventually('it is not listed any more', async () => expect(await listed()).toBe(false));
    await putStatus(customer, 'OPEN');
    await world.eventually('it is listed again', async () => expect(await listed()).toBe(true));
  });

  test('stays open when its customer is forgotten; closed later, it stores no reason', async () => {
    const customer = await customerWith(1000);
    await world.forget(customer);
    expect((await getAccount(customer)).body).toMatchObject({ status: 'OPEN' });
    const reason = world.fresh('reason');
    expect((await putStatus(customer, 'CLOSED', { reason })).body.status).toBe('CLOSED');
    expect((await history(customer, 'operator')).at(-1)!.data).not.toHaveProperty('reason');
    expect(await world.findCopies(reason)).toEqual([]);
  });

  test.each([
    ['an unknown status', { status: 'LOCKED' }],
    ['no status', {}],
    ['an empty reason', { status: 'CLOSED', reason: '' }],
    ['an unknown field', { status: 'CLOSED', at: 'now' }],
  ])('a closing with %s is 400', async (_, body) => {
    const customer = world.fresh('customer');
    const answer = await world.call({ method: 'PUT', path: `/accounts/${customer}/status`, as: 'operator', body });
    expect(answer.status).toBe(400);
    expect((await getAccount(customer)).status).toBe(404);
  });

  test.runIf(world.makesFaults)(`a lost answer leaves one commit ${needsFaults}`, async () => {
    const customer = await customerWith(1);
    await world.loseAnswer('accounts/set-status', 'PutItem', { including: customer });
    expect(await putStatus(customer, 'CLOSED')).toMatchObject({ status: 200, body: { version: 2 } });
    expect(await world.commits('Account', customer)).toHaveLength(2);
  });
});
