import {
  FetchError,
  JwkInvalidKtyError,
  JwkInvalidUseError,
  JwtExpiredError,
  JwtInvalidAudienceError,
  JwtInvalidIssuerError,
  JwtInvalidSignatureAlgorithmError,
  JwtInvalidSignatureError,
  JwtNotBeforeError,
  JwtWithoutValidKidError,
  KidNotFoundInJwksError,
  WaitPeriodNotYetEndedJwkError,
} from 'aws-jwt-verify/error';
import { decomposeUnverifiedJwt } from 'aws-jwt-verify/jwt';
import { JwtVerifier } from 'aws-jwt-verify/jwt-verifier';
import * as z from 'zod/mini';
import { clock } from '../aws/clock.js';
import { Env } from '../aws/environment.js';
import { requireEnv, requireIntegerEnv, requireListEnv } from '../aws/read-environment.js';
import { type Caller, CLOCK_SKEW_SECONDS, Unauthenticated } from './caller.js';
import { CallerId, EMAIL_SHAPE, isDotSegment, RESERVED_IDS } from './caller-id.js';

/** Created for the first token. Functions that get their caller from the gateway never pay for it. */
let verifier: ReturnType<typeof createVerifier> | undefined;

function createVerifier() {
  const jwks = process.env[Env.JWT_JWKS];
  const jwksUri = process.env[Env.JWT_JWKS_URI];
  const issuer = requireEnv(Env.JWT_ISSUER);
  const audience = requireEnv(Env.JWT_AUDIENCE);
  const isCognitoAccess = process.env[Env.JWT_TOKENS] === 'cognito-access';
  const verifier = JwtVerifier.create({
    issuer,
    audience: isCognitoAccess ? null : audience,
    graceSeconds: CLOCK_SKEW_SECONDS,
    // A recipient must refuse a token whose critical headers it does not understand (RFC 7515, 4.1.11). This one
    // understands none.
    customJwtCheck: ({ header, payload }) => {
      if ('crit' in header) throw new Unauthenticated('a critical header is unknown');
      if (isCognitoAccess) checkCognitoClaims(payload, audience);
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
 * Refuses what is no access token of Cognito for this client. Such a token has no `aud`: `client_id` names the app client.
 * Amazon Cognito, "Understanding the access token".
 */
function checkCognitoClaims(payload: Readonly<Record<string, unknown>>, client: string): void {
  if (payload.token_use !== 'access') throw new Unauthenticated('token_use: expected access');
  if (payload.client_id !== client) throw new Unauthenticated('audience: expected the client_id of the settings');
}

/** Why a token is refused, for the log: the claim or the part, never its value. */
const CAUSES: readonly (readonly [cause: string, errors: readonly (abstract new (...args: never[]) => Error)[]])[] = [
  ['expiry: exp is over', [JwtExpiredError]],
  ['not valid yet: nbf is ahead', [JwtNotBeforeError]],
  ['issuer: expected the iss of the settings', [JwtInvalidIssuerError]],
  ['audience: expected the aud of the settings', [JwtInvalidAudienceError]],
  ['signature: it is not that of the key', [JwtInvalidSignatureError, JwtInvalidSignatureAlgorithmError]],
  [
    'key: the issuer has none of this kid for signatures',
    [
      KidNotFoundInJwksError,
      JwtWithoutValidKidError,
      WaitPeriodNotYetEndedJwkError,
      JwkInvalidUseError,
      JwkInvalidKtyError,
    ],
  ],
];

const describeCause = (error: unknown): string =>
  CAUSES.find(([, errors]) => errors.some((one) => error instanceof one))?.[0] ?? 'malformed: it is no signed JWT';

/** Errors before the signature is verified. */
const UNVERIFIED = [
  JwtInvalidSignatureError,
  JwtInvalidSignatureAlgorithmError,
  KidNotFoundInJwksError,
  JwtWithoutValidKidError,
  WaitPeriodNotYetEndedJwkError,
  JwkInvalidUseError,
  JwkInvalidKtyError,
];

/**
 * Says to the caller why a token is refused. Expiry and audience are checked behind the signature, so only the issuer's own tokens
 * learn of them. A token whose signature isn't verified learns what it says itself: that its issuer is another one.
 */
function describeRefusal(error: unknown, token: string): string {
  if (error instanceof JwtExpiredError) {
    const expired = Number(error.failedAssertion.actual);
    const now = clock.epochSeconds();
    return `It expired ${Math.round(now - expired)} seconds ago: at ${formatTime(expired)}, and the clock of the API says ${formatTime(now)}.`;
  }
  if (error instanceof JwtNotBeforeError)
    return `It is not valid yet: its nbf is ahead of the clock of the API, which says ${formatTime(clock.epochSeconds())}.`;
  if (error instanceof JwtInvalidAudienceError) return 'It is for another audience.';
  const isUnverified = UNVERIFIED.some((one) => error instanceof one);
  if (error instanceof JwtInvalidIssuerError || (isUnverified && isOfOtherIssuer(token)))
    return 'It is from another issuer.';
  return isUnverified ? 'Its signature is not that of its issuer.' : 'It is malformed: expected a signed JWT.';
}

/** Formats a time. One of a token is a date here: the verifier has formatted it, too. */
const formatTime = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, -'.000Z'.length)}Z`;

function isOfOtherIssuer(token: string): boolean {
  try {
    return decomposeUnverifiedJwt(token).payload.iss !== requireEnv(Env.JWT_ISSUER);
  } catch {
    return false;
  }
}

/**
 * Returns the role in a claim: a text, or a list (groups) with exactly one role of the application.
 * @throws {Unauthenticated} without one, or with several
 */
function readRole(claim: unknown): string {
  const roles = requireListEnv(Env.ROLES);
  const named = [claim].flat().filter((one): one is string => typeof one === 'string' && roles.includes(one));
  const [role, ...others] = new Set(named);
  if (role === undefined) throw new Unauthenticated('unknown role');
  if (others.length > 0) throw new Unauthenticated('several roles: expected one');
  return role;
}

/**
 * Verifies an `Authorization: Bearer` header: signature, issuer, audience, expiry and lifetime. The role must be one of
 * the application's.
 * @throws {Unauthenticated} if anything is wrong with the token
 */
export async function authenticate(authorization: string | undefined): Promise<Caller> {
  const [, token] = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization ?? '') ?? [];
  if (!token)
    throw new Unauthenticated('no bearer token', {
      detail: 'It is malformed: expected one header Authorization, with Bearer and a signed JWT.',
    });
  if (!isCanonical(token.slice(token.lastIndexOf('.') + 1))) throw new Unauthenticated('signature not canonical');
  verifier ??= createVerifier();
  let claims: Awaited<ReturnType<typeof verifier>>;
  try {
    claims = await verifier(token);
  } catch (error) {
    // FetchError: the issuer is unreachable, which is not the caller's fault. Unauthenticated already says what is
    // wrong.
    if (error instanceof FetchError || error instanceof Unauthenticated) throw error;
    throw new Unauthenticated(describeCause(error), { detail: describeRefusal(error, token), cause: error });
  }
  const { sub } = claims;
  if (EMAIL_SHAPE.test(String(sub))) throw new Unauthenticated('sub is an e-mail address');
  if (!z.safeParse(CallerId, sub).success || typeof sub !== 'string') throw new Unauthenticated('sub is not an id');
  if (isDotSegment(sub) || RESERVED_IDS.includes(sub)) throw new Unauthenticated('sub is a fixed segment of paths');
  return { id: sub, role: readRole(claims[requireEnv(Env.JWT_ROLE_CLAIM)]), expires: checkExpiry(claims) };
}

/**
 * Returns the token's expiry, in seconds since 1970. A token can't be revoked before it expires, so its lifetime is
 * limited.
 * @throws {Unauthenticated} if the token never expires, lives longer than allowed, or was issued in the future
 */
function checkExpiry({ exp, iat }: { readonly exp?: unknown; readonly iat?: unknown }): number {
  const now = clock.epochSeconds();
  if (typeof exp !== 'number') throw new Unauthenticated('no exp');
  if (iat !== undefined && typeof iat !== 'number') throw new Unauthenticated('iat is not a time');
  if (iat !== undefined && iat > now + CLOCK_SKEW_SECONDS) throw new Unauthenticated('issued in the future');
  if (exp - (iat ?? now) > requireIntegerEnv(Env.JWT_MAX_LIFETIME)) throw new Unauthenticated('lives too long');
  return exp;
}

/**
 * Tells whether a base64url text is in canonical form. The last character of a signature has spare bits that decoders
 * ignore, so one token could be written in up to 16 ways, and the firewall would count each of them separately.
 */
const isCanonical = (text: string): boolean => Buffer.from(text, 'base64url').toString('base64url') === text;
