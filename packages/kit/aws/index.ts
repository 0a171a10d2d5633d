/** AWS access for the functions of a service: table, settings, clock, ids, log and metrics. */
export { clock, secondsBetween } from './clock.js';
export {
  documentClient,
  type Item,
  ItemExists,
  putNew,
  TransactionRefused,
  type TransactWriteItem,
  transact,
} from './dynamodb.js';
export { TooLarge } from './dynamodb-limits.js';
export { Env } from './environment.js';
export { newId } from './ids.js';
export { InboxMetric, Metric } from './metric-names.js';
export { retryOnConflict } from './optimistic-retry.js';
export {
  readDedupeWindow,
  readFeedShards,
  requireEnv,
  requireIntegerEnv,
  requireListEnv,
  SettingMissing,
} from './read-environment.js';
export {
  type FoundItems,
  type ItemQuery,
  type PageRequest,
  queryItems,
  type ReadOptions,
  readItems,
} from './read-items.js';
export { SafeError, type SafeText, safeText } from './safe-error.js';
export { dynamoDbTable, type Table, tableFromEnvironment } from './table.js';
export { count, countImmediately, logger, logOutcome, publishMetrics, recordSeconds } from './telemetry.js';
export { Throttled, WriteConflict } from './write-conflict.js';
