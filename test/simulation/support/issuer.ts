import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';

export const ISSUER = 'https://issuer.simulation.test';
export const AUDIENCE = 'orderly-simulation';

/** PKCS #8 around the 32 bytes of an Ed25519 key (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
/** Made of a public text, so that every run signs alike; nothing real trusts it. */
const keyOf = (text: string): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([PKCS8, createHash('sha256').update(text).digest()]),
    format: 'der',
    type: 'pkcs8',
  });
const KEYS = { issuer: keyOf('the simulation of Orderly'), stranger: keyOf('somebody else') } as const;
export const KEY_ID = 'simulation';

/** The public half, for the functions' environment. Ed25519 signatures are the same each time. */
export function jwks(): string {
  const { kty, crv, x } = createPublicKey(KEYS.issuer).export({ format: 'jwk' });
  return JSON.stringify({ keys: [{ kty, crv, x, kid: KEY_ID, alg: 'EdDSA', use: 'sig' }] });
}

/** PEM (SPKI). */
export const publicKey = (): string => createPublicKey(KEYS.issuer).export({ type: 'spki', format: 'pem' }).toString();

/** EdDSA, base64url; by the issuer's key, or by one that nobody trusts. */
export const signature = (text: string, by: keyof typeof KEYS = 'issuer'): string =>
  sign(null, Buffer.from(text), KEYS[by]).toString('base64url');

/** @param now virtual milliseconds since 1970; the token is good for 12 hours from then */
export function token(sub: string, role: 'customer' | 'operator', now: number): string {
  const iat = Math.floor(now / 1000) - 60;
  const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { sub, orderly_role: role, iss: ISSUER, aud: AUDIENCE, iat, exp: iat + 43_200 };
  const signed = `${encoded({ alg: 'EdDSA', typ: 'JWT', kid: KEY_ID })}.${encoded(claims)}`;
  return `${signed}.${signature(signed)}`;
}
