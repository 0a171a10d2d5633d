import type { SQSRecord } from 'aws-lambda';

/**
 * A message that failed, sent again by an operator: it passes no age gate, and its record goes from FAILED to PROCESSED
 * with the effect. `not-done`: the operator says that it was not done before, where nobody else can know.
 */
export type Redrive = 'again' | 'not-done';

/** Name of the message attribute by which an operator sends a failed message again. */
export const REDRIVE = 'redrive';

export function redriveOf({ messageAttributes }: SQSRecord): Redrive | undefined {
  const value = messageAttributes[REDRIVE]?.stringValue;
  return value === 'again' || value === 'not-done' ? value : undefined;
}
