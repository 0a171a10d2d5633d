import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { StripeProvider } from '../../../../../lambdas/services/payments/provider/stripe-provider.js';
import { eur } from './provider-suite.js';

/** What Stripe says is given here by hand; that our requests are Stripe's is seen on stripe-mock (stripe-mock.test.ts). */

interface Told {
  readonly line: string;
  readonly key: string | undefined;
  readonly authorization: string | undefined;
  readonly body: URLSearchParams;
}
type Said = { readonly status?: number; readonly body: object } | 'nothing';

const told: Told[] = [];
let says: (line: string) => Said = () => 'nothing';
const secrets: string[] = [];
let provider: StripeProvider;

const server = createServer(async (request, response) => {
  const line = `${request.method} ${decodeURIComponent(request.url ?? '')}`;
  const body = new URLSearchParams(await textOf(request));
  told.push({
    line,
    key: request.headers['idempotency-key'] as string,
    authorization: request.headers.authorization,
    body,
  });
  const said = says(line);
  if (said === 'nothing') return request.socket.destroy();
  response.writeHead(said.status ?? 200, { 'content-type': 'application/json' }).end(JSON.stringify(said.body));
});

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  told.length = 0;
  secrets.length = 0;
  const { port } = server.address() as AddressInfo;
  const secret = async () => {
    secrets.push(`sk_test_${secrets.length + 1}`);
    return secrets.at(-1) ?? '';
  };
  provider = new StripeProvider(secret, { host: '127.0.0.1', port, protocol: 'http' });
});

const error = (status: number, error: object): Said => ({ status, body: { error } });
const confirm = () => provider.confirm({ key: 'p1:charge', providerId: 'pi_1' });
const refund = () => provider.refund({ key: 'p1:refund:r1', providerId: 'pi_1', refundId: 'r1', amount: eur(300) });

describe('an object at Stripe', () => {
  const wanted = { key: 'p1:create', paymentId: 'p1', accountId: 'bob', amount: eur(1000) };
  const bob = {
    id: 'cus_1',
    metadata: { orderly_account: 'bob' },
    invoice_settings: { default_payment_method: 'pm_1' },
  };

  test('is made under its key, for the customer of the account, and is not confirmed', async () => {
    says = (line) => ({ body: line.includes('customers') ? { data: [bob] } : { id: 'pi_1' } });
    expect(await provider.create(wanted)).toBe('pi_1');
    const [search, create] = told;
    expect(search?.line).toContain(`query=metadata['orderly_account']:"bob"`);
    expect(create).toMatchObject({
      line: 'POST /v1/payment_intents',
      key: 'p1:create',
      authorization: 'Bearer sk_test_1',
    });
    expect(Object.fromEntries(create?.body ?? [])).toMatchObject({
      amount: '1000',
      currency: 'eur',
      customer: 'cus_1',
      payment_method: 'pm_1',
      'metadata[orderly_payment]': 'p1',
    });
    expect(create?.body.has('confirm')).toBe(false);
  });

  test.each([
    ['customer', []],
    ['payment method', [{ ...bob, invoice_settings: { default_payment_method: null } }]],
  ])('is none where the account has no %s', async (_, data) => {
    says = () => ({ body: { data } });
    await expect(provider.create(wanted)).rejects.toMatchObject({ name: 'ProviderRefused', code: 'NO_PAYMENT_METHOD' });
    expect(told.map(({ line }) => line.split('?')[0])).toEqual(['GET /v1/customers/search', 'GET /v1/customers']);
  });

  test.each([
    ['nobody', []],
    ['no payment method', [{ ...bob, invoice_settings: { default_payment_method: null } }]],
  ])('is made for a new customer, of whom a search knows %s yet', async (_, searched) => {
    const newest = [{ ...bob, id: 'cus_2', metadata: { orderly_account: 'eve' } }, bob];
    says = (line) => {
      if (line.startsWith('POST')) return { body: { id: 'pi_1' } };
      return { body: { data: line.includes('search') ? searched : newest } };
    };
    expect(await provider.create(wanted)).toBe('pi_1');
    expect(told.at(-1)?.body.get('customer')).toBe('cus_1');
  });

  test.each(['ISK', 'UGX', 'MGA'])(
    'is refused in %s, whose unit at Stripe is not that of ISO 4217',
    async (currency) => {
      const inIt = { ...wanted, amount: { amount: 1000, currency } };
      await expect(provider.create(inIt)).rejects.toMatchObject({
        name: 'ProviderRefused',
        code: 'CURRENCY_IN_ANOTHER_UNIT',
      });
      expect(told).toEqual([]);
    },
  );

  // Without decimals, with three, and with two that Stripe leaves out in payouts only.
  test.each(['JPY', 'KRW', 'KWD', 'HUF', 'TWD'])('is made in %s, with the amount as it is', async (currency) => {
    says = (line) => ({ body: line.includes('customers') ? { data: [bob] } : { id: 'pi_1' } });
    await provider.create({ ...wanted, amount: { amount: 1000, currency } });
    expect(Object.fromEntries(told.at(-1)?.body ?? [])).toMatchObject({
      amount: '1000',
      currency: currency.toLowerCase(),
    });
  });
});

describe('a charge at Stripe', () => {
  test('is confirmed by the object’s id, under its key, without the customer', async () => {
    says = () => ({ body: { id: 'pi_1', status: 'succeeded' } });
    expect(await confirm()).toEqual({ status: 'CHARGED' });
    expect(told[0]).toMatchObject({ line: 'POST /v1/payment_intents/pi_1/confirm', key: 'p1:charge' });
    expect(told[0]?.body.get('off_session')).toBe('true');
  });

  test.each([
    ['insufficient_funds', 'INSUFFICIENT_FUNDS'],
    ['expired_card', 'CARD_EXPIRED'],
    ['authentication_required', 'AUTHENTICATION_REQUIRED'],
    ['do_not_honor', 'CARD_DECLINED'],
  ])('declined for %s is declined', async (decline_code, reason) => {
    says = () => error(402, { type: 'card_error', code: 'card_declined', decline_code });
    expect(await confirm()).toEqual({ status: 'DECLINED', reason });
  });

  test.each([
    [{ status: 'requires_confirmation' }, undefined],
    [{ status: 'succeeded' }, { status: 'CHARGED' }],
    [{ status: 'canceled' }, { status: 'DECLINED', reason: 'REFUSED_BY_PROVIDER' }],
    [
      { status: 'requires_payment_method', last_payment_error: { code: 'expired_card' } },
      { status: 'DECLINED', reason: 'CARD_EXPIRED' },
    ],
  ])('that is asked for is what the object says (%o)', async (body, charge) => {
    says = () => ({ body: { id: 'pi_1', last_payment_error: null, ...body } });
    expect(await provider.chargeOf('pi_1')).toEqual(charge);
    expect(told[0]?.line).toBe('GET /v1/payment_intents/pi_1');
  });

  test('that is worked on is undecided, and nobody says that there is none', async () => {
    says = () => ({ body: { id: 'pi_1', status: 'processing', last_payment_error: null } });
    await expect(confirm()).rejects.toMatchObject({ name: 'ProviderUndecided' });
    await expect(provider.chargeOf('pi_1')).rejects.toMatchObject({ name: 'ProviderUnavailable', code: 'PROCESSING' });
  });
});

describe('an object at Stripe', () => {
  const cancel = () => provider.cancel({ key: 'p1:cancel', providerId: 'pi_1' });

  test('is cancelled by its id, under a key', async () => {
    says = () => ({ body: { id: 'pi_1', status: 'canceled' } });
    expect(await cancel()).toEqual({ status: 'DECLINED', reason: 'REFUSED_BY_PROVIDER' });
    expect(told[0]).toMatchObject({ line: 'POST /v1/payment_intents/pi_1/cancel', key: 'p1:cancel' });
  });

  test('that was charged is not cancelled', async () => {
    says = () => error(400, { type: 'invalid_request_error', code: 'payment_intent_unexpected_state' });
    await expect(cancel()).rejects.toMatchObject({ name: 'ProviderRefused', code: 'payment_intent_unexpected_state' });
  });
});

describe('a refund at Stripe', () => {
  test('is made under its key and found by its id', async () => {
    says = () => ({ body: { id: 're_1', status: 'succeeded' } });
    expect(await refund()).toEqual({ status: 'REFUNDED' });
    expect(told[0]).toMatchObject({ line: 'POST /v1/refunds', key: 'p1:refund:r1' });
    expect(Object.fromEntries(told[0]?.body ?? [])).toEqual({
      payment_intent: 'pi_1',
      amount: '300',
      'metadata[orderly_refund]': 'r1',
    });
    const others = [
      { status: 'succeeded', metadata: {} },
      { status: 'failed', metadata: { orderly_refund: 'r1' } },
    ];
    says = () => ({ body: { data: others } });
    expect(await provider.refundOf('pi_1', 'r1')).toEqual({ status: 'FAILED' });
    expect(await provider.refundOf('pi_1', 'r2')).toBeUndefined();
  });
});

describe('what Stripe answers', () => {
  test.each([
    [500, { type: 'api_error' }, 'ProviderUndecided'],
    [429, { type: 'invalid_request_error', code: 'rate_limit' }, 'ProviderUnavailable'],
    [429, { type: 'invalid_request_error', code: 'lock_timeout' }, 'ProviderUnavailable'],
    [400, { type: 'invalid_request_error', code: 'rate_limit' }, 'ProviderUnavailable'],
    [409, { type: 'idempotency_error', code: 'idempotency_key_in_use' }, 'ProviderUnavailable'],
    [403, { type: 'invalid_request_error' }, 'ProviderUnavailable'],
    [400, { type: 'idempotency_error' }, 'ProviderUndecided'],
    [424, { type: 'api_error' }, 'ProviderUndecided'],
    [400, { type: 'invalid_request_error', code: 'charge_already_refunded' }, 'ProviderRefused'],
  ])('with %d %o is %s, and is asked once', async (status, body, name) => {
    says = () => error(status, body);
    await expect(refund()).rejects.toMatchObject({ name });
    expect(told).toHaveLength(1);
  });

  test('by no answer at all is to be tried again under the same key', async () => {
    says = () => 'nothing';
    await expect(refund()).rejects.toMatchObject({ name: 'ProviderUnavailable' });
    // Stripe's client itself tries a closed connection once more.
    expect(new Set(told.map(({ key }) => key))).toEqual(new Set(['p1:refund:r1']));
  });

  test('by refusing the secret makes it be read again: it may have been rotated', async () => {
    says = () => error(401, { type: 'invalid_request_error' });
    await expect(refund()).rejects.toMatchObject({ name: 'ProviderUnavailable' });
    says = () => ({ body: { id: 're_1', status: 'succeeded' } });
    await refund();
    await refund();
    expect(told.map(({ authorization }) => authorization)).toEqual([1, 2, 2].map((n) => `Bearer sk_test_${n}`));
  });
});
