import { createHash } from 'node:crypto';

/** Why something waits for an operator; what has the same cause forms a group. */
export interface Cause {
  readonly service: string;
  readonly consumer: string;
  /** Name of the error. */
  readonly error: string;
  /** Message of the error, without what differs from one message to the next. */
  readonly message: string;
}

/** Why messages of one sender fail, or sagas of one type are stuck, whichever consumers meet it. One bad publisher is one of them. */
export interface SharedCause extends Pick<Cause, 'error' | 'message'> {
  /** Service that published the messages, or the source of an application that is not this one. Absent if no record says it. */
  readonly publisher?: string;
  /** Type of the messages, or of the sagas. Absent if no record says it. */
  readonly type?: string;
}

/** Maximum number of characters of a cause's message. */
const MAX_CAUSE_LENGTH = 300;

/**
 * Places of a text that differ from one message to the next, in the order in which they are replaced. A later pattern does
 * not match what an earlier one has put in, so a text that was replaced once stays as it is.
 */
const VARYING: readonly (readonly [RegExp, string])[] = [
  // RFC 9562
  [/(?<![0-9a-z])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![0-9a-z])/gi, '<id>'],
  // RFC 3339
  [/(?<!\d)\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?(?!\d)/gi, '<time>'],
  // Hashes: of 16 digits and more even without a decimal digit, of 8 and more with one, so that no word is taken for one.
  [/(?<![0-9a-z])(?:[0-9a-f]{16,}|(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,})(?![0-9a-z])/gi, '<id>'],
  // ULID, KSUID, ids of providers and of SQS: long words of letters and digits.
  [/(?<![0-9a-z])(?=[a-z_]*\d)(?=\d*[a-z_])[0-9a-z_]{16,}(?![0-9a-z])/gi, '<id>'],
  [/(?<![\w>-])-?\d+(?:[.,:]\d+)*|\d+(?:[.,:]\d+)*/g, '#'],
];

/**
 * Returns a message without ids, hashes, times and numbers, so that two failures with the same cause have the same text.
 * @example maskVariableParts('lines.12.quantity of 019aa4f2-6c1e-7d53-9f0e-2b8a4c6d8e10') // 'lines.#.quantity of <id>'
 */
export function maskVariableParts(message: string): string {
  let text = message.trim().replace(/\s+/g, ' ');
  for (const [pattern, shape] of VARYING) text = text.replace(pattern, shape);
  // Cut between two words: a part of a word could look like a hash.
  return text.length > MAX_CAUSE_LENGTH ? `${text.slice(0, MAX_CAUSE_LENGTH - 1).replace(/\w+$/, '')}…` : text;
}

/** Returns the id of the group with this cause: 16 hexadecimal digits, the same on every machine and at every time. */
export const causeHash = ({ service, consumer, error, message }: Cause): string =>
  createHash('sha256')
    .update(JSON.stringify([service, consumer, error, message]))
    .digest('hex')
    .slice(0, 16);

/** Returns the id of a cause across consumers: 16 hexadecimal digits, the same on every machine and at every time. */
export const sharedCauseHash = ({ error, message, publisher = '', type = '' }: SharedCause): string =>
  createHash('sha256')
    .update(JSON.stringify(['cause', error, message, publisher, type]))
    .digest('hex')
    .slice(0, 16);

/** Describes a cause in one line. */
export const describeCause = ({ error, message }: Pick<Cause, 'error' | 'message'>): string =>
  message === '' ? error : `${error}: ${message}`;
