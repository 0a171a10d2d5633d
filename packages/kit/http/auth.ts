import { FetchError } from 'aws-jwt-verify/error';
import { JwtVerifier } from 'aws-jwt-verify/jwt-verifier';
import * as z from 'zod/mini';
import { clock } from '../aws/clock.js';
import { Env } from '../aws/environment.js';
import { required, requiredInteger, requiredList } from '../aws/read-environment.js';
import { CallerId, EMAIL_SHAPE } from './caller-id.js';

/**
 * Caller of a request, as the token names them.
 * @template Role the application's roles
 */
export interface Caller<Role extends string = string> {
  /** The token's `sub`: the id of a person or a program. */
  readonly id: string;
  readonly role: Role;
  /** The token's `exp`, in seconds since 1970. */
  readonly expires: number;
}

/** Error for a token that does not prove who calls. The answer gives no reason, since a reason would help a forger. */
export class Unauthenticated extends Error {
  override readonly name = 'Unauthenticated';
}

/** Seconds that an issuer's clock may be ahead of this one. */
const CLOCK_SKEW_SECONDS = 60;

/** Created for the first token. Functions that get their caller from the gateway never pay for it. */
let verifier: ReturnType<typeof newVerifier> | undefined;

function newVerifier() {
  const jwks = process.env[Env.JWT_JWKS];
  const jwksUri = process.env[Env.JWT_JWKS_URI];
  const issuer = required(Env.JWT_ISSUER);
  const verifier = JwtVerifier.create({
    issuer,
    audience: required(Env.JWT_AUDIENCE),
    // A recipient must refuse a token whose critical headers it does not understand (RFC 7515, 4.1.11). This one
    // understands none.
    customJwtCheck: ({ header }) => {
      if ('crit' in header) throw new Unauthenticated('a critical header is unknown');
    },
    ...(jwksUri ? { jwksUri } : {}),
  });
  if (jwks) verifier.cacheJwks(JSON.parse(jwks));
  // With an inline key set nothing is fetched, so an unknown key id is an error.
  return jwks
    ? (token: string) => Promise.resolve(token).then((jwt) => verifier.verifySync(jwt))
    : verifier.verify.bind(verifier);
}

/**
 * Verifies an `Authorization: Bearer` header: signature, issuer, audience, expiry and lifetime. The role must be one of
 * the application's.
 * @throws {Unauthenticated} if anything is wrong with the token
 */
export async function authenticate(authorization: string | undefined): Promise<Caller> {
  const [, token] = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization ?? '') ?? [];
  if (!token) throw new Unauthenticated('no bearer token');
  if (!isCanonical(token.slice(token.lastIndexOf('.') + 1))) throw new Unauthenticated('signature not canonical');
  verifier ??= newVerifier();
  let claims: Awaited<ReturnType<typeof verifier>>;
  try {
    claims = await verifier(token);
  } catch (error) {
    // FetchError: the issuer is unreachable, which is not the caller's fault. Unauthenticated already says what is
    // wrong.
    if (error instanceof FetchError || error instanceof Unauthenticated) throw error;
    throw new Unauthenticated('token refused', { cause: error });
  }
  const { sub } = claims;
  const role = claims[required(Env.JWT_ROLE_CLAIM)];
  if (EMAIL_SHAPE.test(String(sub))) throw new Unauthenticated('sub is an e-mail address');
  if (!z.safeParse(CallerId, sub).success || typeof sub !== 'string') throw new Unauthenticated('sub is not an id');
  if (typeof role !== 'string' || !requiredList(Env.ROLES).includes(role)) throw new Unauthenticated('unknown role');
  return { id: sub, role, expires: endOf(claims) };
}

/**
 * Returns the token's expiry, in seconds since 1970. A token can't be revoked before it expires, so its lifetime is
 * limited.
 * @throws {Unauthenticated} if the token never expires, lives longer than allowed, or was issued in the future
 */
function endOf({ exp, iat }: { readonly exp?: unknown; readonly iat?: unknown }): number {
  const now = clock.epochSeconds();
  if (typeof exp !== 'number') throw new Unauthenticated('no exp');
  if (iat !== undefined && typeof iat !== 'number') throw new Unauthenticated('iat is not a time');
  if (iat !== undefined && iat > now + CLOCK_SKEW_SECONDS) throw new Unauthenticated('issued in the future');
  if (exp - (iat ?? now) > requiredInteger(Env.JWT_MAX_LIFETIME)) throw new Unauthenticated('lives too long');
  return exp;
}

/**
 * Tells whether a base64url text is in canonical form. The last character of a signature has spare bits that decoders
 * ignore, so one token could be written in up to 16 ways, and the firewall would count each of them separately.
 */
const isCanonical = (text: string): boolean => Buffer.from(text, 'base64url').toString('base64url') === text;
