/** A pattern that EventBridge refuses. */
export class InvalidPattern extends Error {
  override readonly name = 'InvalidPattern';
}
