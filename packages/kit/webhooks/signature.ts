import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { SafeError, safeText } from '../aws/safe-error.js';

/**
 * Signatures of Standard Webhooks 1.0.0 (https://github.com/standard-webhooks/standard-webhooks, spec, "Signature scheme"): an
 * HMAC-SHA256 of `<id>.<timestamp>.<body>`, by a secret of the one receiver.
 */

const SECRET_PREFIX = 'whsec_';
/** The specification asks for 24 to 64 random bytes. */
const SECRET_BYTES = 32;
const SCHEME = 'v1';
/** Seconds by which a receiver's clock may differ from the sender's, as in the specification's own libraries. */
export const SIGNATURE_TOLERANCE_SECONDS = 300;

/** Content that is signed: the message and the time of this attempt. */
export interface SignedMessage {
  /** Id of the message, the same in each attempt: a receiver recognises a repeat by it. It has no full stop. */
  readonly id: string;
  /** Time of the attempt, in seconds since 1970. */
  readonly timestamp: number;
  /** Body, exactly as it is sent. */
  readonly body: string;
}

/** Error for a secret or an id with which nothing can be signed. */
export class NotSignable extends SafeError {
  override readonly name = 'NotSignable';
}

/** Error for a request that proves nothing: its receiver answers 401 and does nothing else. */
export class WebhookRejected extends SafeError {
  override readonly name = 'WebhookRejected';
}

/** Creates a secret: `whsec_` and 32 random bytes as base64. */
export const createWebhookSecret = (): string => SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');

/**
 * Returns the headers that sign a message.
 * @param secrets the newest one, and during a rotation the former one as well: one signature for each, so that a receiver
 *   accepts the message by whichever it knows
 * @throws {NotSignable} without a secret, for a secret of another form, or if the id has a full stop
 */
export function signWebhook(
  { id, timestamp, body }: SignedMessage,
  secrets: readonly string[],
): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  if (secrets.length === 0) throw new NotSignable(safeText`no secret: expected one, or two during a rotation`);
  if (id.includes('.')) throw new NotSignable(safeText`the id has a full stop, which ends the id in what is signed`);
  const signatures = secrets.map((secret) => `${SCHEME},${digest(secret, { id, timestamp, body }).toString('base64')}`);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}

/** A request as its receiver got it. */
export interface ReceivedWebhook {
  /** Headers by their lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Body as text, before anything has parsed it. */
  readonly body: string;
}

/**
 * Verifies a request by the receiver's secret.
 * @param secrets the secret, or several while the receiver changes its own
 * @param now time of the receiver, in seconds since 1970
 * @returns id and time of the message. Keep the id: a message with the same one is a repeat
 * @throws {WebhookRejected} if a header is missing, the time is further away than the tolerance, or no signature fits
 */
export function verifyWebhook(
  { headers, body }: ReceivedWebhook,
  secrets: readonly string[],
  now: number,
): { readonly id: string; readonly timestamp: number } {
  const read = (name: string): string => {
    const value = headers[name];
    if (typeof value === 'string' && value !== '') return value;
    throw new WebhookRejected(
      safeText`expected the headers webhook-id, webhook-timestamp and webhook-signature, each once`,
    );
  };
  const [id, time, signatures] = [read('webhook-id'), read('webhook-timestamp'), read('webhook-signature')];
  const timestamp = /^\d{1,12}$/.test(time) ? Number(time) : Number.NaN;
  if (!(Math.abs(now - timestamp) <= SIGNATURE_TOLERANCE_SECONDS))
    throw new WebhookRejected(safeText`webhook-timestamp is more than ${SIGNATURE_TOLERANCE_SECONDS} s away from now`);
  const wanted = secrets.map((secret) => digest(secret, { id, timestamp, body }));
  const given = signatures.split(' ').flatMap((one) => {
    const [scheme, text = ''] = one.split(',');
    return scheme === SCHEME ? [Buffer.from(text, 'base64')] : [];
  });
  if (!wanted.some((right) => given.some((one) => one.length === right.length && timingSafeEqual(one, right))))
    throw new WebhookRejected(safeText`no signature is made with this secret, for this id, time and body`);
  return { id, timestamp };
}

function digest(secret: string, { id, timestamp, body }: SignedMessage): Buffer {
  const key = secret.startsWith(SECRET_PREFIX) ? Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64') : undefined;
  if (key === undefined || key.length < 24)
    throw new NotSignable(safeText`malformed secret: expected whsec_ and base64`);
  return createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
}
