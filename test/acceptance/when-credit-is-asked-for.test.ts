import { afterEach, describe, expect, test } from 'vitest';
import { needsFaults, world } from '../support/world.js';
import { answered, answerTo, customerWith, eur, getAccount, putLimit, sagaOf } from './accounts.js';
import { queued, toAccounts } from './messages.js';

const CONSUMER = 'accounts-commands';

const recorded = (id: string) =>
  world.eventually(`${id} is recorded`, async () => {
    const record = await world.readRecord(CONSUMER, id);
    expect(record).toBeDefined();
    return record;
  });

/** Returns the reason of a failure. The index of failures follows the records. */
const failureOf = (id: string) =>
  world.eventually(`${id} is in the list of failures`, async () => {
    const [record] = await world.failures(CONSUMER, id);
    const [reason] = record?.failures ?? [];
    if (!reason) throw new Error('not yet');
    return reason;
  });

describe('when credit is asked for', () => {
  afterEach(() => world.heal());

  test('the first order opens the account with the default limit, and authorises its amount', async () => {
    const customer = world.fresh('customer');
    const { orderId, authorize } = sagaOf(customer);
    const stepId = `${orderId}/authorize`;
    expect(await answered(authorize(600))).toMatchObject([
      { type: 'AccountOpened', subject: `Account/${customer}`, sequence: 1, data: { customerId: customer } },
      {
        type: 'AccountAuthorized',
        sequence: 2,
        correlationid: 'scenario',
        actor: 'service:accounts',
        data: { orderId, stepId, amount: eur(600) },
      },
    ]);
    const { body } = await getAccount(customer);
    expect(body).toMatchObject({ authorized: eur(600), captured: eur(0), refunded: eur(0), version: 2 });
    expect(body.available.amount).toBe(body.creditLimit.amount - 600);
  });

  test('authorises, captures and refunds in parts, each step once', async () => {
    const customer = await customerWith(1000);
    const { authorize, capture, refund, release } = sagaOf(customer);
    const way = [authorize(700), capture, refund('r1', 200), refund('r2', 500)];
    for (const command of way) await answered(command);
    const after = { authorized: eur(0), captured: eur(700), refunded: eur(700), available: eur(1000) };
    expect((await getAccount(customer)).body).toMatchObject({ ...after, version: 5 });
    for (const command of way) {
      const { stepId } = command.data;
      expect(await answered(command)).toMatchObject([
        { type: 'SagaReplyRequested', data: { stepId, outcome: 'DONE' } },
      ]);
    }
    const refused = async (command: typeof capture, reason: string) =>
      expect(await answered(command)).toMatchObject([{ data: { outcome: 'REFUSED', reason } }]);
    await refused(refund('r3', 1), 'OVER_CAPTURED');
    await refused(release, 'ALREADY_CAPTURED');
    expect((await getAccount(customer)).body).toMatchObject(after);
  });

  test('declines an amount above the limit, and keeps that answer when the limit is raised', async () => {
    const customer = await customerWith(1000);
    const [one, other] = [sagaOf(customer), sagaOf(customer)];
    await answered(one.authorize(700));
    expect(await answered(other.authorize(301))).toMatchObject([
      { type: 'AuthorizationDeclined', data: { reason: 'OVER_LIMIT', amount: eur(301) } },
    ]);
    await putLimit(customer, eur(5000));
    expect(await answered(other.authorize(301))).toMatchObject([
      { type: 'SagaReplyRequested', data: { outcome: 'REFUSED', reason: 'OVER_LIMIT' } },
    ]);
    expect((await getAccount(customer)).body).toMatchObject({ authorized: eur(700), available: eur(4300) });
  });

  test('a release that comes first refuses the late authorisation', async () => {
    const customer = await customerWith(1000);
    const { release, authorize, capture } = sagaOf(customer);
    expect(await answered(release)).toMatchObject([{ type: 'AuthorizationVoided' }]);
    for (const late of [authorize(100), capture]) {
      expect(await answered(late)).toMatchObject([{ data: { outcome: 'REFUSED', reason: 'RELEASED' } }]);
    }
    expect((await getAccount(customer)).body).toMatchObject({ available: eur(1000) });
  });

  test('a release for a customer without an account opens none', async () => {
    const customer = world.fresh('customer');
    await answered(sagaOf(customer).release);
    expect((await getAccount(customer)).status).toBe(404);
    await answered(sagaOf(customer).authorize(1));
    expect((await getAccount(customer)).body).toMatchObject({ authorized: eur(1), version: 3 });
  });

  test('authorises ten of twenty concurrent orders if the limit covers ten', async () => {
    const customer = await customerWith(1000);
    const messages = Array.from({ length: 20 }, () => toAccounts(sagaOf(customer).authorize(100)));
    await world.publish(...messages);
    const answers = (await Promise.all(messages.map(answerTo))).flat();
    expect(answers.filter(({ type }) => type === 'AccountAuthorized')).toHaveLength(10);
    expect(answers.filter(({ type }) => type === 'AuthorizationDeclined')).toHaveLength(10);
    expect((await getAccount(customer)).body).toMatchObject({ authorized: eur(1000), available: eur(0) });
  });

  test('five concurrent deliveries of one message, and its retries, authorise the amount once', async () => {
    const customer = await customerWith(1000);
    const { authorize } = sagaOf(customer);
    const [message, ...retries] = [1, 2, 3].map(() => toAccounts(authorize(400)));
    await world.send(CONSUMER, ...Array.from({ length: 5 }, () => queued(message!)), ...retries.map(queued));
    for (const { id } of [message!, ...retries]) await recorded(id);
    await world.eventually('each delivery came to an end', async () => {
      const { applied, duplicate } = await world.deliveries(CONSUMER, message!.id);
      expect(applied + duplicate).toBe(5);
    });
    const events = await world.events({ aggregate: 'Account', id: customer });
    const types = events.map(({ type }) => type);
    expect(types.filter((type) => type === 'AccountAuthorized')).toHaveLength(1);
    expect(types.filter((type) => type === 'SagaReplyRequested')).toHaveLength(2);
    expect((await getAccount(customer)).body).toMatchObject({ authorized: eur(400) });
  });

  test('the same order with another amount becomes a failure that an operator sees', async () => {
    const customer = await customerWith(1000);
    const { authorize } = sagaOf(customer);
    await answered(authorize(400));
    const other = toAccounts(authorize(500));
    await world.publish(other);
    expect((await recorded(other.id))?.status).toBe('FAILED');
    expect(await failureOf(other.id)).toMatchObject({ name: 'AccountRefused', message: 'AMOUNT_DIFFERS' });
    expect((await getAccount(customer)).body).toMatchObject({ authorized: eur(400) });
  });

  test('an invalid command becomes a failure, and no other message waits', async () => {
    const customer = await customerWith(1000);
    const { authorize } = sagaOf(customer);
    const good = toAccounts(authorize(100));
    const wrong = [
      toAccounts(authorize(1), { to: 'payments', dataschema: 'urn:orderly:payments:AuthorizeAccount:1' }),
      toAccounts(authorize(1), { data: { ...authorize(1).data, amount: eur(-1) } }),
    ];
    await world.send(CONSUMER, ...wrong.map(queued), queued(good));
    await answerTo(good);
    const reasons = ['UNKNOWN_TYPE', 'INVALID_DATA'];
    for (const [at, { id }] of wrong.entries()) {
      expect((await recorded(id))?.status).toBe('FAILED');
      expect((await failureOf(id)).message).toMatch(new RegExp(`^${reasons[at]}: `));
    }
    expect((await getAccount(customer)).body).toMatchObject({ authorized: eur(100) });
  });

  test('a command for another service never reaches accounts', async () => {
    const customer = await customerWith(1000);
    const { authorize } = sagaOf(customer);
    const other = toAccounts(authorize(1), { to: 'payments', dataschema: 'urn:orderly:payments:AuthorizeAccount:1' });
    await world.publish(other);
    await answered(authorize(1));
    expect(await world.readRecord(CONSUMER, other.id)).toBeUndefined();
  });

  test.runIf(world.makesFaults)(
    `crashes between the write and its acknowledgement: the amount is authorised once ${needsFaults}`,
    async () => {
      const customer = await customerWith(1000);
      const message = toAccounts(sagaOf(customer).authorize(300));
      await world.crash('accounts/on-command', 'afterWrite', { including: message.id });
      await world.publish(message);
      await world.faultsMet();
      await world.eventually('it was delivered again', async () => {
        // Where its write was that into the lane, the lane applies it.
        const { applied, duplicate } = await world.deliveries(CONSUMER, message.id);
        expect(applied + duplicate).toBe(1);
      });
      await answerTo(message);
      expect((await getAccount(customer)).body).toMatchObject({ authorized: eur(300), version: 2 });
    },
  );
});
