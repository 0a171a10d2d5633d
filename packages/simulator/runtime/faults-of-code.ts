/** Code that was ended, and may not run on. */
export class Ended extends Error {
  constructor(
    override readonly name: string,
    message: string,
  ) {
    super(message);
  }
}

/** Beginnings of the lines that Lambda's runtime writes about a fault. */
export const HEADINGS = {
  handler: 'Invoke Error',
  exception: 'Uncaught Exception',
  rejection: 'Unhandled Promise Rejection',
} as const;

/** Returns what is known of something that was thrown, which may be anything. */
export function describeError(error: unknown): {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
} {
  const { name = 'Error', message = error, stack } = (error ?? {}) as Partial<Error>;
  return { name: String(name), message: String(message), ...(stack !== undefined && { stack: String(stack) }) };
}
