import type { Resource } from '../../assembly/assembly.js';
import type { JsonObject } from '../../assembly/intrinsics.js';
import type { ApiResponse } from '../apigateway/messages.js';
import { type Claims, type DecodedToken, decodeToken, isSignedBy, type PublicJwk, scopesOf } from '../cognito/jwt.js';
import { refuseToken } from './answers.js';

/** Finds the public keys of an issuer. @param then gets `undefined` if nobody answers for the issuer */
export type FindKeys = (issuer: string, then: (keys: readonly PublicJwk[] | undefined) => void) => void;

/** Outcome of a check: the token as functions see it, or the answer that refuses the request. */
export type TokenChecked =
  | { readonly claims: Readonly<Record<string, string>>; readonly scopes: readonly string[] | null }
  | { readonly refusal: ApiResponse };

/** Milliseconds for which keys may be kept. "API Gateway can cache the public key for two hours." */
const KEPT = 2 * 3_600_000;

/**
 * JWT authorizers of one API. Amazon API Gateway, "Control access to HTTP APIs with JWT authorizers in API Gateway": signature by a key of
 * the issuer, `iss`, `aud` or `client_id`, `exp`, `nbf`, `iat`, and one of the route's scopes.
 */
export class JwtAuthorizers {
  private readonly kept = new Map<string, { readonly until: number; readonly keys: readonly PublicJwk[] }>();

  /** @param now returns the time, milliseconds since 1970 */
  constructor(
    private readonly now: () => number,
    private readonly findKeys: FindKeys,
  ) {}

  /** Checks a token. @param text with or without `Bearer` before it @param scopes of which the token needs one */
  check(authorizer: Resource, text: string, scopes: readonly string[], done: (checked: TokenChecked) => void): void {
    const refuse = (why: string): void => done({ refusal: refuseToken(401, 'invalid_token', why) });
    const token = decodeToken(text.replace(/^Bearer\s+/i, ''));
    if (!token) return void refuse('the token is malformed');
    const { Issuer } = (authorizer.properties.JwtConfiguration ?? {}) as JsonObject;
    this.keysOf(String(Issuer), (keys) => {
      const why = this.findFlaw(authorizer, token, keys);
      if (why !== undefined) return void refuse(why);
      const owned = scopesOf(token.claims);
      if (scopes.length > 0 && !scopes.some((scope) => owned.includes(scope)))
        return void done({
          refusal: refuseToken(403, 'insufficient_scope', 'the token does not have a required scope', scopes),
        });
      done({ claims: toTexts(token.claims), scopes: scopes.length > 0 ? owned : null });
    });
  }

  private keysOf(issuer: string, then: (keys: readonly PublicJwk[]) => void): void {
    const kept = this.kept.get(issuer);
    if (kept && kept.until > this.now()) return void then(kept.keys);
    this.findKeys(issuer, (keys) => {
      if (keys) this.kept.set(issuer, { until: this.now() + KEPT, keys });
      then(keys ?? []);
    });
  }

  /** Says why a token isn't accepted. */
  private findFlaw({ properties }: Resource, token: DecodedToken, keys: readonly PublicJwk[]): string | undefined {
    const { Issuer, Audience } = (properties.JwtConfiguration ?? {}) as JsonObject;
    const { iss, aud, client_id, exp, nbf, iat } = token.claims;
    const now = this.now() / 1000;
    const audience = [aud ?? client_id ?? []].flat().map(String);
    if (!isSignedBy(token, keys)) return 'the token has an invalid signature';
    if (iss !== Issuer) return 'the token does not have a valid issuer';
    if (!audience.some((one) => ((Audience ?? []) as readonly string[]).includes(one)))
      return 'the token does not have a valid audience';
    if (typeof exp !== 'number' || exp <= now) return 'the token has expired';
    if ([nbf, iat].some((time) => typeof time === 'number' && time > now)) return 'the token is not valid yet';
    return undefined;
  }
}

/** Functions get every claim as a text; a list as its values in brackets. */
const toTexts = (claims: Claims): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(claims).map(([name, value]) => [
      name,
      Array.isArray(value) ? `[${value.join(' ')}]` : typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]),
  );
