import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';

/**
 * A new UUIDv7: ids sort in about the order of time. Of the time and random bits alone: left to itself, `uuid` keeps both
 * from one call to the next in its module.
 */
export const newId = (): string => v7({ random: randomBytes(16) });

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** When a UUIDv7 was made, in milliseconds since 1970 (RFC 9562, 5.7); nothing where it isn't one. */
export const timeOfId = (id: string): number | undefined =>
  UUID_V7.test(id) ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined;

/** A new trace (W3C Trace Context, level 1; sampled). */
export const newTraceparent = (): string =>
  `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`;

/** The caller's trace where it sends a valid one, else a new one. */
export const traceparentFrom = (header: string | undefined): string =>
  header && /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/.test(header) ? header : newTraceparent();

const CORRELATION_ID = /^[A-Za-z0-9_.-]{1,64}$/;

/** The caller's own correlation id where it sends a valid one, else a new one. */
export const correlationIdFrom = (header: string | undefined): string =>
  header && CORRELATION_ID.test(header) ? header : newId();
