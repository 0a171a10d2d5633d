import { describe, expect, test } from 'vitest';
import { PLACEHOLDER_ISSUER, settingsFor } from '../../lib/settings.js';
import { DEV_ISSUER } from '../../tools/local/dev-issuer.js';

describe('settings', () => {
  test('of an unknown environment are refused with the names of the known ones', () => {
    expect(() => settingsFor('staging')).toThrow("environment 'staging' is unknown; lib/settings.ts knows: dev, prod");
    expect(() => settingsFor('constructor')).toThrow('is unknown');
  });

  test('of dev are disposable, of prod kept', () => {
    expect(settingsFor('dev')).toMatchObject({ keepsData: false, firewall: false });
    expect(settingsFor('prod')).toMatchObject({ keepsData: true, firewall: { requestsPerAddress: 5_000 } });
  });

  test('of prod ship a placeholder for the issuer, which a command line may replace', () => {
    expect(settingsFor('prod').auth.issuer).toBe(PLACEHOLDER_ISSUER);
    const overrides = { issuer: 'https://login.example.com', audience: 'shop', jwks: '{"keys":[]}' };
    expect(settingsFor('prod', overrides).auth).toEqual({ ...overrides, roleClaim: 'orderly_role' });
  });

  test('refuse the development issuer where data is kept', () => {
    expect(() => settingsFor('prod', { issuer: DEV_ISSUER })).toThrow(`${DEV_ISSUER} is refused in 'prod'`);
    expect(settingsFor('dev').auth.issuer).toBe(DEV_ISSUER);
  });

  test('of dev move no money; those of prod do, unless a command line says otherwise', () => {
    expect(settingsFor('dev').payments).toEqual({ provider: 'sandbox' });
    expect(settingsFor('prod').payments).toEqual({
      provider: 'stripe',
      secretParameter: '/orderly/prod/stripe-secret-key',
    });
    expect(settingsFor('prod', { paymentProvider: 'sandbox' }).payments).toEqual({ provider: 'sandbox' });
    expect(() => settingsFor('dev', { paymentProvider: 'stripe' as 'sandbox' })).toThrow("only 'sandbox' can stand in");
  });
});
