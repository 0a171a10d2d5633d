import { createPublicKey, createVerify, type JsonWebKey } from 'node:crypto';

/** Claims of a token. */
export type Claims = Readonly<Record<string, unknown>>;

/** A public key with its id. RFC 7517. */
export interface PublicJwk extends JsonWebKey {
  readonly kid: string;
}

/** A JSON Web Token in its parts. RFC 7519. */
export interface DecodedToken {
  readonly header: { readonly alg?: unknown; readonly kid?: unknown };
  readonly claims: Claims;
  /** Header and payload as they were signed, with a dot between them. */
  readonly signed: string;
  /** In base64url. */
  readonly signature: string;
}

/** Node's names of the algorithms that AWS's gateways accept: those of RSA. */
const ALGORITHMS: Readonly<Record<string, string>> = {
  RS256: 'RSA-SHA256',
  RS384: 'RSA-SHA384',
  RS512: 'RSA-SHA512',
};

/** Reads a token. @returns `undefined` if it is none */
export function decodeToken(text: string): DecodedToken | undefined {
  const [header = '', claims = '', signature, ...more] = text.split('.');
  if (signature === undefined || more.length > 0) return undefined;
  const [head, body] = [header, claims].map(readPart);
  return head && body && { header: head, claims: body, signed: `${header}.${claims}`, signature };
}

function readPart(part: string): Claims | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Claims) : undefined;
  } catch {
    return undefined;
  }
}

/** Checks whether one of these keys has signed a token: the one with the key id that the token names. */
export function isSignedBy({ header, signed, signature }: DecodedToken, keys: readonly PublicJwk[]): boolean {
  const algorithm = Object.hasOwn(ALGORITHMS, String(header.alg)) ? ALGORITHMS[String(header.alg)] : undefined;
  const jwk = keys.find(({ kid }) => kid === header.kid);
  if (algorithm === undefined || !jwk) return false;
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  return createVerify(algorithm).update(signed).verify(key, signature, 'base64url');
}

/** Returns the scopes of a token: its claim `scope` has them in one text, `scp` in a text or a list. */
export function scopesOf({ scope, scp }: Claims): readonly string[] {
  const given = scope ?? scp ?? '';
  return Array.isArray(given) ? given.map(String) : String(given).split(' ').filter(Boolean);
}
