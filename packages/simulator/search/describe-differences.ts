/** An item that a table lacks or has, other than without faults. */
export interface Difference {
  readonly verb: 'lacks' | 'has';
  /** The item as JSON. */
  readonly text: string;
}

type Members = Readonly<Record<string, unknown>>;

/** Differing members of an item that are named. */
const NAMED = 4;
/** Characters of a value that are shown. */
const SHOWN = 80;
/** Characters of a long text before its first difference. */
const BEFORE = 20;

/**
 * Describes the differences of a table, a line each. An item that is missing and a similar one that is there are one difference: only the members
 * that differ are named.
 * @param key attributes of the table's primary key
 */
export function describeDifferences(
  table: string,
  key: readonly string[],
  differences: readonly Difference[],
): readonly string[] {
  const { pairs, lacking, surplus } = pairDifferences(key, differences);
  return [
    ...pairs.map(({ calm, now }) => `${table} ${describeKey(now, key)}: ${describePair(calm, now)}`),
    ...lacking.map((item) => `${table} lacks ${describeItem(item, key)}`),
    ...surplus.map((item) => `${table} has ${describeItem(item, key)}`),
  ];
}

/** Finds what an item that is missing has become. */
export function pairDifferences(
  key: readonly string[],
  differences: readonly Difference[],
): {
  readonly pairs: readonly { readonly calm: Members; readonly now: Members }[];
  readonly lacking: readonly Members[];
  readonly surplus: readonly Members[];
} {
  const items = differences.map(({ verb, text }) => ({ verb, item: JSON.parse(text) as Members }));
  const missing = items.filter(({ verb }) => verb === 'lacks').map(({ item }) => item);
  const surplus = items.filter(({ verb }) => verb === 'has').map(({ item }) => item);
  const pairs = missing.flatMap((calm) => {
    const now = findSimilar(calm, surplus, key);
    if (now === undefined) return [];
    surplus.splice(surplus.indexOf(now), 1);
    return [{ calm, now }];
  });
  const paired = new Set(pairs.map(({ calm }) => calm));
  return { pairs, lacking: missing.filter((item) => !paired.has(item)), surplus };
}

/** Returns the names of members that differ. */
export const differingNames = (calm: Members, now: Members): readonly string[] =>
  namesOf(calm, now).filter((name) => toText(calm[name]) !== toText(now[name]));

/** Finds the item that has most of its members in common with another: all of the key, or half of all. */
function findSimilar(item: Members, others: readonly Members[], key: readonly string[]): Members | undefined {
  const isSame = (other: Members, name: string): boolean => toText(item[name]) === toText(other[name]);
  const [best] = others
    .map((other) => ({
      other,
      same: namesOf(item, other).filter((name) => isSame(other, name)).length,
      isSameKey: key.length > 0 && key.every((name) => isSame(other, name)),
      all: namesOf(item, other).length,
    }))
    .filter(({ same, isSameKey, all }) => isSameKey || same * 2 >= all)
    .sort((one, other) => Number(other.isSameKey) - Number(one.isSameKey) || other.same - one.same);
  return best?.other;
}

const namesOf = (one: Members, other: Members): readonly string[] => [
  ...new Set([...Object.keys(one), ...Object.keys(other)]),
];

function describePair(calm: Members, now: Members): string {
  const names = differingNames(calm, now);
  const named = names.slice(0, NAMED).map((name) => {
    const [before, value] = excerpts(toText(calm[name]), toText(now[name]));
    return `${value === undefined ? `no "${name}"` : `"${name}":${value}`}, without faults ${before ?? 'none'}`;
  });
  return [...named, ...(names.length > NAMED ? [`and ${names.length - NAMED} more members`] : [])].join('; ');
}

const toText = (value: unknown): string | undefined => JSON.stringify(value);

/** Returns the parts of two values in which they begin to differ, if they are long. */
function excerpts(...values: readonly [string | undefined, string | undefined]): readonly (string | undefined)[] {
  const [one = '', other = ''] = values;
  if (Math.max(one.length, other.length) <= SHOWN) return values;
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  const from = Math.max(0, at - BEFORE);
  return values.map((value) => value && cut(value, from));
}

const cut = (text: string, from = 0): string =>
  `${from > 0 ? '…' : ''}${text.slice(from, from + SHOWN)}${text.length > from + SHOWN ? '…' : ''}`;

/** Writes the key of an item, as far as it is compared. */
function describeKey(item: Members, key: readonly string[]): string {
  const text = JSON.stringify(Object.fromEntries(key.map((name) => [name, item[name]])));
  return text === '{}' ? 'item' : cut(text);
}

/** Writes an item with its key first, and no long value. */
function describeItem(item: Members, key: readonly string[]): string {
  const names = [...new Set([...key.filter((name) => name in item), ...Object.keys(item)])];
  return `{${names.map((name) => `"${name}":${cut(toText(item[name]) ?? '')}`).join(',')}}`;
}
