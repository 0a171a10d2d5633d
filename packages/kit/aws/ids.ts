import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

/** Random bytes that are fetched at once: a call of the generator for 16 bytes costs as much as one for a thousand. */
const pool = Buffer.allocUnsafe(1024);
let used = pool.length;

/**
 * Overwrites the random bytes that are left. Each invocation ends so: its ids depend on nothing that an earlier one has kept, and none of them
 * can be foretold from the memory of the function.
 */
export function dropRandomBytes(): void {
  if (used === pool.length) return;
  pool.fill(0);
  used = pool.length;
}

/** Returns random bytes that no earlier call returned. @param size bytes, at most 1,024 */
export function takeRandomBytes(size: number): Buffer {
  if (used + size > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += size;
  // A copy: the pool is filled again.
  return Buffer.from(pool.subarray(used - size, used));
}

/**
 * Creates a UUIDv7. Ids sort approximately by time.
 *
 * The id is made only from the time and random bits. By default, `uuid` also keeps state in its module from one call to
 * the next.
 * @param at time that it shows, in milliseconds since 1970. @default now, by the clock of this machine
 */
export const newId = (at?: number): string =>
  v7({ random: takeRandomBytes(16), ...(at !== undefined && { msecs: at }) });

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * Returns the time at which a UUIDv7 was made, in milliseconds since 1970 (RFC 9562, 5.7), or `undefined` for any other
 * text.
 */
export const parseIdTime = (id: string): number | undefined =>
  UUID_V7.test(id) ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Tells whether an id is a UUID in lower case: unique, whoever made it (RFC 9562, section 6.7). */
export const isUuid = (id: string): boolean => UUID.test(id);

/** Returns the smallest UUIDv7 of a millisecond (RFC 9562, 5.7). @param at milliseconds since 1970 */
export function smallestIdAt(at: number): string {
  const hex = at.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** Creates a new `traceparent` (W3C Trace Context, level 1; sampled). */
export const newTraceparent = (): string =>
  `00-${takeRandomBytes(16).toString('hex')}-${takeRandomBytes(8).toString('hex')}-01`;

/** Returns the caller's trace if the header is valid, else a new one. */
export const traceparentFrom = (header: string | undefined): string =>
  header && /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/.test(header) ? header : newTraceparent();

const CORRELATION_ID = /^[A-Za-z0-9_.-]{1,64}$/;

/** Returns the caller's correlation id if the header is valid, else a new one. */
export const correlationIdFrom = (header: string | undefined): string =>
  header && CORRELATION_ID.test(header) ? header : newId();
