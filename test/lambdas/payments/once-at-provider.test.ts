import { randomUUID } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Context } from 'aws-lambda';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { callProviderOnce } from '../../../lambdas/payments/call-provider-once.js';
import { GuardedProvider } from '../../../lambdas/payments/provider/guarded-provider.js';
import type { PaymentProvider, Refund } from '../../../lambdas/payments/provider/payment-provider.js';
import { SandboxProvider } from '../../../lambdas/payments/provider/sandbox-provider.js';
import { clock } from '../../../packages/kit/aws/clock.js';
import { documentClient } from '../../../packages/kit/aws/dynamodb.js';
import { dynamoDbTable } from '../../../packages/kit/aws/table.js';
import { inProcessDynamoDb } from '../../support/in-process-dynamodb.js';
import { eur } from './provider/provider-suite.js';

/** Refunds first: unlike the charge of one object, a provider would make one twice without any complaint of its own. */

beforeAll(() => void inProcessDynamoDb({ sandbox: ['pk'], guard: ['pk'] }));
afterEach(() => void vi.useRealTimers());

const FUNCTION_SECONDS = 20;
const sandbox = new SandboxProvider(dynamoDbTable('sandbox'));
let paymentId = '';
let providerId = '';
/** When the refund was asked for. */
let since = '';

beforeEach(async () => {
  paymentId = randomUUID();
  const wanted = { key: `${paymentId}:create`, paymentId, accountId: 'bob', amount: eur(200_000) };
  ({ providerId } = await sandbox.create(wanted));
  await sandbox.confirm({ key: `${paymentId}:charge`, providerId });
  since = clock.now();
});

const wanted = (key: string, amount: number) => ({ key, providerId, refundId: 'r1', amount: eur(amount) });
const later = (seconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 });
const HOUR = 3600;

/** A function that begins now, in an environment of its own. */
function environment(provider: PaymentProvider = sandbox): PaymentProvider {
  const guarded = new GuardedProvider(provider, 'guard', 'payments-provider');
  const ends = Date.now() + FUNCTION_SECONDS * 1000;
  guarded.registerContext({ getRemainingTimeInMillis: () => ends - Date.now() } as Context);
  return guarded;
}

/** The provider does it, and the process dies before anything can be noted. */
const dying: PaymentProvider = {
  create: (one) => sandbox.create(one),
  confirm: (one) => done(sandbox.confirm(one)),
  cancel: (one) => sandbox.cancel(one),
  findCharge: (id) => sandbox.findCharge(id),
  findRefund: (id, refundId) => sandbox.findRefund(id, refundId),
  refund: (one) => done(sandbox.refund(one)),
};
let died = () => {};

async function done<T>(effect: Promise<T>): Promise<T> {
  await effect;
  died();
  return new Promise(() => undefined);
}

async function crashed(call: (provider: PaymentProvider) => Promise<unknown>): Promise<void> {
  await new Promise<void>((resolve) => {
    died = resolve;
    void call(environment(dying));
  });
}

const byTheRules = (provider: PaymentProvider, amount = 1000): Promise<Refund> =>
  callProviderOnce({
    key: `${paymentId}:refund:r1`,
    since,
    act: (key) => provider.refund(wanted(key, amount)),
    ask: () => provider.findRefund(providerId, 'r1'),
  });

async function made(what: 'charges' | 'refunds'): Promise<number> {
  const { Item } = await documentClient.send(
    new GetCommand({ TableName: 'sandbox', Key: { pk: `TALLY#${paymentId}` } }),
  );
  return Item?.[what] ?? 0;
}
const refunds = () => made('refunds');

describe('the guard of Powertools', () => {
  test('gives a repeat the first answer, without another call', async () => {
    const refund = vi.fn((one: Parameters<PaymentProvider['refund']>[0]) => sandbox.refund(one));
    for (let time = 0; time < 3; time++) {
      expect(await byTheRules(environment({ ...dying, refund }))).toEqual({ status: 'REFUNDED' });
    }
    expect(refund).toHaveBeenCalledTimes(1);
  });

  test('lets one of two at once pass', async () => {
    await crashed(byTheRules);
    await expect(byTheRules(environment())).rejects.toThrow('already an execution in progress');
  });

  test('gives a refund twice if the process dies between the refund and its record, a day later', async () => {
    const guardOnly = (provider: PaymentProvider) => provider.refund(wanted('the same key', 1000));
    await crashed(guardOnly);
    later(25 * HOUR);
    await guardOnly(environment());
    expect(await refunds()).toBe(2);
  });

  test('runs it again already after the function’s time; there the provider’s own key holds', async () => {
    const refund = vi.fn((one: Parameters<PaymentProvider['refund']>[0]) => sandbox.refund(one));
    await crashed(byTheRules);
    later(FUNCTION_SECONDS + 1);
    await byTheRules(environment({ ...dying, refund }));
    expect(refund).toHaveBeenCalledTimes(1);
    expect(await refunds()).toBe(1);
  });
});

describe('a refund by the rules', () => {
  test.each([0.1, 22, 23.5, 24.5, 72])('a refund is made once if its process died %d hours before', async (hours) => {
    await crashed(byTheRules);
    later(hours * HOUR);
    expect(await byTheRules(environment())).toEqual({ status: 'REFUNDED' });
    later(25 * HOUR);
    expect(await byTheRules(environment())).toEqual({ status: 'REFUNDED' });
    expect(await refunds()).toBe(1);
  });

  test('a refund is made once if the provider made it, and answers with a permanent failure', async () => {
    expect(await byTheRules(environment(), 50001)).toEqual({ status: 'REFUNDED' });
    expect(await refunds()).toBe(1);
  });

  test('a refund is made once, under another key, if the provider failed and did nothing', async () => {
    expect(await byTheRules(environment(), 50002)).toEqual({ status: 'REFUNDED' });
    expect(await byTheRules(environment(), 50002)).toEqual({ status: 'REFUNDED' });
    expect(await refunds()).toBe(1);
  });

  test('a refund is made once if nothing was ever done, also three days late', async () => {
    later(72 * HOUR);
    expect(await byTheRules(environment())).toEqual({ status: 'REFUNDED' });
    expect(await refunds()).toBe(1);
  });
});

test('a refund that fails under every key is left to an operator', async () => {
  await expect(byTheRules(environment(), 50000)).rejects.toMatchObject({ name: 'PaymentUnclear' });
  expect(await refunds()).toBe(0);
});

test('a call without an answer is tried again under its own key', async () => {
  await expect(byTheRules(environment(), 50400)).rejects.toMatchObject({ name: 'ProviderUnavailable' });
  expect(await byTheRules(environment(), 50400)).toEqual({ status: 'REFUNDED' });
  expect(await refunds()).toBe(1);
});

describe('a charge whose process died before it was noted', () => {
  const wantedCharge = () => ({ key: `${paymentId}:create`, paymentId, accountId: 'bob', amount: eur(1000) });
  const charge = (provider: PaymentProvider) => provider.confirm({ key: `${paymentId}:charge`, providerId });

  beforeEach(async () => {
    paymentId = randomUUID();
    // Committed before anything is charged.
    ({ providerId } = await sandbox.create(wantedCharge()));
  });

  test('a charge is made twice a day later, by the guard alone, if the object is made with it', async () => {
    const atOnce = async (provider: PaymentProvider) => {
      ({ providerId } = await provider.create(wantedCharge()));
      return charge(provider);
    };
    await crashed(atOnce);
    later(25 * HOUR);
    expect(await atOnce(environment())).toEqual({ status: 'CHARGED' });
    expect(await made('charges')).toBe(2);
  });

  test('a charge is reported as refused a day later, by the guard alone, if the object is the same', async () => {
    await crashed(charge);
    later(25 * HOUR);
    await expect(charge(environment())).rejects.toMatchObject({ name: 'ProviderRefused' });
    expect(await made('charges')).toBe(1);
  });

  test.each([0.1, 22, 23.5, 24.5, 72])(
    'a charge is made and reported once by the rules, %d hours later',
    async (hours) => {
      const chargeByTheRules = (provider: PaymentProvider) =>
        callProviderOnce({
          key: `${paymentId}:charge`,
          since,
          act: (key) => provider.confirm({ key, providerId }),
          ask: () => provider.findCharge(providerId),
        });
      await crashed(chargeByTheRules);
      later(hours * HOUR);
      expect(await chargeByTheRules(environment())).toEqual({ status: 'CHARGED' });
      expect(await made('charges')).toBe(1);
    },
  );
});
