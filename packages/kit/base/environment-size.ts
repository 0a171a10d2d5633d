import { Stack } from 'aws-cdk-lib';
import type { CfnFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Env } from '../aws/environment.js';
import { estimateBytes } from './text-length.js';

/** Lambda's limit for the names and values of all environment variables of a function together, in bytes ("Lambda quotas"). */
export const MAX_ENVIRONMENT_BYTES = 4096;

/** Settings whose texts grow with what an operator lists in them, by the variables that carry them. */
const SETTINGS: Readonly<Record<string, string>> = {
  [Env.JWT_JWKS]: 'auth.jwks; name auth.jwksUri instead',
  [Env.LANE_HOT_KEYS]: 'hotKeys of the lane; list fewer keys, others take the lane by themselves',
};

/**
 * Checks the size of a function's environment variables, which only the deployment would refuse: it sees the function after
 * everything has set its variables. Values that the deployment knows are counted by an estimate.
 * @returns the error, with the largest variable, its setting and the limit; nothing if the variables fit
 */
export function findEnvironmentErrors(lambda: LambdaFunction): string[] {
  const resource = lambda.node.defaultChild as CfnFunction;
  const { variables = {} } = (Stack.of(lambda).resolve(resource.environment) ?? {}) as Resolved;
  const sizes = Object.entries(variables).map(([name, value]) => ({
    name,
    bytes: Buffer.byteLength(name) + estimateBytes(value),
  }));
  const bytes = sizes.reduce((sum, one) => sum + one.bytes, 0);
  const [largest] = sizes.toSorted((one, other) => other.bytes - one.bytes);
  if (largest === undefined || bytes <= MAX_ENVIRONMENT_BYTES) return [];
  const setting = SETTINGS[largest.name];
  return [
    `its environment variables have ${bytes} bytes: expected at most ${MAX_ENVIRONMENT_BYTES}, Lambda's limit for all of a function. The largest is ${largest.name} with ${largest.bytes} bytes${setting === undefined ? '' : ` (${setting})`}`,
  ];
}

interface Resolved {
  readonly variables?: Readonly<Record<string, unknown>>;
}
