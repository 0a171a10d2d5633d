import { createPrivateKey, sign } from 'node:crypto';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { newKey, toJwks } from '../../../tools/local/dev-issuer.js';

const key = newKey();
const LIFETIME = 12 * 3600;
const now = () => Math.floor(Date.now() / 1000);
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signs any claims, as the issuer would. */
function token(claims: object, header: object = {}): string {
  const usual = {
    sub: 'alice',
    orderly_role: 'customer',
    iss: 'https://issuer.test',
    aud: 'shop',
    iat: now(),
    exp: now() + 60,
  };
  const signed = `${encoded({ alg: 'ES256', kid: key.kid, ...header })}.${encoded({ ...usual, ...claims })}`;
  const options = { key: createPrivateKey({ key, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const;
  return `${signed}.${sign('sha256', Buffer.from(signed), options).toString('base64url')}`;
}

let authenticate: typeof import('../../../packages/kit/http/auth.js').authenticate;
beforeAll(async () => {
  vi.stubEnv('JWT_ISSUER', 'https://issuer.test');
  vi.stubEnv('JWT_AUDIENCE', 'shop');
  vi.stubEnv('JWT_ROLE_CLAIM', 'orderly_role');
  vi.stubEnv('ROLES', '["customer","operator"]');
  vi.stubEnv('JWT_MAX_LIFETIME_SECONDS', String(LIFETIME));
  vi.stubEnv('JWT_JWKS', toJwks(key));
  vi.resetModules();
  ({ authenticate } = await import('../../../packages/kit/http/auth.js'));
  return () => {
    vi.unstubAllEnvs();
    vi.resetModules();
  };
});
const asking = (claims: object, header?: object) => authenticate(`Bearer ${token(claims, header)}`);

describe('an accepted token', () => {
  test('a token with the longest lifetime, from issue to expiry, is accepted', async () => {
    const iat = now();
    expect(await asking({ iat, exp: iat + LIFETIME })).toMatchObject({ id: 'alice', expires: iat + LIFETIME });
  });
  test('a token without iat is accepted, with its lifetime counted from now', async () => {
    expect(await asking({ iat: undefined, exp: now() + LIFETIME - 5 })).toMatchObject({ id: 'alice' });
  });
  test('a token of an issuer whose clock is slightly ahead is accepted', async () => {
    expect(await asking({ iat: now() + 30 })).toMatchObject({ id: 'alice' });
  });
});

describe('a refused token', () => {
  test.each<[string, () => object, string]>([
    ['that lives too long', () => ({ exp: now() + LIFETIME + 5 }), 'lives too long'],
    ['that was issued too long ago', () => ({ iat: now() - LIFETIME, exp: now() + 60 }), 'lives too long'],
    ['without iat that expires too late', () => ({ iat: undefined, exp: now() + 86_400 }), 'lives too long'],
    ['with an impossible expiry', () => ({ exp: 1e300 }), 'lives too long'],
    ['with impossible times of issue and expiry', () => ({ iat: -1e300, exp: 1e300 }), 'lives too long'],
    ['that will be issued tomorrow', () => ({ iat: now() + 86_400, exp: now() + 86_460 }), 'issued in the future'],
    ['without an expiry', () => ({ exp: undefined }), 'no exp'],
  ])('%s', async (_, claims, reason) => {
    await expect(asking(claims())).rejects.toMatchObject({ name: 'Unauthenticated', message: reason });
  });

  test('a token whose time of issue is a string is refused', async () => {
    await expect(asking({ iat: 'today' })).rejects.toMatchObject({ name: 'Unauthenticated' });
  });

  test.each([[['exp']], [['b64']], [[]]])('a token with unknown critical headers is refused: %j', async (crit) => {
    await expect(asking({}, { crit, b64: true })).rejects.toMatchObject({
      name: 'Unauthenticated',
      message: 'a critical header is unknown',
    });
  });
});

describe('the detail of a refused token', () => {
  const detailOf = (authorization: string | undefined): Promise<string> =>
    authenticate(authorization).then(
      () => 'accepted',
      ({ detail }) => detail,
    );
  const of = (claims: object, header?: object) => detailOf(`Bearer ${token(claims, header)}`);
  const foreignKey = newKey();

  test('says by how much an expired one is late, and by whose clock', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-29T12:00:00Z') });
    const issued = { iat: now() - 7_200, exp: now() - 3_600 };
    expect(await of(issued)).toBe(
      'It expired 3600 seconds ago: at 2026-11-29T11:00:00Z, and the clock of the API says 2026-11-29T12:00:00Z.',
    );
    expect(await of({ nbf: now() + 3_600 })).toBe(
      'It is not valid yet: its nbf is ahead of the clock of the API, which says 2026-11-29T12:00:00Z.',
    );
    vi.useRealTimers();
  });

  test('calls an expiry that is no date malformed', async () => {
    expect(await of({ iat: -1e300, exp: -1e300 })).toBe('It is malformed: expected a signed JWT.');
  });

  test.each<[string, () => Promise<string>, string]>([
    ['another issuer', () => of({ iss: 'https://other.test' }), 'It is from another issuer.'],
    [
      'another issuer with its own key',
      () => of({ iss: 'https://other.test' }, { kid: foreignKey.kid }),
      'It is from another issuer.',
    ],
    ['another audience', () => of({ aud: 'bank' }), 'It is for another audience.'],
    ['an unknown key', () => of({}, { kid: foreignKey.kid }), 'Its signature is not that of its issuer.'],
    ['a role of nobody', () => of({ orderly_role: 'king' }), 'It has a fault: unknown role.'],
    ['no JWT', () => detailOf('Bearer YQ.YQ.YQ'), 'It is malformed: expected a signed JWT.'],
    [
      'another scheme',
      () => detailOf('Basic YTpi'),
      'It is malformed: expected one header Authorization, with Bearer and a signed JWT.',
    ],
  ])('names %s', async (_, asked, detail) => expect(await asked()).toBe(detail));

  test('tells a forger nothing but that the signature is wrong, whatever the claims say', async () => {
    const forged = (claims: object) => of(claims, { kid: foreignKey.kid });
    expect(await forged({ aud: 'bank' })).toBe(await forged({}));
    expect(await forged({ exp: 1, iat: 0 })).toBe(await forged({}));
  });

  test('can stand in JSON without being escaped', async () => {
    for (const detail of [await of({ sub: 'a\\"b' }), await of({ orderly_role: '"' }), await detailOf('"')])
      expect(JSON.parse(`"${detail}"`)).toBe(detail);
  });
});

test('accepts only the application’s roles', async () => {
  expect(await asking({ orderly_role: 'operator' })).toMatchObject({ role: 'operator' });
  for (const orderly_role of ['agent', 'service', '', [['operator']], { operator: 1 }, undefined])
    await expect(asking({ orderly_role })).rejects.toThrow('unknown role');
  vi.stubEnv('ROLES', '["agent"]');
  expect(await asking({ orderly_role: 'agent' })).toMatchObject({ role: 'agent' });
  await expect(asking({ orderly_role: 'operator' })).rejects.toThrow('unknown role');
  vi.stubEnv('ROLES', '["customer","operator"]');
});

describe('clocks differ by up to a minute, for each time in a token', () => {
  test.each<[string, (seconds: number) => object]>([
    ['exp', (seconds) => ({ exp: now() - seconds })],
    ['nbf', (seconds) => ({ nbf: now() + seconds })],
    ['iat', (seconds) => ({ iat: now() + seconds })],
  ])('%s', async (_, claims) => {
    expect(await asking(claims(50))).toMatchObject({ id: 'alice' });
    await expect(asking(claims(70))).rejects.toMatchObject({ name: 'Unauthenticated' });
  });
});

describe('the cause of a refusal', () => {
  const signedByOther = () => {
    const [header, payload] = token({}).split('.');
    const signed = `${header}.${payload}`;
    const options = { key: createPrivateKey({ key: newKey(), format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const;
    return `${signed}.${sign('sha256', Buffer.from(signed), options).toString('base64url')}`;
  };
  test.each<[string, () => string]>([
    ['audience', () => token({ aud: 'other' })],
    ['audience', () => token({ aud: undefined, client_id: 'shop', token_use: 'access' })],
    ['issuer', () => token({ iss: 'https://other.test' })],
    ['expiry', () => token({ exp: now() - 3600 })],
    ['not valid yet', () => token({ nbf: now() + 3600 })],
    ['key', () => token({}, { kid: 'other' })],
    ['signature', signedByOther],
    ['malformed', () => `${encoded({ alg: 'ES256', kid: key.kid })}.e30x.AAAA`],
  ])('the cause of a refusal is %s, and names no value', async (cause, made) => {
    const jwt = made();
    const error = await authenticate(`Bearer ${jwt}`).catch((refused: Error) => refused as Error);
    expect(error).toMatchObject({ name: 'Unauthenticated', message: expect.stringMatching(new RegExp(`^${cause}:`)) });
    for (const part of jwt.split('.')) expect((error as Error).message).not.toContain(part);
  });
});

test('a claim with a list has one role among others', async () => {
  expect(await asking({ orderly_role: ['beta', 'operator'] })).toMatchObject({ role: 'operator' });
  expect(await asking({ orderly_role: ['operator', 'operator'] })).toMatchObject({ role: 'operator' });
  for (const [groups, message] of [
    [['beta'], 'unknown role'],
    [[], 'unknown role'],
    [['customer', 'operator'], 'several roles'],
  ])
    await expect(asking({ orderly_role: groups })).rejects.toThrow(String(message));
});

describe('access tokens of Cognito, by the setting', () => {
  let ofCognito: typeof authenticate;
  beforeAll(async () => {
    vi.stubEnv('JWT_TOKENS', 'cognito-access');
    vi.stubEnv('JWT_ROLE_CLAIM', 'cognito:groups');
    vi.resetModules();
    ({ authenticate: ofCognito } = await import('../../../packages/kit/http/auth.js'));
    return () => {
      vi.stubEnv('JWT_TOKENS', undefined);
      vi.stubEnv('JWT_ROLE_CLAIM', 'orderly_role');
    };
  });
  const access = (claims: object = {}) =>
    token({
      ...{ orderly_role: undefined, aud: undefined, client_id: 'shop', token_use: 'access', scope: 'openid' },
      ...{ 'cognito:groups': ['customer'], ...claims },
    });
  test('access tokens of Cognito are accepted', async () =>
    expect(await ofCognito(`Bearer ${access()}`)).toMatchObject({ id: 'alice', role: 'customer' }));
  test.each([
    ['of another client', { client_id: 'other' }, 'audience: expected the client_id'],
    ['of no client', { client_id: undefined, aud: 'shop' }, 'audience: expected the client_id'],
    ['that are ID tokens', { token_use: 'id', aud: 'shop' }, 'token_use: expected access'],
    ['without a group that is a role', { 'cognito:groups': undefined }, 'unknown role'],
    ['of another pool', { iss: 'https://other.test' }, 'issuer: '],
  ])('%s are refused', async (_, claims, message) =>
    expect(ofCognito(`Bearer ${access(claims)}`)).rejects.toThrow(message),
  );
});

test.each(['.', '..', 'me', 'sessions'])(
  'a caller with the name %j is refused, since it is a fixed segment of paths',
  async (sub) => {
    await expect(asking({ sub })).rejects.toMatchObject({ message: 'sub is a fixed segment of paths' });
  },
);
