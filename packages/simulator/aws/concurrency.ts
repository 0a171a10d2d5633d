import type { Assembly } from '../assembly/assembly.js';

/** AWS, "Lambda quotas": concurrent executions of an account and region, by default. */
const ACCOUNT_CONCURRENCY = 1000;
/** AWS, "Configuring reserved concurrency for a function": so many stay with those that have reserved nothing. */
const LEAST_UNRESERVED = 100;

/** Invocations at once, and how many there may be. */
export interface Concurrency {
  readonly limit: number;
  running: number;
}

/** What functions have not reserved of the account's concurrency. @throws {Error} where that is too little for AWS */
export function unreservedConcurrency(assembly: Assembly): Concurrency {
  const limit = assembly
    .ofType('AWS::Lambda::Function')
    .reduce((left, { properties }) => left - Number(properties.ReservedConcurrentExecutions ?? 0), ACCOUNT_CONCURRENCY);
  if (limit < LEAST_UNRESERVED) throw new Error(`functions reserve so much concurrency that ${limit} are left`);
  return { limit, running: 0 };
}
