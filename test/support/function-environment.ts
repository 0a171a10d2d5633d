import { APP } from '../../lambdas/app.js';
import { AppEnv } from '../../lambdas/environment.js';
import { Env } from '../../packages/kit/aws/environment.js';

/** Limits of one customer, if a test has none of its own. */
export const LIMITS = {
  ordersUnderWay: 100,
  ordersPerHour: 300,
  paymentsPerDay: 50,
  refundsPerDay: 20,
  refundedPerDay: 1_000_000,
} as const;

/** Variables of the environment of every function of a service, for tests in this process: before its modules are imported. */
export function functionEnvironment(values: Readonly<Record<string, string>> = {}): void {
  Object.assign(process.env, {
    POWERTOOLS_DEV: 'true',
    POWERTOOLS_METRICS_DISABLED: 'true',
    POWERTOOLS_METRICS_NAMESPACE: 'Orderly/test',
    POWERTOOLS_SERVICE_NAME: 'test',
    [Env.APP]: APP.name,
    [Env.OPERATOR_ROLES]: JSON.stringify(APP.operatorRoles),
    [Env.TABLE]: 'table',
    [Env.RECORDS]: 'records',
    [Env.FEED_SHARDS]: JSON.stringify([{ from: '1970-01-01T00:00:00.000Z', shards: 8 }]),
    [Env.EPOCH]: '0',
    [AppEnv.CUSTOMER_LIMITS]: JSON.stringify(LIMITS),
    [Env.DEDUPE_WINDOW_SECONDS]: String(35 * 86_400),
    [Env.LANE]: 'lane',
    [Env.LANE_QUEUES]: '{}',
    [Env.LANE_HOT_KEYS]: '[]',
    [Env.LANE_CONFLICTS_PER_SECOND]: '10',
    ...values,
  });
}
