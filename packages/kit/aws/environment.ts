/**
 * Names of the environment variables that the kit's constructs (deploy time) set and its functions (run time) read.
 *
 * Each name is declared once, since a name that only one side knows is a fault in production. A service declares its
 * own variables beside its functions.
 */
export const Env = {
  /** Name of the application. The names of everything that it sends and answers contain it (`app-names.ts`). */
  APP: 'APP',
  /** Name of the function's service without the application's name, such as `orders`. */
  SERVICE: 'SERVICE',
  /**
   * Name of the environment that the function is deployed to, such as `dev` or `prod`. For logs, and for the names of its
   * stacks; nothing is decided by it.
   */
  ENVIRONMENT: 'ENVIRONMENT',
  /** Table of the service: commits, states, counters, projections. */
  TABLE: 'TABLE_NAME',
  /**
   * Idempotency table of the service: processed records, failure records and API records. Its TTL attribute is
   * `expiresAt`.
   */
  RECORDS: 'RECORDS_TABLE_NAME',
  /** Name or ARN of the event bus. Set for relays only. */
  BUS: 'BUS_NAME',
  /** Number of restores of the service so far; 0 before the first. Each commit stores it. Set for all functions that may commit. */
  EPOCH: 'EPOCH',
  /**
   * Consumer functions: pinned name, which is part of each processed record's key. Sweepers: the name of the consumer
   * that owns the timers.
   */
  CONSUMER: 'CONSUMER',
  /** Consumer functions: generation, raised to reprocess messages on purpose. 0 by default. */
  CONSUMER_GENERATION: 'CONSUMER_GENERATION',
  /**
   * Consumer functions: time of the first deployment of their name and generation, ISO 8601. Absent for a consumer that
   * takes no replay of events from before the deduplication window.
   */
  CONSUMER_SINCE: 'CONSUMER_SINCE',
  /** Consumer and API functions: deduplication window, in seconds. */
  DEDUPE_WINDOW_SECONDS: 'DEDUPE_WINDOW_SECONDS',
  /** API functions that take numbered requests: the route that opens sessions at their service, `/sessions`. */
  SESSIONS: 'SESSIONS_PATH',
  /**
   * Consumer functions: URL of their queue, to postpone single messages. Sweepers: URL of the queue of the timers'
   * owner.
   */
  QUEUE_URL: 'QUEUE_URL',
  /** Consumer functions: services that may send commands to their service over the bus, as JSON: `["orders"]`. */
  COMMANDERS: 'COMMANDERS',
  /** Drains: ARN of the queue to which EventBridge sends undeliverable messages and refused commands. */
  UNDELIVERED: 'UNDELIVERED_QUEUE_ARN',
  /** Consumer functions: number of deliveries of a message before it becomes a failure record. */
  MAX_ATTEMPTS: 'MAX_ATTEMPTS',
  /** Consumer functions with a lane: name of the lane, which is part of its requests' keys. */
  LANE: 'LANE',
  /** Consumer functions with a lane: keys that always take it, as JSON: `["TEA-1"]`. */
  LANE_HOT_KEYS: 'LANE_HOT_KEYS',
  /** Consumer functions with a lane: conflicts for a key, within one second, from which on it takes the lane. */
  LANE_CONFLICTS_PER_SECOND: 'LANE_CONFLICTS_PER_SECOND',
  /** Writers of a lane: URL of the queue of each consumer that stores requests, by the consumer's name, as JSON. */
  LANE_QUEUES: 'LANE_QUEUES',
  /** Sweepers: seconds that the owner has to handle a sent timer before the sweeper sends it again. */
  RESEND_SECONDS: 'RESEND_SECONDS',
  /** Runners and sweepers of an inbox: its settings, as JSON. */
  INBOX: 'INBOX',
  /** Dispatchers: URL of the queue of each inbox's runner by the inbox's name, as JSON. */
  RUNNER_QUEUES: 'RUNNER_QUEUES',
  /** `full` where records and logs keep the texts of all errors; absent where they keep safe ones (failure-texts.ts). */
  FAILURE_TEXTS: 'FAILURE_TEXTS',
  /** Functions that see personal data: the table of personal keys, and the ARN of the KMS key that wraps them. */
  PERSONAL_KEYS: 'PERSONAL_KEYS_TABLE_NAME',
  PERSONAL_DATA_KEY: 'PERSONAL_DATA_KEY_ARN',
  /** Shards of the feed index, as JSON, ascending by time: `[{ "from": "<ISO time>", "shards": 8 }]`. */
  FEED_SHARDS: 'FEED_SHARDS',
  /** API functions and the authorizer: issuer and audience of the tokens that are accepted. */
  JWT_ISSUER: 'JWT_ISSUER',
  JWT_AUDIENCE: 'JWT_AUDIENCE',
  /** `cognito-access` if tokens are access tokens of Cognito. Absent for tokens with `aud`. */
  JWT_TOKENS: 'JWT_TOKENS',
  /** Name of the claim that holds the caller's role. */
  JWT_ROLE_CLAIM: 'JWT_ROLE_CLAIM',
  /** Roles of the application, as JSON: `["customer", "operator"]`. A token with any other role is refused. */
  ROLES: 'ROLES',
  /** Operator roles, as JSON. The log names the caller of each request with such a role. */
  OPERATOR_ROLES: 'OPERATOR_ROLES',
  /** Types of events that the relay doesn't publish, as a JSON list. */
  OFF_BUS: 'OFF_BUS',
  /**
   * API functions and the authorizer: origins whose pages may read the answers, as JSON: `["https://shop.example.org"]`. Absent
   * if none may.
   */
  CORS_ORIGINS: 'CORS_ORIGINS',
  /** Longest lifetime of a token from issue to expiry, in seconds. */
  JWT_MAX_LIFETIME: 'JWT_MAX_LIFETIME_SECONDS',
  /** Inline JWKS (JSON). If it is absent, the JWKS is fetched. */
  JWT_JWKS: 'JWT_JWKS',
  /** URL of the JWKS. If it is absent, the URL is `<issuer>/.well-known/jwks.json`. */
  JWT_JWKS_URI: 'JWT_JWKS_URI',
} as const;
