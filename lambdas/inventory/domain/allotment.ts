/**
 * Decides which requests for one SKU get their pieces, first come, first served. A request gets all of its pieces or none;
 * one that is too large does not stop a smaller one behind it.
 * @param quantities pieces of each request
 * @param available pieces that are available now
 * @returns for each request whether it gets its pieces
 */
export function allot(quantities: readonly number[], available: number): readonly boolean[] {
  let left = available;
  return quantities.map((quantity) => {
    if (quantity > left) return false;
    left -= quantity;
    return true;
  });
}
