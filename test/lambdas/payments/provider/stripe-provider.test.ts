import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { StripeCustomers } from '../../../../lambdas/payments/provider/stripe-customers.js';
import { StripeProvider } from '../../../../lambdas/payments/provider/stripe-provider.js';
import { inProcessDynamoDb } from '../../../support/in-process-dynamodb.js';
import { eur } from './provider-suite.js';

/** Tests with answers of Stripe that are written by hand. stripe-mock.test.ts shows that Stripe takes our requests. */

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
const customers = new StripeCustomers('table');
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
  inProcessDynamoDb({ table: ['pk', 'sk'] });
  const { port } = server.address() as AddressInfo;
  const secret = async () => {
    secrets.push(`sk_test_${secrets.length + 1}`);
    return secrets.at(-1) ?? '';
  };
  provider = new StripeProvider(secret, customers, { host: '127.0.0.1', port, protocol: 'http' });
});

const error = (status: number, error: object): Said => ({ status, body: { error } });
const confirm = () => provider.confirm({ key: 'p1:charge', providerId: 'pi_1' });
const refund = () => provider.refund({ key: 'p1:refund:r1', providerId: 'pi_1', refundId: 'r1', amount: eur(300) });

const wanted = { key: 'p1:create', paymentId: 'p1', accountId: 'bob', amount: eur(1000) };
const customerOf = (account: string, id: string, method: string | null = 'pm_1') => ({
  id,
  metadata: { orderly_account: account },
  invoice_settings: { default_payment_method: method },
});
const bob = customerOf('bob', 'cus_1');
const object: Said = { body: { id: 'pi_1' } };

/** Answers of Stripe's search, list and single reads of customers; every other request makes an object. */
const knowing =
  (
    searched: readonly object[],
    newest: readonly object[] = [],
    read: Readonly<Record<string, Said>> = {},
  ): typeof says =>
  (line) => {
    if (line.startsWith('GET /v1/customers/search')) return { body: { data: searched, has_more: false } };
    if (line.startsWith('GET /v1/customers?')) return { body: { data: newest, has_more: true } };
    const [, id = ''] = /^GET \/v1\/customers\/(\w+)$/.exec(line) ?? [];
    return read[id] ?? object;
  };
const paths = () => told.map(({ line }) => line.split('?')[0]);
const charged = () => told.filter(({ line }) => line.startsWith('POST')).map(({ body }) => body.get('customer'));

describe('an object at Stripe', () => {
  test('an object is made under its key, for the customer of the account, and is not confirmed', async () => {
    says = knowing([bob]);
    expect(await provider.create(wanted)).toEqual({ providerId: 'pi_1' });
    const [search, create] = told;
    expect(search?.line).toContain(`query=metadata['orderly_account']:"bob"`);
    expect(search?.line).toContain('limit=100');
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
      // Otherwise the fee would be known later than the charge.
      capture_method: 'automatic',
      'expand[0]': 'payment_method',
    });
    expect(create?.body.has('confirm')).toBe(false);
  });

  test.each<[string, unknown, { method?: string }]>([
    ['the fingerprint of its card', { id: 'pm_1', type: 'card', card: { fingerprint: 'Xt5' } }, { method: 'Xt5' }],
    ['that of its account', { id: 'pm_1', type: 'sepa_debit', sepa_debit: { fingerprint: 'Yu6' } }, { method: 'Yu6' }],
    ['the id of a method without one', { id: 'pm_1', type: 'link', link: {} }, { method: 'pm_1' }],
    ['the id of a card without one', { id: 'pm_1', type: 'card', card: { fingerprint: null } }, { method: 'pm_1' }],
    ['nothing where it was not expanded', 'pm_1', {}],
    ['nothing if there is none', null, {}],
  ])('comes with its payment method, in the same answer: %s', async (_, payment_method, method) => {
    says = (line) => (line.startsWith('POST') ? { body: { id: 'pi_1', payment_method } } : knowing([bob])(line));
    expect(await provider.create(wanted)).toEqual({ providerId: 'pi_1', ...method });
    expect(paths()).toEqual(['GET /v1/customers/search', 'POST /v1/payment_intents']);
  });

  test.each([
    ['customer', []],
    ['payment method', [customerOf('bob', 'cus_1', null)]],
  ])('an object is refused if the account has no %s', async (_, data) => {
    says = knowing(data, data);
    await expect(provider.create(wanted)).rejects.toMatchObject({ name: 'ProviderRefused', code: 'NO_PAYMENT_METHOD' });
    expect(paths()).toEqual(['GET /v1/customers/search', 'GET /v1/customers']);
    expect(await customers.find('bob')).toBeUndefined();
  });

  test.each([
    ['nobody', []],
    ['no payment method', [customerOf('bob', 'cus_1', null)]],
  ])('an object is made for a new customer, for whom a search finds %s yet', async (_, searched) => {
    says = knowing(searched, [customerOf('eve', 'cus_2'), bob]);
    expect(await provider.create(wanted)).toEqual({ providerId: 'pi_1' });
    expect(charged()).toEqual(['cus_1']);
  });

  test.each(['ISK', 'UGX', 'MGA'])(
    'an object is refused in %s, whose unit at Stripe is not that of ISO 4217',
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
  test.each(['JPY', 'KRW', 'KWD', 'HUF', 'TWD'])(
    'an object is made in %s, with the amount as it is',
    async (currency) => {
      says = knowing([bob]);
      await provider.create({ ...wanted, amount: { amount: 1000, currency } });
      expect(Object.fromEntries(told.at(-1)?.body ?? [])).toMatchObject({
        amount: '1000',
        currency: currency.toLowerCase(),
      });
    },
  );
});

describe('the customer whose card pays for an account', () => {
  const create = (accountId = 'bob') => provider.create({ ...wanted, accountId });
  /** Alike for a search, which ignores case. */
  const alike = customerOf('Auth0|AbCdEf', 'cus_other', 'pm_other');

  test.each([
    ['search', [alike], []],
    ['list', [], [alike]],
  ])(
    'the card of another person whose id differs in case, and whom the %s finds, is not used',
    async (_, searched, newest) => {
      says = knowing(searched, newest);
      await expect(create('Auth0|abcdef')).rejects.toMatchObject({ code: 'NO_PAYMENT_METHOD' });
      expect(charged()).toEqual([]);
    },
  );

  test('the card of the account itself is used among customers that differ in case', async () => {
    says = knowing([alike, customerOf('Auth0|abcdef', 'cus_own')]);
    await create('Auth0|abcdef');
    expect(charged()).toEqual(['cus_own']);
  });

  test('the only card is used if another customer of the account has none', async () => {
    says = knowing([customerOf('bob', 'cus_without', null), bob]);
    await create();
    expect(charged()).toEqual(['cus_1']);
  });

  test.each([
    ['searched', [bob, customerOf('bob', 'cus_2')], []],
    ['listed', [], [bob, customerOf('bob', 'cus_2')]],
  ])(
    'no card is used if several customers are this account (%s): an operator has to decide',
    async (_, searched, newest) => {
      says = knowing(searched, newest);
      await expect(create()).rejects.toMatchObject({ name: 'AccountAmbiguous', code: 'SEVERAL_CUSTOMERS' });
      expect(charged()).toEqual([]);
      expect(await customers.find('bob')).toBeUndefined();
    },
  );

  test('no card is used if more customers are alike than a search returns at once', async () => {
    says = () => ({ body: { data: [bob], has_more: true } });
    await expect(create()).rejects.toMatchObject({ name: 'AccountAmbiguous', code: 'TOO_MANY_ALIKE' });
    expect(charged()).toEqual([]);
  });

  test('the customer is kept from the first charge on: the others use the newest payment method without a search', async () => {
    says = knowing([bob], [], { cus_1: { body: customerOf('bob', 'cus_1', 'pm_2') } });
    await create();
    told.length = 0;
    await create();
    expect(paths()).toEqual(['GET /v1/customers/cus_1', 'POST /v1/payment_intents']);
    expect(told.at(-1)?.body.get('payment_method')).toBe('pm_2');
  });

  test.each<[string, Said]>([
    ['was deleted', { body: { id: 'cus_old', object: 'customer', deleted: true } }],
    ['is unknown at Stripe', error(404, { type: 'invalid_request_error', code: 'resource_missing' })],
    ['has no payment method any more', { body: customerOf('bob', 'cus_old', null) }],
    ['is another account now', { body: customerOf('Bob', 'cus_old') }],
  ])('the customer is looked up again if the kept customer %s', async (_, read) => {
    await customers.store('bob', 'cus_old', undefined);
    says = knowing([bob], [], { cus_old: read });
    await create();
    expect(charged()).toEqual(['cus_1']);
    expect(await customers.find('bob')).toBe('cus_1');
  });

  test('the customer is not looked up if Stripe gives no answer about the kept customer', async () => {
    await customers.store('bob', 'cus_1', undefined);
    says = () => error(429, { type: 'invalid_request_error', code: 'rate_limit' });
    await expect(create()).rejects.toMatchObject({ name: 'ProviderUnavailable' });
    expect(paths()).toEqual(['GET /v1/customers/cus_1']);
  });

  test('the first of two deliveries keeps the customer; the other charges nothing, and a retry uses the same', async () => {
    const rival = customerOf('bob', 'cus_2');
    // While the second one searches, the first one keeps what it has found.
    says = (line) => {
      if (line.startsWith('GET /v1/customers/search')) void customers.store('bob', 'cus_1', undefined);
      return knowing([rival], [], { cus_1: { body: bob } })(line);
    };
    await expect(create()).rejects.toMatchObject({ name: 'WriteConflict' });
    expect(charged()).toEqual([]);
    await create();
    expect(charged()).toEqual(['cus_1']);
  });

  test('the customer is kept once more without an error if the answer to the first put was lost', async () => {
    await customers.store('bob', 'cus_old', undefined);
    await customers.store('bob', 'cus_1', 'cus_old');
    await customers.store('bob', 'cus_1', 'cus_old');
    expect(await customers.find('bob')).toBe('cus_1');
  });
});

describe('a charge at Stripe', () => {
  test('a charge is confirmed by the object’s id, under its key, without the customer', async () => {
    says = () => ({ body: { id: 'pi_1', status: 'succeeded' } });
    expect(await confirm()).toEqual({ status: 'CHARGED' });
    expect(told[0]).toMatchObject({ line: 'POST /v1/payment_intents/pi_1/confirm', key: 'p1:charge' });
    expect(told[0]?.body.get('off_session')).toBe('true');
  });

  const transaction = (more: object) => ({
    latest_charge: { balance_transaction: { fee: 54, currency: 'chf', ...more } },
  });
  test.each([
    ['in the currency of the payout', transaction({}), { fee: { amount: 54, currency: 'CHF' } }],
    ['0', transaction({ fee: 0 }), { fee: { amount: 0, currency: 'CHF' } }],
    ['not known yet', { latest_charge: { balance_transaction: null } }, {}],
    ['not in the answer', { latest_charge: 'ch_1' }, {}],
    ['below 0', transaction({ fee: -1 }), {}],
    ['a fraction', transaction({ fee: 0.5 }), {}],
    ['in another unit', transaction({ currency: 'isk' }), {}],
  ])('a charge has the fee that comes with the answer: %s', async (_, more, fee) => {
    says = () => ({ body: { id: 'pi_1', status: 'succeeded', ...more } });
    expect([await confirm(), await provider.findCharge('pi_1')]).toEqual([
      { status: 'CHARGED', ...fee },
      { status: 'CHARGED', ...fee },
    ]);
    expect(told[0]?.body.get('expand[0]')).toBe('latest_charge.balance_transaction');
    expect(told[1]?.line).toContain('expand[0]=latest_charge.balance_transaction');
  });

  test.each([
    ['insufficient_funds', 'INSUFFICIENT_FUNDS'],
    ['expired_card', 'CARD_EXPIRED'],
    ['authentication_required', 'AUTHENTICATION_REQUIRED'],
    ['do_not_honor', 'CARD_DECLINED'],
  ])('a charge that is declined for %s is declined', async (decline_code, reason) => {
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
  ])('an existing charge has the status of the object (%o)', async (body, charge) => {
    says = () => ({ body: { id: 'pi_1', last_payment_error: null, ...body } });
    expect(await provider.findCharge('pi_1')).toEqual(charge);
    expect(paths()).toEqual(['GET /v1/payment_intents/pi_1']);
  });

  test('a charge in progress is undecided, and never reported as absent', async () => {
    says = () => ({ body: { id: 'pi_1', status: 'processing', last_payment_error: null } });
    await expect(confirm()).rejects.toMatchObject({ name: 'ProviderUndecided' });
    await expect(provider.findCharge('pi_1')).rejects.toMatchObject({
      name: 'ProviderUnavailable',
      code: 'PROCESSING',
    });
  });
});

describe('an object at Stripe', () => {
  const cancel = () => provider.cancel({ key: 'p1:cancel', providerId: 'pi_1' });

  test('an object is cancelled by its id, under a key', async () => {
    says = () => ({ body: { id: 'pi_1', status: 'canceled' } });
    expect(await cancel()).toEqual({ status: 'DECLINED', reason: 'REFUSED_BY_PROVIDER' });
    expect(told[0]).toMatchObject({ line: 'POST /v1/payment_intents/pi_1/cancel', key: 'p1:cancel' });
  });

  test('an object that was charged is not cancelled', async () => {
    says = () => error(400, { type: 'invalid_request_error', code: 'payment_intent_unexpected_state' });
    await expect(cancel()).rejects.toMatchObject({ name: 'ProviderRefused', code: 'payment_intent_unexpected_state' });
  });
});

describe('a refund at Stripe', () => {
  test('a refund is made under its key and found by its id', async () => {
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
    expect(await provider.findRefund('pi_1', 'r1')).toEqual({ status: 'FAILED' });
    expect(await provider.findRefund('pi_1', 'r2')).toBeUndefined();
  });
});

test('a refund at Stripe is found behind a page of others, which operators made there', async () => {
  const others = Array.from({ length: 3 }, (_, at) => ({ id: `re_${at}`, status: 'succeeded', metadata: {} }));
  const ours = { id: 're_9', status: 'succeeded', metadata: { orderly_refund: 'r1' } };
  says = (line) => ({
    body: line.includes('starting_after=re_2') ? { data: [ours], has_more: false } : { data: others, has_more: true },
  });
  expect(await provider.findRefund('pi_1', 'r1')).toEqual({ status: 'REFUNDED' });
  says = (line) => ({ body: { data: others, has_more: !line.includes('starting_after') } });
  expect(await provider.findRefund('pi_1', 'r1')).toBeUndefined();
});

describe('answers of Stripe', () => {
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
  ])('an answer with %d %o is %s, and the call is made once', async (status, body, name) => {
    says = () => error(status, body);
    await expect(refund()).rejects.toMatchObject({ name });
    expect(told).toHaveLength(1);
  });

  test('a call without an answer is to be tried again under the same key', async () => {
    says = () => 'nothing';
    await expect(refund()).rejects.toMatchObject({ name: 'ProviderUnavailable' });
    // Stripe's client itself tries a closed connection once more.
    expect(new Set(told.map(({ key }) => key))).toEqual(new Set(['p1:refund:r1']));
  });

  test('a refused secret is read again, since it may have been rotated', async () => {
    says = () => error(401, { type: 'invalid_request_error' });
    await expect(refund()).rejects.toMatchObject({ name: 'ProviderUnavailable' });
    says = () => ({ body: { id: 're_1', status: 'succeeded' } });
    await refund();
    await refund();
    expect(told.map(({ authorization }) => authorization)).toEqual([1, 2, 2].map((n) => `Bearer sk_test_${n}`));
  });
});
