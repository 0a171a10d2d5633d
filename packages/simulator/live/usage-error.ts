/** A command line that can't be right. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
