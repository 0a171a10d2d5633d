/** Error that ends the local run. Its message says what is missing and how to get around it. */
export class LocalRunError extends Error {
  override readonly name = 'LocalRunError';
}
