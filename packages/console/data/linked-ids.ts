/** An id in a text, and where it leads. */
export interface LinkedId {
  readonly from: number;
  readonly to: number;
  readonly id: string;
}

/** Members whose values the page of one order finds. CloudEvents writes names in lower case. */
const MEMBERS = /"(?:orderId|correlationId|correlationid|correlation_id)":\s*"([\w.:-]{8,128})"/g;
/** Key of a stream or a record of an order: `Order/af7e2f6b...`. */
const SUBJECTS = /"(?:[^"\\]*[#/])?Order\/([0-9a-f]{32})(?![0-9a-f])[^"\\]*"/g;

/** Finds the ids of orders and conversations in a JSON text, in their order. */
export function linkedIds(text: string): readonly LinkedId[] {
  const found = [MEMBERS, SUBJECTS].flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => {
      const [whole, id = ''] = match;
      const from = match.index + whole.lastIndexOf(id);
      return { from, to: from + id.length, id };
    }),
  );
  return found.sort((one, other) => one.from - other.from);
}

/** Returns the first id that a value names. */
export const firstLinkedId = (value: unknown): string | undefined => linkedIds(JSON.stringify(value) ?? '')[0]?.id;
