/**
 * Does work on all items, some at once, and returns the results in the order of the items.
 * @param concurrency number of items that are worked on at the same time
 * @throws the first failure. Other items may have been worked on.
 */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const waiting = [...items.entries()];
  const next = async (): Promise<void> => {
    for (let one = waiting.shift(); one; one = waiting.shift()) results[one[0]] = await work(one[1]);
  };
  await Promise.all(Array.from({ length: concurrency }, next));
  return results;
}
