import { createPrivateKey, sign } from 'node:crypto';
import { DEV_AUDIENCE, DEV_ISSUER, devKey, type IssuerKey, makeToken, newKey } from '../../tools/local/dev-issuer.js';
import type { Caller, TokenFault } from '../acceptance/world.js';

/** Signed tokens take a moment each, and a scenario asks for the same one again and again. */
const made = new Map<string, string>();

/** The bearer token of a caller; nothing for nobody. */
export function tokenOf(caller: Caller): string | undefined {
  if (caller === 'nobody') return undefined;
  if (typeof caller === 'object' && 'token' in caller) return caller.token;
  const sub = typeof caller === 'string' ? caller : caller.customer;
  const token = made.get(sub) ?? makeToken({ sub, role: caller === 'operator' ? 'operator' : 'customer' });
  made.set(sub, token);
  return token;
}

/** A token that looks like a customer's and must not be believed. */
export function badTokenOf(fault: TokenFault): string {
  const customer = { sub: 'alice', role: 'customer' } as const;
  switch (fault) {
    case 'forged signature':
      return makeToken(customer, { ...newKey(), kid: devKey().kid });
    case 'changed claims': {
      const [header, , signature] = makeToken({ ...customer, sub: 'bob' }).split('.');
      return `${header}.${makeToken(customer).split('.')[1]}.${signature}`;
    }
    case 'expired':
      return makeToken({ ...customer, lifetimeSeconds: -60 });
    case 'wrong issuer':
      return makeToken({ ...customer, issuer: 'urn:orderly:other' });
    case 'wrong audience':
      return makeToken({ ...customer, audience: 'somebody-else' });
    case 'alg none':
      return `${base64url({ alg: 'none', typ: 'JWT', kid: devKey().kid })}.${base64url(CLAIMS)}.AA`;
    case 'unknown key id':
      return makeToken(customer, newKey());
    case 'missing role':
      return signed({ ...CLAIMS, orderly_role: undefined });
    case 'unknown role':
      return signed({ ...CLAIMS, orderly_role: 'administrator' });
    case 'missing subject':
      return signed({ ...CLAIMS, sub: undefined });
    case 'no expiry':
      return signed({ ...CLAIMS, exp: undefined });
    case 'garbage':
      return 'not.a.token';
  }
}

const NOW = Math.floor(Date.now() / 1000);
const CLAIMS = {
  sub: 'alice',
  orderly_role: 'customer',
  iss: DEV_ISSUER,
  aud: DEV_AUDIENCE,
  iat: NOW,
  exp: NOW + 43_200,
};

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Rightly signed, whatever it claims: as an issuer would that is set up wrongly. */
function signed(claims: object, key: IssuerKey = devKey()): string {
  const text = `${base64url({ alg: 'ES256', typ: 'JWT', kid: key.kid })}.${base64url(claims)}`;
  const options = { key: createPrivateKey({ key, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const;
  return `${text}.${sign('sha256', Buffer.from(text), options).toString('base64url')}`;
}
