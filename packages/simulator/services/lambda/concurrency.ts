import type { Assembly } from '../../assembly/assembly.js';

/** AWS, "Lambda quotas": concurrent executions of an account and region, by default. A new account often has 10. */
const ACCOUNT_CONCURRENCY = 1000;
/** AWS, "Configuring reserved concurrency for a function": minimum that must remain unreserved. */
const LEAST_UNRESERVED = 100;

/** Number of concurrent invocations, and its limit. */
export interface Concurrency {
  limit: number;
  running: number;
}

/** Quota of an account's concurrent invocations. */
export interface AccountQuota {
  /** All of the account. @default 1,000 */
  readonly concurrency?: number;
  /** Those that functions can't reserve. @default 100, and all of an account that has fewer */
  readonly leastUnreserved?: number;
}

/** Concurrency that no function has reserved. */
export interface SharedConcurrency extends Concurrency {
  readonly leastUnreserved: number;
}

/** Returns the account's concurrency that no function has reserved. @throws {Error} if AWS would refuse so little */
export function unreservedConcurrency(assembly: Assembly, quota: AccountQuota = {}): SharedConcurrency {
  const { concurrency = ACCOUNT_CONCURRENCY, leastUnreserved = Math.min(LEAST_UNRESERVED, concurrency) } = quota;
  const limit = assembly
    .findByType('AWS::Lambda::Function')
    .reduce((left, { properties }) => left - Number(properties.ReservedConcurrentExecutions ?? 0), concurrency);
  if (limit < leastUnreserved) throw new Error(`functions reserve so much concurrency that ${limit} are left`);
  return { limit, running: 0, leastUnreserved };
}
