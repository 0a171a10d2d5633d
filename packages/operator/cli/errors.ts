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
  /** The first message of a group failed again, so no other was sent. */
  PROBE_FAILED: 5,
} as const;
export type Exit = (typeof Exit)[keyof typeof Exit];

/** Advice after an error: words of a command of the same command line, or a sentence. */
export type NextCommand = readonly string[] | string;

/** A command that ends without a result; the message says why, `next` what to try next. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  constructor(
    readonly code: 'usage' | 'not-found' | 'refused' | 'unreachable',
    message: string,
    readonly next?: NextCommand,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  get exitCode(): Exit {
    return this.code === 'usage' ? Exit.USAGE : Exit.FAILED;
  }
}

/** A refusal whose cause is the request: another one would have an answer. Any other refusal is about the environment. */
export class RequestRefused extends OperatorError {
  constructor(message: string, next?: NextCommand, options?: ErrorOptions) {
    super('refused', message, next, options);
  }
}
