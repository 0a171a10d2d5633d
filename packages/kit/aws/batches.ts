/** Limits of one call that takes several entries. */
export interface BatchLimits {
  readonly entries: number;
  /** Sum of the entries' sizes, in bytes. */
  readonly bytes: number;
}

/** Limits of SQS for the entries of one SendMessageBatch. AWS, "Amazon SQS message quotas". */
export const SQS_BATCH: BatchLimits = { entries: 10, bytes: 1024 * 1024 };

/** Limits of EventBridge for the entries of one PutEvents. AWS, "Amazon EventBridge quotas". */
export const EVENTS_BATCH: BatchLimits = { entries: 10, bytes: 1024 * 1024 };

/** Returns the size of text as AWS counts it: UTF-8 bytes, up to four for a character. */
export const utf8Bytes = (text: string): number => Buffer.byteLength(text, 'utf8');

/**
 * Divides entries into batches, in their order. An entry above the limit of bytes is a batch of its own, so that it is
 * refused alone.
 * @param countBytes returns the size of an entry, in bytes
 */
export function splitIntoBatches<Entry>(
  entries: readonly Entry[],
  countBytes: (entry: Entry) => number,
  limits: BatchLimits,
): Entry[][] {
  const batches: Entry[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const size = countBytes(entry);
    const batch = batches.at(-1);
    if (batch && batch.length < limits.entries && bytes + size <= limits.bytes) {
      batch.push(entry);
      bytes += size;
    } else {
      batches.push([entry]);
      bytes = size;
    }
  }
  return batches;
}
