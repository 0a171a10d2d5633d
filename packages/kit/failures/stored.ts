import type { SQSRecord } from 'aws-lambda';

/** Status of a message that was stored and isn't done yet. */
export const PENDING = 'PENDING';

/**
 * A message that was stored in its consumer's record before it was sent: it passes no age gate, since that record doesn't
 * expire, and the record goes from PENDING to PROCESSED with the effect. One without a record is over (cleared, or done
 * long ago): a duplicate.
 */
export interface Stored {
  /** Key of its record: of the generation in which it was stored, whichever runs now. */
  readonly record: string;
}

/** Name of the message attribute that says which record a message comes from. */
export const STORED = 'stored';

export function storedOf({ messageAttributes }: SQSRecord): Stored | undefined {
  const record = messageAttributes[STORED]?.stringValue;
  return record === undefined ? undefined : { record };
}
