import type { Item, TransactWriteItem } from '../aws/dynamodb.js';
import { Env } from '../aws/environment.js';
import { required, requiredInteger } from '../aws/read-environment.js';
import type { RequestHashes } from './idempotency-key.js';

/** A service's idempotency table, how long a repeat is recognised, and the route that opens sessions. */
export interface RecordsTable {
  readonly table: string;
  readonly windowSeconds: number;
  /** Stands in the ids of its sessions: a client that has several can tell them apart, and so can the service. */
  readonly service: string;
  readonly sessionsPath: string;
}

/** The one of this function's service. @throws {SettingMissing} at start, where the construct didn't set it */
export const requestRecords = (): RecordsTable => ({
  table: required(Env.RECORDS),
  windowSeconds: requiredInteger(Env.DEDUPE_WINDOW_SECONDS),
  service: required(Env.SERVICE),
  sessionsPath: required(Env.SESSIONS),
});

/** What is kept of a request that was carried out. */
export interface Earlier {
  /** The aggregate's version that answers it. */
  readonly version: number;
  readonly requestHash: string;
  /** Id of the one request that did it. */
  readonly trigger: string;
}

/** How a request that changes something is told from its repeat, by a key or by a number, and where that is kept. */
export interface RequestRecord extends RequestHashes {
  /** 64 hex digits, of this request and its repeats alone: what it makes can be named by it. */
  readonly scope: string;
  /** What this request led to before, strongly consistent; nothing where it is not known to have led to anything. */
  find(): Promise<Earlier | undefined>;
  /**
   * @returns the write that records it as carried out, with the version that answers it; refused where it was recorded
   *   before, and then shows what stands there
   * @throws {Problem} it can't be carried out for the first time any more; as a repeat it may be answered all the same
   */
  claim(trigger: string): Promise<(version: number) => TransactWriteItem>;
  /**
   * What a refused claim has met.
   * @throws {Problem} no repeat, but too late meanwhile; {@link WriteConflict} neither: try again
   */
  earlier(found: Item | undefined): Earlier;
  /** @throws {Problem} 422, another request came under the same key or number */
  refuseReused(): never;
}
