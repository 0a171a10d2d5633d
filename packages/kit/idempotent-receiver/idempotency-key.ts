import { createHash, createHmac } from 'node:crypto';
import canonicalize from 'canonicalize';
import { clock } from '../aws/clock.js';
import { newId, parseIdTime } from '../aws/ids.js';
import { Problem } from '../http/errors.js';

/** Seconds within which an issued key must be used for the first time (24 h). */
export const ISSUED_KEY_SECONDS = 24 * 3600;
const ISSUED_PREFIX = 'ord_';
/**
 * Seconds after the end of a key or a session in which an earlier try may still take effect: its function's timeout, and a
 * write whose connection broke. AWS states no bound for the latter.
 */
const MAX_REQUEST_SECONDS = 60;

/** Hashes of one request. */
export interface RequestHashes {
  /**
   * HMAC of the whole request in canonical form, keyed by the raw key. It is equal for a repeat and reveals nothing.
   */
  readonly requestHash: string;
  /**
   * Hash as release 0.2.0 computed and stored it, including personal text. It recognises repeats of requests that 0.2.0
   * accepted. It is no longer stored.
   */
  readonly formerHash: string;
}

/** Idempotency key of one request. Only its hashes are kept. */
export interface IdempotencyKey extends RequestHashes {
  /**
   * Hash of (client, method, concrete path, key), 64 hex digits. So the keys of two clients never collide. It names the
   * aggregate (creation) or the record (change).
   */
  readonly scope: string;
  /** Seconds since the end of the time for an issued key's first use: then only a replay is answered. */
  readonly expiredFor?: number | undefined;
}

/** Issues a key. The key contains its own time, so its expiry needs no storage. */
export function issueKey(): { readonly idempotencyKey: string; readonly expiresAt: string } {
  const id = newId();
  const expires = (parseIdTime(id) ?? 0) + ISSUED_KEY_SECONDS * 1000;
  return { idempotencyKey: ISSUED_PREFIX + id, expiresAt: new Date(expires).toISOString() };
}

export interface KeyedRequest {
  /** Value of the `Idempotency-Key` header. */
  readonly header: string | undefined;
  /** Client that sends the request. Each client has its own keys. */
  readonly client: string;
  readonly method: string;
  readonly path: string;
  readonly query: unknown;
  readonly body: unknown;
  /**
   * Fields of the body that hold personal text. Their presence is hashed, their text is not; a stored text is compared
   * itself. `auto` hashes the whole body, and so these fields too.
   * @default none
   */
  readonly personal?: readonly string[];
  /** Session headers, if the request has any. */
  readonly session?: SessionHeaders | undefined;
}

/** Session headers as they came: `Session-Id`, `Request-Number`, `Answered-Up-To`. */
export interface SessionHeaders {
  readonly id: string | undefined;
  readonly number: string | undefined;
  readonly answeredUpTo: string | undefined;
}

/**
 * Reads the idempotency key of a request. There are three kinds:
 *
 * - the client's own key,
 * - a key that the server issued,
 * - `auto`: the hash of the body. The body must then hold a `clientReference`, because otherwise two equal orders could
 *   never both be placed.
 *
 * A key may be quoted, as in the IETF's draft ("The Idempotency-Key HTTP Header Field": a string of RFC 8941). It is
 * the same key with or without quotes.
 * @example
 * const key = parseIdempotencyKey({ ...toKeyedRequest(request), personal: ['clientReference'] });
 * @throws {Problem} 400 `key-missing` if the header is missing; 400 `invalid-request` if it is malformed
 */
export function parseIdempotencyKey(request: KeyedRequest): IdempotencyKey {
  const { client, method, path, body } = request;
  if (request.session) throw sessionNotAccepted();
  const header = unquote(request.header);
  if (header === undefined || header === '') {
    throw new Problem(
      'key-missing',
      'send Idempotency-Key: 1 to 255 visible ASCII characters, the same for each repeat of this request',
      {
        errors: [{ header: 'Idempotency-Key', detail: 'missing' }],
      },
    );
  }
  if (!/^[\x21-\x7e]{1,255}$/.test(header)) throw malformedKey();
  const auto = header === 'auto';
  if (auto && !hasReference(body)) {
    throw new Problem('invalid-request', 'Idempotency-Key: auto needs a clientReference in the body', {
      errors: [
        {
          header: 'Idempotency-Key',
          pointer: '/clientReference',
          detail: 'required: it tells a repeat from a new request with the same content',
        },
      ],
    });
  }
  const key = auto ? computeHash(body) : header;
  return {
    scope: computeHash([client, method, path, auto ? 'auto' : 'key', key]),
    ...computeRequestHashes(key, request),
    expiredFor: secondsSinceExpiry(header),
  };
}

/** Tells whether the hash that was stored for a key belongs to this request. */
export const isSameRequest = ({ requestHash, formerHash }: RequestHashes, storedHash: unknown): boolean =>
  storedHash === requestHash || storedHash === formerHash;

/**
 * Checks that a key comes with the same request as before.
 * @throws {Problem} 422 if the stored request is another one
 */
export function checkSameRequest(key: RequestHashes, storedHash: unknown): void {
  if (!isSameRequest(key, storedHash)) refuseReused();
}

/**
 * Compares personal data with the stored data of the same request.
 *
 * Personal data is not hashed, because a hash of a guessable text would reveal it for ever, in the aggregate's id
 * (`auto`) and in the record. So the stored text itself is compared.
 * @param sent text as it came
 * @param stored stored text after it was opened. If it is forgotten, nothing is compared.
 * @throws {Problem} 422 if they differ
 */
export function checkSamePersonal(sent: unknown, stored: unknown): void {
  if (typeof stored === 'object' && stored !== null && 'forgotten' in stored) return;
  if (canonical(sent) !== canonical(stored)) refuseReused();
}

/** @throws {Problem} 422, always */
export function refuseReused(): never {
  throw new Problem('key-reused', 'this key was used with another request: use a new key for a new request');
}

/**
 * Refuses the first use of an issued key after its expiry.
 * @param expiredFor seconds since the expiry
 * @throws {Problem} 422; in the first minute 409 `in-progress`
 */
export function refuseExpired(expiredFor: number): never {
  refuseUnlessUnderWay(expiredFor);
  throw new Problem(
    'key-expired',
    `Expired key: a server-issued key must first be used within ${ISSUED_KEY_SECONDS / 3600} hours. Request a new one.`,
  );
}

/**
 * Puts a final refusal off while an earlier try of the same request may still take effect. A client that was refused for
 * good would take a new key, and the effect would happen twice.
 * @param endedFor seconds since the key or the session ended
 * @throws {Problem} 409 `in-progress` with the seconds after which the answer is final
 */
export function refuseUnlessUnderWay(endedFor: number): void {
  const left = MAX_REQUEST_SECONDS - endedFor;
  if (left <= 0) return;
  throw new Problem(
    'in-progress',
    'The key or session has expired, but an earlier attempt may still be running. Retry the same request after Retry-After.',
    {
      retryAfterSeconds: left,
    },
  );
}

/**
 * Returns the text of a quoted string. Other text is returned unchanged.
 * @throws {Problem} 400 if the quotes do not match
 */
function unquote(header: string | undefined): string | undefined {
  const [, text] = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header ?? '') ?? [];
  if (text !== undefined) return text.replace(/\\(.)/g, '$1');
  if (header?.startsWith('"')) throw malformedKey();
  return header;
}

const sessionNotAccepted = (): Problem =>
  new Problem('invalid-request', 'this route does not accept session headers', {
    errors: [{ header: 'Session-Id', detail: 'expected none: send an Idempotency-Key' }],
  });

const malformedKey = (): Problem =>
  new Problem('invalid-request', 'malformed Idempotency-Key', {
    errors: [{ header: 'Idempotency-Key', detail: 'expected 1 to 255 visible ASCII characters' }],
  });

function secondsSinceExpiry(header: string): number | undefined {
  const issued = header.startsWith(ISSUED_PREFIX) ? parseIdTime(header.slice(ISSUED_PREFIX.length)) : undefined;
  if (issued === undefined) return undefined;
  const seconds = Math.ceil(clock.epochSeconds() - issued / 1000) - ISSUED_KEY_SECONDS;
  return seconds > 0 ? seconds : undefined;
}

const hasReference = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'clientReference' in body && body.clientReference !== undefined;

/** Returns the hash of a value's canonical form, 64 hex digits. */
export const computeHash = (value: unknown): string => createHash('sha256').update(canonical(value)).digest('hex');

/**
 * Computes the hashes of a request.
 * @param key raw key, or session id. It is stored nowhere, so that the hashes reveal nothing.
 */
export function computeRequestHashes(
  key: string,
  { method, path, query, body, personal = [] }: KeyedRequest,
): RequestHashes {
  const hash = (hashed: unknown): string =>
    createHmac('sha256', key)
      .update(canonical({ method, path, query, body: hashed }))
      .digest('base64url');
  const there = personal.filter((field) => typeof body === 'object' && body !== null && field in body);
  const formerHash = hash(body);
  if (there.length === 0) return { requestHash: formerHash, formerHash };
  return { requestHash: hash({ ...(body as object), ...Object.fromEntries(there.map((f) => [f, true])) }), formerHash };
}

/** Returns the canonical form of a value (RFC 8785): the same bytes for the same JSON, however it was written. */
const canonical = (value: unknown): string => canonicalize(value) ?? '';
