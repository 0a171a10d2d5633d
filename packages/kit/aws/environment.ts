/**
 * Names of the environment variables that the kit's constructs (deploy time) set and its functions (run time) read.
 * Written once, here: a name that only one side knows is a fault in production. A service declares its own beside its functions.
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
  /** API functions and the authorizer: who issues tokens. */
  JWT_ISSUER: 'JWT_ISSUER',
  JWT_AUDIENCE: 'JWT_AUDIENCE',
  /** Name of the claim that holds the caller's role. */
  JWT_ROLE_CLAIM: 'JWT_ROLE_CLAIM',
  /** Roles of the application, as JSON: `["customer", "operator"]`. A token with any other is refused. */
  ROLES: 'ROLES',
  /** Those whose requests are logged by name, as JSON. */
  OPERATOR_ROLES: 'OPERATOR_ROLES',
  /** How long a token may live from its issue to its end, in seconds. */
  JWT_MAX_LIFETIME: 'JWT_MAX_LIFETIME_SECONDS',
  /** Inline JWKS (JSON). Absent: fetched. */
  JWT_JWKS: 'JWT_JWKS',
  /** Where the JWKS is fetched. Absent: `<issuer>/.well-known/jwks.json`. */
  JWT_JWKS_URI: 'JWT_JWKS_URI',
} as const;
