/** A function belongs to no part, so the parts of a total would leave it out. */
export class NoPart extends Error {
  override readonly name = 'NoPart';
}

/** Parts of what an order pays, and what belongs to each: the order itself last. */
export const PARTS = {
  order: 'the order: four participants, its saga, its payment',
  credit: 'capture and settlement of the credit',
  points: 'points',
  reports: 'daily reports',
  lists: 'lists of orders and of exhausted accounts',
  baskets: 'baskets',
  audit: 'the delivery audit, with its looks at projections',
} as const;
export type Part = keyof typeof PARTS;

/** Patterns of functions; the first one that fits decides. A new service needs a line. */
const OF_FUNCTION: readonly (readonly [RegExp, Part])[] = [
  [/^Audit\/|\/Rebuild\w+$/, 'audit'],
  [/^Rewards\//, 'points'],
  [/^Reports\//, 'reports'],
  [/^Accounts\/(OnOrderEnds|OnSettlements|AccountsLane\/)/, 'credit'],
  [/Projection$/, 'lists'],
  [/^Baskets\//, 'baskets'],
  [/^(API$|Api\/|Orders\/|Inventory\/|Accounts\/|Payments\/|Catalog\/)/, 'order'],
];

/** Events that another part than the order's publishes. */
const OF_EVENT: Readonly<Record<string, Part>> = {
  CreditSettled: 'credit',
  AuthorizationCaptured: 'credit',
};

/** Returns the part to which a function belongs. @throws {NoPart} */
export function partOf(fn: string): Part {
  const part = OF_FUNCTION.find(([pattern]) => pattern.test(fn))?.[1];
  if (part === undefined)
    throw new NoPart(`${fn} ran and belongs to no part of a total: add it to OF_FUNCTION in tools/cost/parts.ts`);
  return part;
}

/**
 * Returns how the parts share a function that sends events, such as a relay; none, if it sends none.
 * @param events entries on the bus, by function and type
 */
export function sharesOf(fn: string, events: Readonly<Record<string, number>>) {
  const sent = Object.entries(events).filter(([name]) => name.startsWith(`${fn} `));
  const all = sent.reduce((sum, [, entries]) => sum + entries, 0);
  return sent.map(([name, entries]) => ({
    part: OF_EVENT[name.slice(fn.length + 1)] ?? partOf(fn),
    share: entries / all,
  }));
}
