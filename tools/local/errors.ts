/** The local run can't go on; the message says to its reader what is missing and the way round. */
export class LocalRunError extends Error {
  override readonly name = 'LocalRunError';
}
