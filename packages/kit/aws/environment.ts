/**
 * Names of the environment variables that the constructs (deploy time) set and the functions (run time) read.
 * Written once, here: a name that only one side knows is a fault in production.
 */
export const Env = {
  /** Name of the application: what it sends and answers is called by it (`app-names.ts`). */
  APP: 'APP',
  /** Name of the service that the function belongs to, without the application's: `orders`. */
  SERVICE: 'SERVICE',
  /** Name of the environment that the function is deployed to: `dev`, `prod`. For logs, never for a decision. */
  ENVIRONMENT: 'ENVIRONMENT',
  /** The service's own table: commits, states, counters, projections. */
  TABLE: 'TABLE_NAME',
  /** The service's own idempotency table: processed and failure records, API records. TTL on `expiresAt`. */
  RECORDS: 'RECORDS_TABLE_NAME',
  /** Event bus, name or ARN: relays only. */
  BUS: 'BUS_NAME',
  /** Restores of the service so far; travels in the envelope. 0 until the first. */
  EPOCH: 'EPOCH',
  /** Consumer functions: pinned name, part of each processed record's key. Sweepers: their owner's. */
  CONSUMER: 'CONSUMER',
  /** Consumer functions: raised to reprocess on purpose. 0 by default. */
  CONSUMER_GENERATION: 'CONSUMER_GENERATION',
  /** Consumer and API functions: how long a duplicate is recognised, in seconds. */
  DEDUPE_WINDOW_SECONDS: 'DEDUPE_WINDOW_SECONDS',
  /** API functions that take numbered requests: the route that opens their service's sessions, `/sessions`. */
  SESSIONS: 'SESSIONS_PATH',
  /** Consumer functions: address of their queue, for putting single messages off. Sweepers: their owner's queue. */
  QUEUE_URL: 'QUEUE_URL',
  /** Consumer functions: services that may command theirs over the bus, as JSON: `["orders"]`. */
  COMMANDERS: 'COMMANDERS',
  /** Drains: ARN of the queue that EventBridge fills with what it could not deliver, and with commands that are refused. */
  UNDELIVERED: 'UNDELIVERED_QUEUE_ARN',
  /** Consumer functions: deliveries of one message before it becomes a failure record. */
  MAX_ATTEMPTS: 'MAX_ATTEMPTS',
  /** Sweepers: how long a timer that was handed out is left to its owner before it is handed out again, in seconds. */
  HAND_OUT_SECONDS: 'HAND_OUT_SECONDS',
  /** Functions that see personal data: the table of the people's keys, and the ARN of the KMS key that wraps them. */
  PERSONAL_KEYS: 'PERSONAL_KEYS_TABLE_NAME',
  PERSONAL_DATA_KEY: 'PERSONAL_DATA_KEY_ARN',
  /** Shards of the feed index, as JSON: `[{ "from": "<ISO time>", "shards": 8 }]`, ascending. */
  FEED_SHARDS: 'FEED_SHARDS',
  /** Accounts: what an account is opened with at its customer's first order, as JSON: `{ "amount": 100000, "currency": "EUR" }`. */
  DEFAULT_CREDIT_LIMIT: 'DEFAULT_CREDIT_LIMIT',
  /** Functions that limit a customer: the limits, as JSON (`customer-limits.ts`). */
  CUSTOMER_LIMITS: 'CUSTOMER_LIMITS',
  /** Payments: the table of Powertools' guard around the provider's calls. */
  GUARD: 'GUARD_TABLE_NAME',
  /** Payments: the sandbox provider's own table. */
  SANDBOX: 'SANDBOX_TABLE_NAME',
  /** Payments: name of the parameter that holds Stripe's secret key; never the key. */
  STRIPE_SECRET: 'STRIPE_SECRET_PARAMETER',
  /** API functions and the authorizer: who issues tokens. */
  JWT_ISSUER: 'JWT_ISSUER',
  JWT_AUDIENCE: 'JWT_AUDIENCE',
  /** Name of the claim that holds `customer` or `operator`. */
  JWT_ROLE_CLAIM: 'JWT_ROLE_CLAIM',
  /** How long a token may live from its issue to its end, in seconds. */
  JWT_MAX_LIFETIME: 'JWT_MAX_LIFETIME_SECONDS',
  /** Inline JWKS (JSON). Absent: fetched. */
  JWT_JWKS: 'JWT_JWKS',
  /** Where the JWKS is fetched. Absent: `<issuer>/.well-known/jwks.json`. */
  JWT_JWKS_URI: 'JWT_JWKS_URI',
} as const;

export type EnvName = (typeof Env)[keyof typeof Env];

/** What one customer may do. Whole numbers above 0. */
export interface CustomerLimits {
  /** Orders that are under way at once. */
  readonly ordersUnderWay: number;
  /** Orders within a clock hour (UTC). */
  readonly ordersPerHour: number;
  /** Payments that are requested within a day (UTC), whatever becomes of them; those of orders don't count. */
  readonly paymentsPerDay: number;
  /** Refunds that are requested within a day (UTC); those of orders don't count. */
  readonly refundsPerDay: number;
  /** Sum of these refunds in each currency, in its smallest unit. */
  readonly refundedPerDay: number;
}
