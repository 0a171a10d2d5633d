/**
 * Lets callers at the same time share a read of one item, so that a full batch reads it a few times and not once for each
 * message. Each caller gets what a read found that began after its call:
 *
 *     call 1: read 1 begins
 *     call 2, call 3: wait for read 2, since read 1 may have passed the item
 *     read 1 ends; read 2 begins, for both
 *
 * A read that fails is repeated for those who wait for the next one.
 * @param read reads the item
 * @throws what `read` throws
 */
export function coalesceReads<Found>(read: () => Promise<Found>): () => Promise<Found> {
  let current: Promise<Found> | undefined;
  let next: Promise<Found> | undefined;
  const begin = (): Promise<Found> => {
    next = undefined;
    const reading = read().finally(() => {
      if (current === reading) current = undefined;
    });
    current = reading;
    return reading;
  };
  return () => {
    if (!current) return begin();
    next ??= current.then(begin, begin);
    return next;
  };
}
