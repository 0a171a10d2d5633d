import { FetchError } from 'aws-jwt-verify/error';
import { JwtVerifier } from 'aws-jwt-verify/jwt-verifier';
import * as z from 'zod/mini';
import { clock } from '../aws/clock.js';
import { Env } from '../aws/environment.js';
import { required, requiredInteger, requiredList } from '../aws/read-environment.js';

/** Who calls, as their token says. @template Role the application's roles */
export interface Caller<Role extends string = string> {
  /** The token's `sub`: of a customer it is the customer's id. */
  readonly id: string;
  readonly role: Role;
  /** The token's `exp`, in seconds since 1970. */
  readonly expires: number;
}

/** A token that doesn't prove who calls. Says nothing about why: that would help whoever forges one. */
export class Unauthenticated extends Error {
  override readonly name = 'Unauthenticated';
}

/** `ada@example.org`, and no machine's id as some issuers make them (`k3x@clients`): no dot comes after its @. */
const EMAIL_SHAPE = /@.*\./;

/**
 * Ids stand in keys and addresses, for ever: visible ASCII without the separators of either, and no e-mail addresses, which
 * say who a person is.
 */
export const CallerId = z.string().check(
  z.regex(/^[A-Za-z0-9._@:|-]{1,128}$/, 'expected an id of 1 to 128 characters'),
  z.refine((id) => !EMAIL_SHAPE.test(id), 'expected an id, not an e-mail address'),
);

/** How far an issuer's clock may be ahead of ours, in seconds. */
const CLOCK_SKEW_SECONDS = 60;

/** Made at the first token, so that functions which get their caller from the gateway never pay for it. */
let verifier: ReturnType<typeof newVerifier> | undefined;

function newVerifier() {
  const jwks = process.env[Env.JWT_JWKS];
  const jwksUri = process.env[Env.JWT_JWKS_URI];
  const issuer = required(Env.JWT_ISSUER);
  const verifier = JwtVerifier.create({
    issuer,
    audience: required(Env.JWT_AUDIENCE),
    // Whoever doesn't understand what a header calls critical must refuse it (RFC 7515, 4.1.11); nothing is understood here.
    customJwtCheck: ({ header }) => {
      if ('crit' in header) throw new Unauthenticated('a critical header is unknown');
    },
    ...(jwksUri ? { jwksUri } : {}),
  });
  if (jwks) verifier.cacheJwks(JSON.parse(jwks));
  // Where the keys are given, nothing is fetched: an unknown key id is simply wrong.
  return jwks
    ? (token: string) => Promise.resolve(token).then((jwt) => verifier.verifySync(jwt))
    : verifier.verify.bind(verifier);
}

/**
 * Verifies an `Authorization: Bearer` header: signature, issuer, audience, expiry and lifetime, and that its role is one
 * of the application's.
 * @throws {Unauthenticated} whatever is wrong with it
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
    // The issuer can't be reached: a fault here, not of the caller's. The other says already what is wrong.
    if (error instanceof FetchError || error instanceof Unauthenticated) throw error;
    throw new Unauthenticated('token refused', { cause: error });
  }
  const { sub } = claims;
  const role = claims[required(Env.JWT_ROLE_CLAIM)];
  if (EMAIL_SHAPE.test(String(sub))) throw new Unauthenticated('sub is an e-mail address');
  if (!z.safeParse(CallerId, sub).success || typeof sub !== 'string') throw new Unauthenticated('sub is not an id');
  if (typeof role !== 'string' || !requiredList(Env.ROLES).includes(role)) throw new Unauthenticated('no role of ours');
  return { id: sub, role, expires: endOf(claims) };
}

/**
 * When a token ends, in seconds since 1970. One that lives long can't be taken back for as long.
 * @throws {Unauthenticated} where it never ends, lives longer than a token may, or is to be issued yet
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
 * Whether a base64url text is the one way to write its bytes. The last character of a signature has spare bits that a
 * decoder ignores, so that one token could be written in up to 16 ways; the firewall would count each on its own.
 */
const isCanonical = (text: string): boolean => Buffer.from(text, 'base64url').toString('base64url') === text;
