import { Problem } from '../http/errors.js';
import { type KeyedRequest, parseIdempotencyKey } from './idempotency-key.js';
import { createKeyRecord } from './key-record.js';
import { createNumberedRecord } from './numbered-session.js';
import type { RecordsTable, RequestRecord } from './request-record.js';

/**
 * Creates the record by which a repeat of a changing request is recognised: by its number in a session, or by its
 * idempotency key.
 * @example
 * const record = createRequestRecord(toKeyedRequest(request), records);
 * const { loaded } = await changeOnce({ store, id, record, trace: toTrace(request), admit, command });
 * @throws {Problem} 400 if the request has both or neither, or if one is malformed
 */
export function createRequestRecord(request: KeyedRequest, records: RecordsTable): RequestRecord {
  if (!request.session) return createKeyRecord(parseIdempotencyKey(request), records);
  if (request.header === undefined) return createNumberedRecord(request, records);
  const errors = [{ header: 'Idempotency-Key', detail: 'expected none beside Session-Id' }];
  throw new Problem('invalid-request', 'send an Idempotency-Key or a session number, not both', {
    errors,
  });
}
