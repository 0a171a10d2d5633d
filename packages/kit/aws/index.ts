/** AWS access for the functions of a service: table, settings, clock, ids, log and metrics. */
export { clock, secondsBetween } from './clock.js';
export {
  documents,
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
export { Metric } from './metric-names.js';
export { retryOnConflict } from './optimistic-retry.js';
export {
  dedupeWindow,
  feedShards,
  required,
  requiredInteger,
  requiredList,
  SettingMissing,
} from './read-environment.js';
export { type FoundItems, type ItemQuery, itemsOf, type Part, type Reading, readItems } from './reading.js';
export { SafeError, type SafeText, safeText } from './safe-error.js';
export { dynamoDbTable, type Table, tableOfFunction } from './table.js';
export { count, countAtOnce, logger, seconds } from './telemetry.js';
export { Throttled, WriteConflict } from './write-conflict.js';
