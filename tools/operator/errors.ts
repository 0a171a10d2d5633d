/** Exit codes of the command line: scripts and people's habits depend on them. */
export const Exit = {
  OK: 0,
  /** Not found, refused, unreachable. */
  FAILED: 1,
  USAGE: 2,
  /** Something is still on its way. */
  PENDING: 3,
  /** Something failed and waits for an operator. */
  NEEDS_OPERATOR: 4,
} as const;
export type Exit = (typeof Exit)[keyof typeof Exit];

/** A command that ends without its result; the message says why, `next` which command to try. */
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
