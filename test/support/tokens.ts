import { createHmac, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { DEV_AUDIENCE, DEV_ISSUER } from '../../lib/development.js';
import { devKey, type IssuerKey, newKey } from '../../tools/local/dev-issuer.js';
import type { Caller, TokenFault } from '../acceptance/world.js';

/** Whose tokens a world's API believes, and how they are signed. */
export interface TokenIssuer {
  readonly issuer: string;
  readonly audience: string;
  readonly algorithm: 'ES256' | 'EdDSA';
  readonly keyId: string;
  /** PEM (SPKI). */
  readonly publicKey: string;
  /** Epoch seconds, whole. */
  now(): number;
  /** base64url, by the issuer's key or by one that nobody trusts. */
  signature(text: string, by: 'issuer' | 'stranger'): string;
}

/** The issuer of this clone's local run. @param now milliseconds since 1970 */
export function devIssuer(now: () => number): TokenIssuer {
  const keys: Readonly<Record<'issuer' | 'stranger', IssuerKey>> = { issuer: devKey(), stranger: newKey() };
  return {
    issuer: DEV_ISSUER,
    audience: DEV_AUDIENCE,
    algorithm: 'ES256',
    keyId: keys.issuer.kid,
    publicKey: createPublicKey({ key: keys.issuer, format: 'jwk' }).export({ type: 'spki', format: 'pem' }).toString(),
    now: () => Math.floor(now() / 1000),
    signature: (text, by) => {
      const options = { key: createPrivateKey({ key: keys[by], format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const;
      return sign('sha256', Buffer.from(text), options).toString('base64url');
    },
  };
}

type Claims = Readonly<Record<string, string | number | undefined>>;

const LIFETIME_SECONDS = 43_200;

/** Tokens that let somebody in, and tokens that look like it and must not be believed. */
export class Tokens {
  constructor(private readonly issuer: TokenIssuer) {}

  /** The bearer token of a caller; nothing for nobody. */
  of(caller: Caller): string | undefined {
    if (caller === 'nobody') return undefined;
    if (typeof caller === 'object' && 'token' in caller) return caller.token;
    const sub = typeof caller === 'string' ? caller : caller.customer;
    return this.signed({ sub, orderly_role: caller === 'operator' ? 'operator' : 'customer' });
  }

  /** A token that looks like a customer's. */
  bad(fault: TokenFault): string {
    const { keyId, now } = this.issuer;
    switch (fault) {
      case 'forged signature':
        return this.signed({}, 'stranger', keyId);
      case 'changed claims': {
        const [header, , signature] = this.signed({ sub: 'bob' }).split('.');
        return `${header}.${this.signed({}).split('.')[1]}.${signature}`;
      }
      case 'expired':
        return this.signed({ iat: now() - 61, exp: now() - 60 });
      case 'wrong issuer':
        return this.signed({ iss: 'urn:orderly:other' });
      case 'wrong audience':
        return this.signed({ aud: 'somebody-else' });
      case 'alg none':
        return `${base64url({ alg: 'none', typ: 'JWT', kid: keyId })}.${this.signed({}).split('.')[1]}.AA`;
      case 'signed by the public key': {
        // RFC 8725, 2.1: a verifier that goes by the token's own `alg` takes the public key for a shared secret.
        const text = `${base64url({ alg: 'HS256', typ: 'JWT', kid: keyId })}.${this.signed({}).split('.')[1]}`;
        return `${text}.${createHmac('sha256', this.issuer.publicKey).update(text).digest('base64url')}`;
      }
      case 'missing key id':
        return this.signed({}, 'issuer', keyId, { kid: undefined });
      case 'unknown key id':
        return this.signed({}, 'stranger', 'unknown');
      case 'missing role':
        return this.signed({ orderly_role: undefined });
      case 'unknown role':
        return this.signed({ orderly_role: 'administrator' });
      case 'missing subject':
        return this.signed({ sub: undefined });
      case 'an e-mail address for subject':
        return this.signed({ sub: 'ada@example.org' });
      case 'no expiry':
        return this.signed({ exp: undefined });
      case 'an expiry at no time there is':
        return this.signed({ exp: 1e300 });
      case 'a long life':
        return this.signed({ exp: now() + 30 * 86_400 });
      case 'issued tomorrow':
        return this.signed({ iat: now() + 86_400, exp: now() + 86_400 + LIFETIME_SECONDS });
      case 'a critical header':
        return this.signed({}, 'issuer', keyId, { crit: ['b64'], b64: true });
      case 'garbage':
        return 'not.a.token';
    }
  }

  /** @param change of a customer's claims; signed as they are, as by an issuer that is set up wrongly */
  private signed(
    change: Claims,
    by: 'issuer' | 'stranger' = 'issuer',
    kid = this.issuer.keyId,
    header: object = {},
  ): string {
    const { issuer, audience, algorithm, now } = this.issuer;
    const usual = { sub: 'alice', orderly_role: 'customer', iss: issuer, aud: audience };
    const claims: Claims = { ...usual, iat: now(), exp: now() + LIFETIME_SECONDS, ...change };
    const text = `${base64url({ alg: algorithm, typ: 'JWT', kid, ...header })}.${base64url(claims)}`;
    return `${text}.${this.issuer.signature(text, by)}`;
  }
}

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
