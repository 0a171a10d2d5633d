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
 * Error for a token that does not prove who calls. Its message is the cause, for the log. The answer has the detail, which says no more
 * than the token itself: nothing about the keys and the settings of this API would help a forger.
 */
export class Unauthenticated extends Error {
  override readonly name = 'Unauthenticated';
  /** Sentence for the caller. The gateway puts it into JSON without escaping: no quotes and no backslashes. */
  readonly detail: string;

  constructor(
    reason: string,
    { detail = `It has a fault: ${reason}.`, ...options }: ErrorOptions & { readonly detail?: string } = {},
  ) {
    super(reason, options);
    this.detail = detail;
  }
}

/** Seconds that an issuer's clock may differ from this one, for each time in a token: `exp`, `nbf` and `iat`. */
export const CLOCK_SKEW_SECONDS = 60;
