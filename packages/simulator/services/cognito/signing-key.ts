import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import type { Claims, PublicJwk } from './jwt.js';

/** Primes of the key with which every user pool here signs, so that a history is the same again. Nothing real may trust it. */
const PRIMES = {
  p: [
    '2yG8ZDI6k48VAYh3rQ4UYH-Tt-iXsx0ndiUfihvx--7FPTRMN91lNlMbWJB7FmqoRc6nRbxNVFYHcKq5PDSo6J',
    'gjUwJFi3e54Cl1tKZ7GfM7jsegN2TgrKVZpzxFSosuWIkSnmDnOC_6c7H0MvvwIqqwmO87hC2xP6_UxpygqYk',
  ].join(''),
  q: [
    'xmM3c6u9yNPXPv7HAhrBRVqwFcemWWC-d7mEeREGzgyQzrzLQOuqq6lGeWEn2h53g8KpzbrMddmwx2lZzjMfvr',
    '3QHFPXpTyvo2A9saC4KQM74XHrXoAKSWLHF75GZHsgQzycsQWyaKzyQ_QUFXcipYcYY75Vtt4lV7k7TO2gazE',
  ].join(''),
};
const EXPONENT = 65_537n;
const KEY_ID = 'simulated';

let made: KeyObject | undefined;

/** Returns the private key. RFC 8017, "RSA Private Key": all other parts follow from the primes. */
function privateKey(): KeyObject {
  if (made) return made;
  const [p, q] = [toNumber(PRIMES.p), toNumber(PRIMES.q)];
  const d = invert(EXPONENT, (p - 1n) * (q - 1n));
  const parts = { n: p * q, e: EXPONENT, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: invert(q, p) };
  const texts = Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, toText(value)]));
  made = createPrivateKey({ key: { kty: 'RSA', ...texts }, format: 'jwk' });
  return made;
}

/** Returns the public keys of a pool as a JSON Web Key Set. RFC 7517. */
export function publicKeys(): readonly PublicJwk[] {
  const n = toText(toNumber(PRIMES.p) * toNumber(PRIMES.q));
  return [{ kty: 'RSA', n, e: toText(EXPONENT), kid: KEY_ID, alg: 'RS256', use: 'sig' }];
}

/** Signs claims as a token: RS256. */
export function signToken(claims: Claims): string {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${encode({ kid: KEY_ID, alg: 'RS256' })}.${encode(claims)}`;
  return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), privateKey()).toString('base64url')}`;
}

const toNumber = (text: string): bigint => BigInt(`0x${Buffer.from(text, 'base64url').toString('hex')}`);

function toText(value: bigint): string {
  const digits = value.toString(16);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex').toString('base64url');
}

/** Returns the inverse of a number modulo another one, by Euclid's extended algorithm. */
function invert(value: bigint, modulus: bigint): bigint {
  let [remainder, next] = [modulus, value % modulus];
  let [factor, nextFactor] = [0n, 1n];
  while (next > 0n) {
    const quotient = remainder / next;
    [remainder, next] = [next, remainder - quotient * next];
    [factor, nextFactor] = [nextFactor, factor - quotient * nextFactor];
  }
  return ((factor % modulus) + modulus) % modulus;
}
