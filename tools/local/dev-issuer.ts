import { createHash, createPrivateKey, generateKeyPairSync, type JsonWebKey, randomUUID, sign } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEV_AUDIENCE, DEV_ISSUER, DEV_KEY_PREFIX, DEV_TOKEN_SECONDS } from '../../lib/development.js';

/** Folder for files of the local run. It is never committed. */
export const ORDERLY_FOLDER = fileURLToPath(new URL('../../.orderly/', import.meta.url));

/** Private key of an issuer, as a JWK with its id. */
export type IssuerKey = JsonWebKey & { readonly kid: string };

export interface TokenRequest {
  /** Id of the customer or operator. */
  readonly sub: string;
  readonly role: 'customer' | 'operator' | 'shop';
  /** Lifetime in seconds from now. A negative number makes an expired token. @default 12 hours */
  readonly lifetimeSeconds?: number;
  /** Milliseconds that the clock of those who check it is ahead of this machine's: a forwarded local cloud. @default 0 */
  readonly ahead?: number;
  /** @default DEV_ISSUER */
  readonly issuer?: string;
  /** @default DEV_AUDIENCE */
  readonly audience?: string;
}

/** Creates an ES256 key and stores it nowhere. Tests forge tokens with it; the first start stores one. */
export function newKey(): IssuerKey {
  const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
  const { crv, kty, x, y } = jwk;
  // RFC 7638: members in lexicographic order, without white space.
  const thumbprint = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
  return { ...jwk, kid: DEV_KEY_PREFIX + thumbprint };
}

/**
 * Returns the key of this clone's local run. The first call creates it.
 *
 * Two processes that call it at the same time get the same key: each writes a file of its own, only the first can link
 * its file to the final name, and both then read that name.
 */
export function devKey(folder = ORDERLY_FOLDER): IssuerKey {
  const file = join(folder, 'dev-key.json');
  const stored = readKey(file);
  if (stored) return stored;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, JSON.stringify(newKey()), { mode: 0o600, flag: 'wx' });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(draft);
  }
  return readKey(file) ?? devKey(folder);
}

/** Returns the public keys as an inline JWKS (JSON), for the functions' environment. */
export function toJwks(...keys: readonly IssuerKey[]): string {
  return JSON.stringify({
    keys: keys.map(({ kty, crv, x, y, kid }) => ({ kty, crv, x, y, kid, alg: 'ES256', use: 'sig' })),
  });
}

/** Returns the JWKS (JSON) of this clone's dev issuer. Creates its key if there is none. */
export function devJwks(folder = ORDERLY_FOLDER): string {
  return toJwks(devKey(folder));
}

/**
 * Creates a signed JWT (ES256) with the claims that the API reads: `sub`, `orderly_role`, `iss`, `aud`, `iat`, `exp`.
 */
export function makeToken(request: TokenRequest, key: IssuerKey = devKey()): string {
  const { sub, role, lifetimeSeconds = DEV_TOKEN_SECONDS, ahead = 0 } = request;
  const { issuer = DEV_ISSUER, audience = DEV_AUDIENCE } = request;
  const now = Math.floor((Date.now() + ahead) / 1000);
  // An expired token must have been issued before it expired.
  const iat = Math.min(now, now + lifetimeSeconds - 1);
  const claims = { sub, orderly_role: role, iss: issuer, aud: audience, iat, exp: now + lifetimeSeconds };
  const signed = `${base64url({ alg: 'ES256', typ: 'JWT', kid: key.kid })}.${base64url(claims)}`;
  const privateKey = createPrivateKey({ key, format: 'jwk' });
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

/**
 * Returns tokens for the people in the examples and the demonstration.
 * @param ahead as in {@link TokenRequest}
 */
export const devTokens = (ahead = 0) => ({
  alice: makeToken({ sub: 'alice', role: 'customer', ahead }),
  bob: makeToken({ sub: 'bob', role: 'customer', ahead }),
  operator: makeToken({ sub: 'operator', role: 'operator', ahead }),
});

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function readKey(file: string): IssuerKey | undefined {
  try {
    const key = JSON.parse(readFileSync(file, 'utf8')) as IssuerKey;
    // A key from an earlier release has an id without the prefix.
    return key.kid.startsWith(DEV_KEY_PREFIX) ? key : { ...key, kid: DEV_KEY_PREFIX + key.kid };
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
