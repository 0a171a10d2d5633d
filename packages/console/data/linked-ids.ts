/** An id in a text, and where it leads. */
export interface LinkedId {
  readonly from: number;
  readonly to: number;
  readonly id: string;
}

/**
 * Members whose values the page of one order finds. CloudEvents writes names in lower case; a text that is JSON itself has its quotes
 * behind backslashes.
 */
const MEMBERS = /"(?:orderId|correlation_?id)\\?":\s*\\?"([\w.:-]{8,128})\\?"/gi;
/** Keys and subjects that end with the id of an order: `Order#af7e...`, `ORDER#2026-11-29T22:24:32.675Z#af7e...`, `Order/af7e...`. */
const KEYS = /\w*Order\w*[#/](?:[\w:.-]+#)?([0-9a-f]{32})(?![0-9a-f])/gi;

/** Finds the ids of orders and conversations in a JSON text, in their order. */
export function linkedIds(text: string): readonly LinkedId[] {
  const found = [MEMBERS, KEYS].flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => {
      const [whole, id = ''] = match;
      const from = match.index + whole.lastIndexOf(id);
      return { from, to: from + id.length, id };
    }),
  );
  return found.sort((one, other) => one.from - other.from).filter(({ from }, at, all) => all[at - 1]?.from !== from);
}

/** Returns the first id that a value names. */
export const firstLinkedId = (value: unknown): string | undefined => linkedIds(JSON.stringify(value) ?? '')[0]?.id;
