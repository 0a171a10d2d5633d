/** Exit codes of the command line; scripts and operators' habits depend on them. */
export const Exit = {
  OK: 0,
  /** Not found, refused, or unreachable. */
  FAILED: 1,
  USAGE: 2,
  /** Some work is still in progress. */
  PENDING: 3,
  /** A failure waits for an operator. */
  NEEDS_OPERATOR: 4,
} as const;
export type Exit = (typeof Exit)[keyof typeof Exit];

/** A command that ends without a result; the message says why, `next` is the command to try next. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  constructor(
    readonly code: 'usage' | 'not-found' | 'refused' | 'unreachable',
    message: string,
    readonly next?: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  get exitCode(): Exit {
    return this.code === 'usage' ? Exit.USAGE : Exit.FAILED;
  }
}
