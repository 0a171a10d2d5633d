import { Duration } from 'aws-cdk-lib';
import { describe, expect, test } from 'vitest';
import { DEV_ISSUER } from '../../lib/development.js';
import { checkInboxes, type InboxSettings } from '../../lib/inbox-settings.js';
import {
  checkCustomerLimits,
  checkHotCustomers,
  checkHotSkus,
  checkReviewRules,
  checkRewardTiers,
  type Overrides,
  PLACEHOLDER_ISSUER,
  settingsFor,
} from '../../lib/settings.js';
import { resolveFeedShards } from '../../packages/kit/base/settings.js';
import { newKey, toJwks } from '../../tools/local/dev-issuer.js';

describe('settings', () => {
  test('settings of an unknown environment are refused, with the names of the known ones', () => {
    expect(() => settingsFor('staging')).toThrow(
      "environment 'staging' is unknown: expected one of lib/settings.ts: dev, prod",
    );
    expect(() => settingsFor('constructor')).toThrow('is unknown');
  });

  test('settings of dev keep no data, those of prod do', () => {
    expect(settingsFor('dev')).toMatchObject({ keepsData: false, firewall: false });
    expect(settingsFor('prod')).toMatchObject({ keepsData: true, firewall: { requestsPerAddress: 5_000 } });
  });

  test('settings of prod have a placeholder for the issuer, which a command line may replace', () => {
    expect(settingsFor('prod').auth.issuer).toBe(PLACEHOLDER_ISSUER);
    const overrides = { issuer: 'https://login.example.com', audience: 'shop', jwksUri: 'https://keys.example.com' };
    expect(settingsFor('prod', overrides).auth).toEqual({ ...settingsFor('prod').auth, ...overrides });
  });

  test('refuse the development issuer in environments that keep data', () => {
    expect(() => settingsFor('prod', { issuer: DEV_ISSUER })).toThrow(`${DEV_ISSUER} is refused in 'prod'`);
    expect(settingsFor('dev').auth.issuer).toBe(DEV_ISSUER);
  });

  test('settings of dev move no money; those of prod do, unless a command line says otherwise', () => {
    expect(settingsFor('dev').payments).toEqual({ provider: 'sandbox' });
    expect(settingsFor('prod').payments).toEqual({
      provider: 'stripe',
      secretParameter: '/orderly/prod/stripe-secret-key',
    });
    const trial = { paymentProvider: 'sandbox', allowSandbox: 'true' } as const;
    expect(settingsFor('prod', trial).payments).toEqual({ provider: 'sandbox' });
    expect(() => settingsFor('dev', { paymentProvider: 'stripe' as 'sandbox' })).toThrow(
      "paymentProvider: expected 'sandbox'",
    );
  });

  test('limit each customer, more tightly in environments that keep data', () => {
    const { customerLimits } = settingsFor('prod');
    expect(customerLimits).toEqual({
      ordersUnderWay: 100,
      ordersPerHour: 300,
      paymentsPerDay: 50,
      refundsPerDay: 20,
      refundedPerDay: 1_000_000,
    });
    for (const [name, most] of Object.entries(settingsFor('dev').customerLimits)) {
      expect(most, name).toBeGreaterThan(customerLimits[name as keyof typeof customerLimits]);
    }
  });

  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuse a limit of %s', (wrong) => {
    const limits = { ...settingsFor('prod').customerLimits, ordersPerHour: wrong, refundsPerDay: wrong };
    expect(() => checkCustomerLimits('prod', limits)).toThrow(
      "customerLimits of 'prod': expected whole numbers above 0: ordersPerHour, refundsPerDay",
    );
  });

  test('name hot SKUs, by the command line too, and refuse what would make every SKU hot or none', () => {
    expect(settingsFor('prod', { hotSkus: 'TEA-1,TEA-2' }).hotSkus.always).toEqual(['TEA-1', 'TEA-2']);
    expect(settingsFor('prod').hotSkus.always).toEqual([]);
    expect(() => settingsFor('prod', { hotSkus: 'TEA-1, TEA-2' })).toThrow("hotSkus of 'prod': expected SKUs:  TEA-2");
    expect(() => checkHotSkus('prod', { always: [], conflictsPerSecond: 0 })).toThrow('a whole number above 0');
  });

  test('refuse what would not fit into the environment of a function, with its size and the limit', () => {
    const names = Array.from({ length: 150 }, (_, at) => String(at).padStart(38, 'SKU-')).join(',');
    const tooMany = (setting: string) =>
      `${setting} of 'prod': 6151 bytes, expected at most 3072, since Lambda accepts 4,096 for all environment variables`;
    expect(() => settingsFor('prod', { hotSkus: names })).toThrow(tooMany('hotSkus'));
    expect(() => settingsFor('prod', { hotCustomers: names })).toThrow(tooMany('hotCustomers'));
    const keys = { keys: [{ kty: 'RSA', kid: 'k', x5c: ['x'.repeat(4_000)] }] };
    expect(() => settingsFor('prod', { jwks: JSON.stringify(keys), allowInlineJwks: 'true' })).toThrow(
      /auth\.jwks of 'prod': 40\d\d bytes, expected at most 3072.*: name a jwksUri/,
    );
  });

  test('name hot customers in the same way', () => {
    expect(settingsFor('prod', { hotCustomers: 'acme' }).hotCustomers).toEqual({
      always: ['acme'],
      conflictsPerSecond: 10,
    });
    expect(settingsFor('prod').hotCustomers.always).toEqual([]);
    expect(() => settingsFor('prod', { hotCustomers: 'acme,' })).toThrow(
      "hotCustomers of 'prod': expected ids of customers: ",
    );
    expect(() => checkHotCustomers('prod', { always: [], conflictsPerSecond: 0 })).toThrow('a whole number above 0');
  });

  test.each([
    [{ highValue: 0, manyOrders: 10 }, 'highValue to be a whole number above 0'],
    [{ highValue: Number.NaN, manyOrders: 10 }, 'highValue to be a whole number above 0'],
    [{ highValue: 1, manyOrders: 0 }, 'manyOrders to be 1 to 100'],
    [{ highValue: 1, manyOrders: 101 }, 'manyOrders to be 1 to 100'],
    [{ manyDeclines: 0 }, 'manyDeclines to be 1 to 20'],
    [{ manyDeclines: 21 }, 'manyDeclines to be 1 to 20'],
    [{ declinesWithinHours: 0.5 }, 'declinesWithinHours to be a whole number above 0'],
    [{ methodChangeWithinHours: Number.NaN }, 'methodChangeWithinHours to be a whole number above 0'],
  ])('refuse rules of reviews that nothing would reach: %o', (rules, expected) => {
    const all = { ...settingsFor('prod').reviewRules, ...rules };
    expect(() => checkReviewRules('prod', all)).toThrow(`reviewRules of 'prod': expected ${expected}`);
  });

  test.each([
    { silver: 0, gold: 5_000 },
    { silver: 1_000, gold: 1_000 },
    { silver: 1_000.5, gold: 5_000 },
    { silver: 1_000, gold: Number.NaN },
  ])('refuse tiers of %o', (tiers) => {
    expect(() => checkRewardTiers('prod', tiers)).toThrow("rewardTiers of 'prod': expected whole numbers above 0");
  });

  test.each<[string, Partial<InboxSettings>, string]>([
    ['attempts', { attempts: 0 }, 'attempts is 0'],
    ['a base', { base: Duration.millis(500) }, 'base of the backoff is 0.5 s'],
    [
      'a cap',
      { cap: Duration.seconds(1) },
      'cap of the backoff is 1 s: expected whole seconds, at least the base of 2',
    ],
    ['a page of reports', { pageSize: 51 }, 'pageSize is 51: expected 1 to 50'],
    ['a pace', { sweepEvery: Duration.seconds(10) }, 'sweepEvery is 10 s: expected 1 to 5 whole minutes'],
  ])('refuse %s that no inbox keeps', (_, wrong, fault) => {
    const { inboxes } = settingsFor('prod');
    expect(() => checkInboxes('prod', inboxes)).not.toThrow();
    expect(() => checkInboxes('prod', { ...inboxes, ...wrong })).toThrow(`inboxes of 'prod': ${fault}`);
  });

  test('settings of dev accept tokens with the lifetime of local ones, those of prod for a day', () => {
    expect(settingsFor('dev').auth.maxTokenLifetime.toHours()).toBe(12);
    expect(settingsFor('prod').auth.maxTokenLifetime.toHours()).toBe(24);
  });
});

describe('settings that expose prod, or refuse every token', () => {
  const issuer = 'https://login.example.com';
  const jwks = JSON.stringify({ keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'AA', kid: 'k1' }] });
  const development = newKey();

  test.each<[string, Overrides, RegExp]>([
    ['an inline key set without a word', { issuer, jwks }, /allowInlineJwks=true/],
    [
      "a development key under another issuer's name, with the word",
      { issuer, jwks: toJwks(development), allowInlineJwks: 'true' },
      /a development key/,
    ],
    [
      'a private key',
      { issuer, jwks: JSON.stringify({ keys: [development] }), allowInlineJwks: 'true' },
      /private key/,
    ],
    [
      'a shared secret',
      { issuer, jwks: '{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}', allowInlineJwks: 'true' },
      /private/,
    ],
    ['an empty key set', { issuer, jwks: '{"keys":[]}', allowInlineJwks: 'true' }, /no key set/],
    ['a key set that is none', { issuer, jwks: '[]', allowInlineJwks: 'true' }, /no key set/],
    ['a key set that is no JSON', { issuer, jwks: 'keys.json', allowInlineJwks: 'true' }, /no key set/],
    ['an issuer by http', { issuer: 'http://login.example.com' }, /expected an https: address/],
    ['an issuer by http with keys by https', { issuer: 'http://a.example', jwksUri: 'https://b.example' }, /https:/],
    ['an issuer that is no address', { issuer: 'login.example.com' }, /expected an https: address/],
    ['keys by http', { issuer, jwksUri: 'http://login.example.com/keys' }, /keys are at 'http:.*expected an https:/],
    ['an empty issuer', { issuer: '' }, /auth.issuer is empty/],
    ['an empty audience', { issuer, audience: ' ' }, /auth.audience is empty/],
    ['the sandbox without a word', { issuer, paymentProvider: 'sandbox' }, /allowSandbox=true/],
    ['another word', { issuer, jwks, allowInlineJwks: 'yes' as 'true' }, /allowInlineJwks is 'yes': expected true/],
    ['another word for the sandbox', { issuer, allowSandbox: '' as 'true' }, /allowSandbox is '': expected true/],
  ])('unsafe settings are refused: %s', (_, overrides, message) => {
    expect(() => settingsFor('prod', overrides)).toThrow(message);
  });

  test('an inline key set is accepted with the explicit option', () => {
    expect(settingsFor('prod', { issuer, jwks, allowInlineJwks: 'true' }).auth).toMatchObject({ issuer, jwks });
  });

  test('keys over http and an empty audience are refused in dev too, since no token would be accepted', () => {
    expect(() => settingsFor('dev', { issuer: 'http://login.example.com' })).toThrow('expected an https: address');
    expect(() => settingsFor('dev', { audience: '' })).toThrow('auth.audience is empty');
    expect(settingsFor('dev', { issuer: 'http://login.example.com', jwks }).auth).toMatchObject({ jwks });
  });
});

describe('shards of the feed', () => {
  const [begin, later] = ['1970-01-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z'];

  test('shards are 8 by default, and more from a time on', () => {
    expect(resolveFeedShards({})).toEqual([{ from: begin, shards: 8 }]);
    const more = [
      { from: begin, shards: 8 },
      { from: later, shards: 32 },
    ];
    expect(resolveFeedShards({ feedShards: more })).toEqual(more);
  });

  test.each([
    ['no entry', [], "the first entry to be from '1970-01-01T00:00:00.000Z'"],
    ['no beginning', [{ from: later, shards: 8 }], 'the first entry to be from'],
    [
      'a date',
      [
        { from: begin, shards: 8 },
        { from: '2026-12-01', shards: 16 },
      ],
      "and not '2026-12-01'",
    ],
    ['no shard', [{ from: begin, shards: 0 }], '1 to 256 shards'],
    ['part of a shard', [{ from: begin, shards: 1.5 }], '1 to 256 shards'],
    [
      'fewer',
      [
        { from: begin, shards: 8 },
        { from: later, shards: 4 },
      ],
      'more shards than before',
    ],
    [
      'a time twice',
      [
        { from: begin, shards: 8 },
        { from: begin, shards: 16 },
      ],
      'a later time',
    ],
  ])('shards with %s are refused', (_, feedShards, message) => {
    expect(() => resolveFeedShards({ feedShards })).toThrow(message);
  });
});
