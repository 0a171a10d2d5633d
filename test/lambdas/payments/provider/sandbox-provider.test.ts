import { randomUUID } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { SandboxProvider } from '../../../../lambdas/payments/provider/sandbox-provider.js';
import { documentClient } from '../../../../packages/kit/aws/dynamodb.js';
import { dynamoDbTable } from '../../../../packages/kit/aws/table.js';
import { inProcessDynamoDb } from '../../../support/in-process-dynamodb.js';
import { eur, providerSuite } from './provider-suite.js';

const sandbox = new SandboxProvider(dynamoDbTable('sandbox'));
beforeAll(() => void inProcessDynamoDb({ sandbox: ['pk'] }));
afterEach(() => void vi.useRealTimers());

providerSuite('the sandbox', () => sandbox);

async function prepared(amount: number) {
  const paymentId = randomUUID();
  const wanted = { key: paymentId, paymentId, accountId: 'bob', amount: eur(amount) };
  const { providerId, method } = await sandbox.create(wanted);
  const confirm = (key = `${paymentId}:charge`) => sandbox.confirm({ key, providerId });
  const tally = async () => {
    const { Item } = await documentClient.send(
      new GetCommand({ TableName: 'sandbox', Key: { pk: `TALLY#${paymentId}` } }),
    );
    return { charges: Item?.charges ?? 0, charged: Item?.chargeSum ?? 0, refunds: Item?.refunds ?? 0 };
  };
  return { providerId, method, confirm, tally };
}
const hoursLater = (hours: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 });
const undecided = { name: 'ProviderUndecided' };

describe('the sandbox, by amount', () => {
  test('402.00 declines', async () => {
    const { confirm, providerId, tally } = await prepared(40200);
    const declined = { status: 'DECLINED', reason: 'INSUFFICIENT_FUNDS' };
    expect(await confirm()).toEqual(declined);
    expect(await sandbox.findCharge(providerId)).toEqual(declined);
    expect(await tally()).toMatchObject({ charges: 0 });
  });

  test('302.00 is charged by another payment method, and the next amount by the first one again', async () => {
    const methods = await Promise.all([1000, 30200, 1000].map(async (amount) => (await prepared(amount)).method));
    expect(methods).toEqual([methods[0], expect.any(String), methods[0]]);
    expect(methods[1]).not.toBe(methods[0]);
    const { confirm, tally } = await prepared(30200);
    expect(await confirm()).toEqual({ status: 'CHARGED' });
    expect(await tally()).toMatchObject({ charges: 1, charged: 30200 });
  });

  test('402.00 of a larger charge is given back', async () => {
    const { confirm, providerId, tally } = await prepared(60000);
    expect(await confirm()).toEqual({ status: 'CHARGED' });
    const refund = { key: randomUUID(), providerId, refundId: 'r1', amount: eur(40200) };
    expect(await sandbox.refund(refund)).toEqual({ status: 'REFUNDED' });
    expect(await tally()).toEqual({ charges: 1, charged: 60000, refunds: 1 });
  });

  test('410.00 is charged, and never given back, under whatever key and id', async () => {
    const { confirm, providerId, tally } = await prepared(41000);
    expect(await confirm()).toEqual({ status: 'CHARGED' });
    for (const refundId of ['r1', 'r1', 'r2']) {
      const refund = sandbox.refund({ key: randomUUID(), providerId, refundId, amount: eur(41000) });
      await expect(refund).rejects.toMatchObject({ name: 'ProviderRefused', code: 'CARD_GONE' });
      expect(await sandbox.findRefund(providerId, refundId)).toBeUndefined();
    }
    expect(await tally()).toEqual({ charges: 1, charged: 41000, refunds: 0 });
  });

  test('410.01 is charged; its first refund is refused under its key, and a later one is made', async () => {
    const { confirm, providerId, tally } = await prepared(41001);
    expect(await confirm()).toEqual({ status: 'CHARGED' });
    const refund = (refundId: string) => ({ key: refundId, providerId, refundId, amount: eur(41001) });
    for (const _ of ['first', 'repeated']) {
      const first = sandbox.refund(refund(`${providerId}-r1`));
      await expect(first).rejects.toMatchObject({ name: 'ProviderRefused', code: 'CARD_GONE' });
    }
    expect(await sandbox.refund(refund(`${providerId}-r2`))).toEqual({ status: 'REFUNDED' });
    expect(await tally()).toEqual({ charges: 1, charged: 41001, refunds: 1 });
  });

  test('500.00 fails under every key, and does nothing', async () => {
    const { confirm, providerId, tally } = await prepared(50000);
    await expect(confirm()).rejects.toMatchObject(undecided);
    await expect(confirm('another:2')).rejects.toMatchObject(undecided);
    expect(await sandbox.findCharge(providerId)).toBeUndefined();
    expect(await tally()).toMatchObject({ charges: 0 });
  });

  test('500.01 is charged, and its answer stays a failure', async () => {
    const { confirm, providerId, tally } = await prepared(50001);
    await expect(confirm()).rejects.toMatchObject(undecided);
    await expect(confirm()).rejects.toMatchObject(undecided);
    expect(await sandbox.findCharge(providerId)).toEqual({ status: 'CHARGED' });
    expect(await tally()).toMatchObject({ charges: 1, charged: 50001 });
  });

  test('500.02 fails once: another key works', async () => {
    const { confirm, tally } = await prepared(50002);
    await expect(confirm()).rejects.toMatchObject(undecided);
    await expect(confirm()).rejects.toMatchObject(undecided);
    expect(await confirm('again:2')).toEqual({ status: 'CHARGED' });
    expect(await tally()).toMatchObject({ charges: 1 });
  });

  test('504.00 is charged, and the first answer never arrives', async () => {
    const { confirm, tally } = await prepared(50400);
    await expect(confirm()).rejects.toMatchObject({ name: 'ProviderUnavailable' });
    expect(await confirm()).toEqual({ status: 'CHARGED' });
    expect(await tally()).toMatchObject({ charges: 1 });
  });

  test('202.00 is worked on for ten seconds', async () => {
    const { confirm, providerId, tally } = await prepared(20200);
    await expect(confirm()).rejects.toMatchObject(undecided);
    await expect(sandbox.findCharge(providerId)).rejects.toMatchObject({ code: 'PROCESSING' });
    hoursLater(1);
    expect(await sandbox.findCharge(providerId)).toEqual({ status: 'CHARGED' });
    expect(await tally()).toMatchObject({ charges: 1 });
  });
});

test('the sandbox forgets a key after 24 hours, not before', async () => {
  const { confirm, providerId, tally } = await prepared(1000);
  await confirm();
  const refund = () => sandbox.refund({ key: providerId, providerId, refundId: 'r', amount: eur(100) });
  await refund();
  hoursLater(23.9);
  await refund();
  expect(await tally()).toMatchObject({ refunds: 1 });
  hoursLater(0.2);
  await refund();
  expect(await tally()).toMatchObject({ refunds: 2 });
});

test('the sandbox carries out one of a charge and its cancellation at once', async () => {
  for (let time = 0; time < 5; time++) {
    const { confirm, providerId, tally } = await prepared(1000);
    const cancel = () => sandbox.cancel({ key: `${providerId}:cancel`, providerId });
    const both = time % 2 ? [confirm(), cancel()] : [cancel(), confirm()];
    expect((await Promise.allSettled(both)).map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const { status } = (await sandbox.findCharge(providerId)) ?? {};
    expect(await tally()).toMatchObject({ charges: status === 'CHARGED' ? 1 : 0 });
  }
});

test('the sandbox carries out one of two calls at once with one key', async () => {
  const { confirm, tally } = await prepared(1000);
  expect(await Promise.all([confirm(), confirm(), confirm()])).toEqual(Array(3).fill({ status: 'CHARGED' }));
  expect(await tally()).toMatchObject({ charges: 1 });
});

test.each([
  [10, 'EUR'],
  [49, 'JPY'],
  [1_000_000_000, 'EUR'],
  [5_124, 'KWD'],
  [100, 'ISK'],
  [100, 'XXX'],
])('the sandbox charges no %i %s, as Stripe does not', async (amount, currency) => {
  const paymentId = randomUUID();
  const wanted = { key: paymentId, paymentId, accountId: 'bob', amount: { amount, currency } };
  for (let times = 0; times < 2; times++)
    await expect(sandbox.create(wanted)).rejects.toMatchObject({
      name: 'ProviderRefused',
      code: 'AMOUNT_NOT_CHARGEABLE',
    });
});
