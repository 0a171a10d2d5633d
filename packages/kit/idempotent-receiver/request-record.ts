import type { DedupeWindow } from '../aws/dedupe-window.js';
import type { Item, TransactWriteItem } from '../aws/dynamodb.js';
import { Env } from '../aws/environment.js';
import { readDedupeWindow, requireEnv } from '../aws/read-environment.js';
import type { RequestHashes } from './idempotency-key.js';

/** Idempotency table of a service and its deduplication window: enough for a route that takes keys and no sessions. */
export interface KeyRecords {
  readonly table: string;
  /** In seconds. */
  readonly windowSeconds: DedupeWindow;
}

/** Idempotency table of a service, its deduplication window, and the route that opens sessions. */
export interface RecordsTable extends KeyRecords {
  /**
   * Name of the service. It is part of the ids of its sessions, so that a client with several sessions, and the
   * service, can tell them apart.
   */
  readonly service: string;
  readonly sessionsPath: string;
}

/**
 * Returns the idempotency table of this function's service, for a route that takes keys and no sessions.
 * @example
 * const records = keyRecordsFromEnvironment(); // at the start of the module
 * const record = createKeyRecord(parseIdempotencyKey(toKeyedRequest(request)), records);
 * @throws {SettingMissing} at start, if the construct did not set it
 */
export const keyRecordsFromEnvironment = (): KeyRecords => ({
  table: requireEnv(Env.RECORDS),
  windowSeconds: readDedupeWindow(),
});

/**
 * Returns the idempotency table of this function's service.
 * @example
 * const records = recordsTableFromEnvironment(); // at the start of the module
 * const record = createRequestRecord(toKeyedRequest(request), records);
 * @throws {SettingMissing} at start, if the construct did not set it
 */
export const recordsTableFromEnvironment = (): RecordsTable => ({
  ...keyRecordsFromEnvironment(),
  service: requireEnv(Env.SERVICE),
  sessionsPath: requireEnv(Env.SESSIONS),
});

/** Stored result of a request that was accepted. */
export interface EarlierRequest {
  /** Version of the aggregate that answers the request. */
  readonly version: number;
  readonly requestHash: string;
  /** Id of the one request that did the work. */
  readonly trigger: string;
  /**
   * State that answers the request. Only requests on a state-stored aggregate have it, because earlier versions of such
   * an aggregate are not stored. Personal fields are sealed in it.
   */
  readonly state?: Item;
}

/** Record of a changing request, by a key or by a number in a session. It recognises a repeat. */
export interface RequestRecord extends RequestHashes {
  /** Hash of 64 hex digits that only this request and its repeats have. It can name what the request creates. */
  readonly scope: string;
  /**
   * Reads the result of an earlier success of this request, strongly consistent. Returns `undefined` if none is known.
   */
  find(): Promise<EarlierRequest | undefined>;
  /**
   * Prepares the claim of the request.
   * @returns a function that creates the write which records the request, with the version that answers it, and with the
   *   state if only the newest one is stored. The write is refused if the request was recorded before, and then shows the
   *   existing item.
   * @throws {Problem} if the request cannot be accepted for the first time any more. As a repeat it may still be
   *   answered.
   */
  claim(trigger: string): Promise<(version: number, state?: Item) => TransactWriteItem>;
  /**
   * Returns the result in the item that refused a claim.
   * @throws {Problem} if the request is not a repeat, but is too late by now
   * @throws {WriteConflict} if it is neither; try again
   */
  readEarlier(found: Item | undefined): EarlierRequest;
  /** Notes that a repeat of the request gets its answer: an access to the request's session, if it has one. It never throws. */
  recordRepeat(): Promise<void>;
  /** @throws {Problem} 422, always: another request had the same key or number before */
  refuseReused(): never;
}
