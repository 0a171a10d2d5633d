/** Routes whose effect happens once for each request of a client, however often it is sent. */
export { type Change, type ChangeOnce, changeOnce } from './change-once.js';
export { type ChangeStateOnce, changeStateOnce, type StateOutcome } from './change-state-once.js';
export { type Alongside, type CreateOnce, createOnce, type Outcome } from './create-once.js';
export { createRequestRecord } from './create-request-record.js';
export {
  type IdempotencyKey,
  issueKey,
  type KeyedRequest,
  parseIdempotencyKey,
} from './idempotency-key.js';
export { createKeyRecord } from './key-record.js';
export { type PersonalEffect, PersonalRequest } from './personal-request.js';
export {
  type EarlierRequest,
  type KeyRecords,
  keyRecordsFromEnvironment,
  type RecordsTable,
  type RequestRecord,
  recordsTableFromEnvironment,
} from './request-record.js';
