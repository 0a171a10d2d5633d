import { createHash, createHmac } from 'node:crypto';
import canonicalize from 'canonicalize';
import { clock } from '../aws/clock.js';
import { newId, timeOfId } from '../aws/ids.js';
import { Problem } from '../http/errors.js';

/** An issued key must be used for the first time within this (24 h). */
export const ISSUED_KEY_SECONDS = 24 * 3600;
const ISSUED_PREFIX = 'ord_';

/** Hashes of one request. */
export interface RequestHashes {
  /** HMAC of the whole request in canonical form, keyed by the raw key: equal for a repeat, and gives nothing away. */
  readonly requestHash: string;
  /** As 0.2.0 made and stored it, personal text included: for repeats of requests that it accepted. Stored no more. */
  readonly formerHash: string;
}

/** The idempotency key of one request, as far as it is kept: hashes only. */
export interface IdempotencyKey extends RequestHashes {
  /**
   * Hash of (client, method, concrete path, key), 64 hex digits: one client's key never meets another's. It names the
   * aggregate (creation) or the record (change).
   */
  readonly scope: string;
  /** An issued key whose first use is over: only a replay is answered. */
  readonly expired: boolean;
}

/** A key of the server's making: its own time says when it expires, so that it is stored nowhere. */
export function issueKey(): { readonly idempotencyKey: string; readonly expiresAt: string } {
  const id = newId();
  const expires = (timeOfId(id) ?? 0) + ISSUED_KEY_SECONDS * 1000;
  return { idempotencyKey: ISSUED_PREFIX + id, expiresAt: new Date(expires).toISOString() };
}

export interface KeyedRequest {
  /** The `Idempotency-Key` header. */
  readonly header: string | undefined;
  /** Who sends it: keys are theirs alone. */
  readonly client: string;
  readonly method: string;
  readonly path: string;
  readonly query: unknown;
  readonly body: unknown;
  /**
   * Fields of the body that hold a person's text. That they are there is hashed, not what they say; what is stored of them
   * is compared itself. `auto` names a request by its whole body, so by them, too. @default none
   */
  readonly personal?: readonly string[];
  /** Its headers, where it says anything about a session. */
  readonly session?: SessionHeaders | undefined;
}

/** As they came: `Session-Id`, `Request-Number`, `Answered-Up-To`. */
export interface SessionHeaders {
  readonly id: string | undefined;
  readonly number: string | undefined;
  readonly answeredUpTo: string | undefined;
}

/**
 * Reads the key of a request that needs one: the client's own, an issued one, or `auto` (the hash of the body, which
 * must then hold a `clientReference`: else two equal orders could never both be placed). Each may stand in quotes, as the
 * IETF's draft has it ("The Idempotency-Key HTTP Header Field": a string of RFC 8941); with or without them it is the same key.
 * @throws {Problem} 400 `key-missing` where there is none, 400 `invalid-request` where it has another form
 */
export function idempotencyKey(request: KeyedRequest): IdempotencyKey {
  const { client, method, path, body } = request;
  if (request.session) throw noSession();
  const header = unquoted(request.header);
  if (header === undefined || header === '') {
    throw new Problem(
      'key-missing',
      'send Idempotency-Key: 1 to 255 visible ASCII characters, the same for each repeat of this request',
      {
        errors: [{ header: 'Idempotency-Key', detail: 'missing' }],
      },
    );
  }
  if (!/^[\x21-\x7e]{1,255}$/.test(header)) throw malformed();
  const auto = header === 'auto';
  if (auto && !hasReference(body)) {
    throw new Problem('invalid-request', 'Idempotency-Key: auto needs a clientReference in the body', {
      errors: [
        {
          header: 'Idempotency-Key',
          pointer: '/clientReference',
          detail: 'expected, so that an equal request can be meant as a new one',
        },
      ],
    });
  }
  const key = auto ? hashOf(body) : header;
  return {
    scope: hashOf([client, method, path, auto ? 'auto' : 'key', key]),
    ...requestHashesOf(key, request),
    expired: hasExpired(header),
  };
}

/** Whether the hash that was stored for a key is this request's. */
export const isSameRequest = ({ requestHash, formerHash }: RequestHashes, storedHash: unknown): boolean =>
  storedHash === requestHash || storedHash === formerHash;

/** @throws {Problem} 422 where the key of a stored request comes with another request */
export function checkSameRequest(key: RequestHashes, storedHash: unknown): void {
  if (!isSameRequest(key, storedHash)) refuseReused();
}

/**
 * Personal data isn't hashed: a hash of what can be guessed would tell it for ever, in the aggregate's id (`auto`) and
 * beside it. So what is stored is compared itself.
 * @param sent as it came, @param stored opened again; where it is forgotten there is nothing to compare
 * @throws {Problem} 422 where they differ
 */
export function checkSamePersonal(sent: unknown, stored: unknown): void {
  if (typeof stored === 'object' && stored !== null && 'forgotten' in stored) return;
  if (canonical(sent) !== canonical(stored)) refuseReused();
}

/** @throws {Problem} 422, always */
export function refuseReused(): never {
  throw new Problem('key-reused', 'this key came with another request before: take a new key for a new request');
}

/** @throws {Problem} 422, for the first use of an issued key after its time */
export function refuseExpired(): never {
  throw new Problem(
    'key-expired',
    `an issued key is used for the first time within ${ISSUED_KEY_SECONDS / 3600} hours: ask for a new one`,
  );
}

/** The text of a quoted string; anything else as it is. @throws {Problem} 400 where the quotes don't fit */
function unquoted(header: string | undefined): string | undefined {
  const [, text] = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header ?? '') ?? [];
  if (text !== undefined) return text.replace(/\\(.)/g, '$1');
  if (header?.startsWith('"')) throw malformed();
  return header;
}

const noSession = (): Problem =>
  new Problem('invalid-request', 'this request takes no numbers of a session', {
    errors: [{ header: 'Session-Id', detail: 'expected none: send an Idempotency-Key' }],
  });

const malformed = (): Problem =>
  new Problem('invalid-request', 'the Idempotency-Key has another form', {
    errors: [{ header: 'Idempotency-Key', detail: 'expected 1 to 255 visible ASCII characters' }],
  });

function hasExpired(header: string): boolean {
  const issued = header.startsWith(ISSUED_PREFIX) ? timeOfId(header.slice(ISSUED_PREFIX.length)) : undefined;
  return issued !== undefined && issued / 1000 + ISSUED_KEY_SECONDS < clock.epochSeconds();
}

const hasReference = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'clientReference' in body && body.clientReference !== undefined;

/** Of a value's canonical form, 64 hex digits. */
export const hashOf = (value: unknown): string => createHash('sha256').update(canonical(value)).digest('hex');

/** @param key stored nowhere, so that the hashes give nothing away */
export function requestHashesOf(
  key: string,
  { method, path, query, body, personal = [] }: KeyedRequest,
): RequestHashes {
  const hash = (hashed: unknown): string =>
    createHmac('sha256', key)
      .update(canonical({ method, path, query, body: hashed }))
      .digest('base64url');
  const there = personal.filter((field) => typeof body === 'object' && body !== null && field in body);
  const impersonal =
    there.length > 0 ? { ...(body as object), ...Object.fromEntries(there.map((f) => [f, true])) } : body;
  return { requestHash: hash(impersonal), formerHash: hash(body) };
}

/** RFC 8785: the same bytes for the same JSON, however it was written. */
const canonical = (value: unknown): string => canonicalize(value) ?? '';
