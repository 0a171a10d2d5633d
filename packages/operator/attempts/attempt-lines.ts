/** Log line about one attempt at a message. */
export interface AttemptLine {
  readonly consumer: string;
  readonly eventId: string;
  /** Outcome in the consumer's words. */
  readonly word: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** The queue's id of the message. Absent for one that a lane or an inbox had stored. */
  readonly messageId?: string;
  /** Whether a runner of an inbox had taken the stored message. */
  readonly isByRunner?: boolean;
  /** How often the queue had given the message, or runners had taken it, this time included. */
  readonly receiveCount: number;
  /** Name and text of an error. */
  readonly error?: string;
}

/** Words that a consumer, an inbox or the writer of a lane has for what became of a message. */
export const WORDS = {
  applied: 'applied',
  duplicate: 'duplicate',
  /** An inbox has stored it, and its runner applies it. An inbox that collects messages leaves no further line about each of them. */
  stored: 'applied',
  known: 'duplicate',
  'stored for the lane': 'in lane',
  'returned to the queue': 'postponed',
  retrying: 'postponed',
  'not stored yet': 'postponed',
  failed: 'refused',
  'failed again': 'refused',
} as const;
export type AttemptWord = keyof typeof WORDS;

export const isAttemptWord = (word: string): word is AttemptWord => Object.hasOwn(WORDS, word);

/** Reads a log line. @returns `undefined` for a line about anything else, and for one that was cut off */
export function parseAttemptLine(text: string): AttemptLine | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const line = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const { message, consumer, eventId, timestamp, messageId, attempts, name, text: why } = line;
    if (typeof message !== 'string' || !isAttemptWord(message)) return undefined;
    if (typeof consumer !== 'string' || typeof eventId !== 'string' || typeof timestamp !== 'string') return undefined;
    const error = [name, why].filter((part) => typeof part === 'string').join(': ');
    return {
      consumer,
      eventId,
      word: message,
      at: timestamp,
      receiveCount: typeof attempts === 'number' ? attempts : 1,
      // Only a runner counts attempts at what no queue has given it.
      ...(typeof messageId === 'string' ? { messageId } : typeof attempts === 'number' && { isByRunner: true }),
      ...(error !== '' && { error }),
    };
  } catch {
    return undefined;
  }
}
