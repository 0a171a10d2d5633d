/** Routes whose effect happens once for each request of a client, however often it is sent. */
export { type Change, type ChangeOnce, changeOnce } from './change-once.js';
export { type ChangeStateOnce, changeStateOnce, type StateOutcome } from './change-state-once.js';
export { type Alongside, type CreateOnce, createOnce, type Outcome } from './create-once.js';
export {
  type IdempotencyKey,
  idempotencyKey,
  issueKey,
  type KeyedRequest,
} from './idempotency-key.js';
export { keyRecord } from './key-record.js';
export { type PersonalEffect, PersonalRequest } from './personal-request.js';
export { recordOfRequest } from './record-of-request.js';
export {
  type Earlier,
  type KeyRecords,
  keyRecords,
  type RecordsTable,
  type RequestRecord,
  requestRecords,
} from './request-record.js';
