import type { LambdaFunction } from '../aws/lambda.js';

/** Returns the log group of a function. AWS Lambda Developer Guide, "Configuring CloudWatch log groups". */
export function logGroupOf({ resource: { ref, properties } }: LambdaFunction): string {
  const { LogGroup } = (properties.LoggingConfig ?? {}) as { LogGroup?: string };
  return LogGroup ?? `/aws/lambda/${ref}`;
}
