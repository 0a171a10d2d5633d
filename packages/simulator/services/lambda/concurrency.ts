import type { Assembly } from '../../assembly/assembly.js';

/** AWS, "Lambda quotas": concurrent executions of an account and region, by default. */
const ACCOUNT_CONCURRENCY = 1000;
/** AWS, "Configuring reserved concurrency for a function": minimum that must remain unreserved. */
export const LEAST_UNRESERVED = 100;

/** Number of concurrent invocations, and its limit. */
export interface Concurrency {
  limit: number;
  running: number;
}

/** Returns the account's concurrency that no function has reserved. @throws {Error} if AWS would refuse so little */
export function unreservedConcurrency(assembly: Assembly): Concurrency {
  const limit = assembly
    .findByType('AWS::Lambda::Function')
    .reduce((left, { properties }) => left - Number(properties.ReservedConcurrentExecutions ?? 0), ACCOUNT_CONCURRENCY);
  if (limit < LEAST_UNRESERVED) throw new Error(`functions reserve so much concurrency that ${limit} are left`);
  return { limit, running: 0 };
}
