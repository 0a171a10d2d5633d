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

/**
 * Error for a token that does not prove who calls. Its message is the cause, for the log. The answer gives none, since a reason
 * would help a forger.
 */
export class Unauthenticated extends Error {
  override readonly name = 'Unauthenticated';
}

/** Seconds that an issuer's clock may differ from this one, for each time in a token: `exp`, `nbf` and `iat`. */
export const CLOCK_SKEW_SECONDS = 60;
