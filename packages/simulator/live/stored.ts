import type { Cloud } from '../cloud/cloud.js';
import { toPlainItem } from '../services/dynamodb/plain.js';
import type { AttributeValue, Item } from '../services/dynamodb/wire.js';
import { CONTROL } from './path.js';

/** Path of the question what is stored of a message. */
export const STORED = `${CONTROL}/stored`;

/** Items and log lines of an answer at most. */
const MOST_ITEMS = 20;
const MOST_LINES = 50;

/** Records of an account that name a message: its commit, records of consumers, log lines. */
export interface Stored {
  readonly items: readonly { readonly table: string; readonly key: string; readonly item: object }[];
  readonly lines: readonly { readonly at: number; readonly owner: string; readonly line: string }[];
  /** Whether there is more than the answer has. */
  readonly more: boolean;
}

/**
 * Finds what names one of some ids: items that have it in any attribute, and log lines. It looks at every item of the tables, which
 * takes a second for a million of them.
 * @param owner path of the function whose tables and lines are looked at: its variables name the tables. @default all
 */
export function findStored(cloud: Cloud, ids: readonly string[], owner?: string): Stored {
  const fn = [...cloud.functions.values()].find(({ label }) => label === owner);
  const named = fn && new Set(Object.values(fn.variables));
  const tables = cloud.dynamodb.tables().filter((table) => named?.has(table) ?? true);
  const has = (text: string): boolean => ids.some((id) => text.includes(id));
  const items = tables.flatMap((table) =>
    cloud.dynamodb
      .items(table)
      .filter((item) => Object.values(item).some((value) => hasText(value, has)))
      .map((item) => ({ table, key: nameOf(item, cloud.dynamodb.partitionKeyOf(table)), item: toPlainItem(item) })),
  );
  const lines = cloud.log
    .filter(({ fn: by, text }) => (owner === undefined || by === owner) && has(text))
    .map(({ at, fn: by, text }) => ({ at, owner: by, line: text }));
  return {
    items: items.slice(0, MOST_ITEMS),
    lines: lines.slice(-MOST_LINES),
    more: items.length > MOST_ITEMS || lines.length > MOST_LINES,
  };
}

/** Answers `GET /_local/stored?ids=<id>,<id>&owner=<function>`. @returns `undefined` if it names no id */
export function readStored(cloud: Cloud, query: string): Stored | undefined {
  const asked = new URLSearchParams(query);
  const ids = (asked.get('ids') ?? '').split(',').filter((id) => id !== '');
  return ids.length === 0 ? undefined : findStored(cloud, ids, asked.get('owner') ?? undefined);
}

function hasText(value: AttributeValue, has: (text: string) => boolean): boolean {
  if ('S' in value) return has(value.S);
  if ('L' in value) return value.L.some((one) => hasText(one, has));
  if ('M' in value) return Object.values(value.M).some((one) => hasText(one, has));
  return 'SS' in value && value.SS.some(has);
}

/** Names an item by its partition key, and by its sort key if that is `sk`. */
function nameOf(item: Item, partition = 'pk'): string {
  const parts = [item[partition], item.sk].flatMap((value) => (value && 'S' in value ? [value.S] : []));
  return parts.join(' / ');
}
