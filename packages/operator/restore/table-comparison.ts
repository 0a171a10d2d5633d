import { isDeepStrictEqual } from 'node:util';
import { type AttributeValue, BatchGetItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { MAX_BATCH_KEYS } from '@orderly/kit/internal/aws/dynamodb-limits.js';
import { AUDIT_PREFIX } from '@orderly/kit/internal/base/outputs.js';
import { COMMIT_PREFIX } from '@orderly/kit/internal/messages/keys.js';
import { RESTORE_PARTITION } from './restore-record.js';

/** An item as DynamoDB sends it: numbers keep all their digits. */
export type Raw = Record<string, AttributeValue>;

/** A live table of a service, and the copy of it that was restored. */
export interface TablePair {
  readonly live: string;
  readonly copy: string;
}

/** Numbers of items by what has to become of them. */
export interface Differences {
  same: number;
  put: number;
  deleted: number;
  /** Keys of some items that differ: `put Product#TEA-1 COMMIT#0000000002`. */
  readonly examples: string[];
}

/** Most keys that are named. */
const MAX_EXAMPLES = 100;
export type Write = { readonly put: Raw; readonly delete?: never } | { readonly delete: Raw; readonly put?: never };

/** The keys of a table's item. They are strings, as of every table of the kit. */
export interface ItemKey {
  readonly pk: string;
  readonly sk?: string;
}

/**
 * Passes over a pair of tables, in their order: the items of the copy with those of the live table, which finds what is to be put, and the
 * other way around, which finds what is to be deleted.
 */
export const PASSES = ['put', 'delete'] as const;

/** Place in the passes over one pair of tables: everything before it is equal. */
export interface Place {
  readonly pass: number;
  /** Last compared item of the pass. @default none */
  readonly after?: ItemKey;
}

/** Counts in which items a live table differs from its copy, and changes nothing. @param now ISO 8601, UTC @param from first place */
export async function compareTables(
  documents: DynamoDBDocumentClient,
  pair: TablePair,
  now: string,
  told: (read: number) => void = () => undefined,
  from?: Place,
): Promise<Differences> {
  const found = noDifferences();
  for await (const page of comparePages(documents, pair, now, from)) {
    addPage(found, page);
    told(found.same + found.put + found.deleted);
  }
  return found;
}

export const noDifferences = (): Differences => ({ same: 0, put: 0, deleted: 0, examples: [] });

/** Some compared items, and the writes that make them equal. */
export interface Page {
  /** Place of the last one of them. */
  readonly place: Place;
  readonly read: number;
  readonly same: number;
  readonly writes: readonly Write[];
}

/** Adds a page to the numbers. */
export function addPage(found: Differences, { same, writes }: Page): void {
  found.same += same;
  for (const write of writes) {
    if (write.put) found.put++;
    else found.deleted++;
    if (found.examples.length === MAX_EXAMPLES) continue;
    const { pk, sk } = write.put ?? write.delete;
    found.examples.push([write.put ? 'put' : 'delete', pk?.S, sk?.S].filter((part) => part !== undefined).join(' '));
  }
}

/** Compares two tables, some items at a time. @param from place before the first of them. @default the first item */
export async function* comparePages(
  documents: DynamoDBDocumentClient,
  { live, copy }: TablePair,
  now: string,
  from: Place = { pass: 0 },
): AsyncGenerator<Page> {
  const seconds = Date.parse(now) / 1000;
  for (let pass = from.pass; pass < PASSES.length; pass++) {
    const after = pass === from.pass ? from.after : undefined;
    const [read, other] = PASSES[pass] === 'put' ? [copy, live] : [live, copy];
    for await (const pairs of withOther(documents, read, other, after)) {
      const last = pairs.at(-1)?.[0];
      const place = { pass, ...(last && { after: textKeyOf(last) }) };
      yield {
        place,
        read: pairs.length,
        ...(PASSES[pass] === 'put' ? writesOfCopied(pairs, seconds) : writesOfLive(pairs)),
      };
    }
  }
}

type Pair = readonly [Raw, Raw | undefined];

function writesOfCopied(pairs: readonly Pair[], seconds: number): Pick<Page, 'same' | 'writes'> {
  const wanted = pairs.filter(([item]) => !isOperators(item));
  const writes = wanted.flatMap(([item, present]): readonly Write[] => {
    const put = putBack(item);
    // A commit that an earlier run has put back differs by `published` only.
    if (equal(present, item) || equal(present, put)) return [];
    // TTL may delete it at any time. It has deleted it here, or would do so again.
    if (present === undefined && isExpired(item, seconds)) return [];
    return [{ put }];
  });
  return { same: wanted.length - writes.length, writes };
}

const writesOfLive = (pairs: readonly Pair[]): Pick<Page, 'same' | 'writes'> => ({
  same: 0,
  writes: pairs
    .filter(([item, then]) => then === undefined && !isOperators(item))
    .map(([item]): Write => ({ delete: keyOf(item) })),
});

/** The log of what operators did stays as it is, and so do the records of restores: they say who restored the service. */
const isOperators = ({ pk }: Raw): boolean => pk?.S === RESTORE_PARTITION || (pk?.S?.startsWith(AUDIT_PREFIX) ?? false);

const putBack = (item: Raw): Raw =>
  item.sk?.S?.startsWith(COMMIT_PREFIX) ? { ...item, published: { BOOL: false } } : item;

const isExpired = ({ expiresAt }: Raw, seconds: number): boolean =>
  expiresAt?.N !== undefined && Number(expiresAt.N) <= seconds;

const keyOf = ({ pk, sk }: Raw): Raw => ({ ...(pk && { pk }), ...(sk && { sk }) });
/** @throws {Error} for a key that is no string */
export function textKeyOf({ pk, sk }: Raw): ItemKey {
  if (pk?.S === undefined || (sk && sk.S === undefined)) {
    throw new Error(`Key ${JSON.stringify({ pk, sk })}: expected strings. The tables of the kit have no other keys.`);
  }
  return { pk: pk.S, ...(sk?.S !== undefined && { sk: sk.S }) };
}
const textOf = (item: Raw): string => JSON.stringify(keyOf(item));

const equal = (one: Raw | undefined, other: Raw): boolean =>
  one !== undefined && isDeepStrictEqual(sortSets({ M: one }), sortSets({ M: other }));

/** Returns a value whose sets have an order: DynamoDB promises none. */
function sortSets(value: AttributeValue): unknown {
  if (value.SS) return { SS: value.SS.toSorted() };
  if (value.NS) return { NS: value.NS.toSorted() };
  if (value.BS) return { BS: value.BS.map((one) => Buffer.from(one).toString('base64')).toSorted() };
  if (value.L) return { L: value.L.map(sortSets) };
  if (value.M) return { M: Object.fromEntries(Object.entries(value.M).map(([name, one]) => [name, sortSets(one)])) };
  return value;
}

/** Reads the items of a table after a key, page by page, each with the item of the same key in another table. */
async function* withOther(
  documents: DynamoDBDocumentClient,
  table: string,
  other: string,
  after: ItemKey | undefined,
): AsyncGenerator<readonly Pair[]> {
  let ExclusiveStartKey: Raw | undefined = after && {
    pk: { S: after.pk },
    ...(after.sk !== undefined && { sk: { S: after.sk } }),
  };
  do {
    const page = await documents.send(
      new ScanCommand({ TableName: table, ConsistentRead: true, ...(ExclusiveStartKey && { ExclusiveStartKey }) }),
    );
    const { Items = [] } = page;
    for (let first = 0; first < Items.length; first += MAX_BATCH_KEYS) {
      const some = Items.slice(first, first + MAX_BATCH_KEYS);
      const found = await readCounterparts(documents, other, some.map(keyOf));
      yield some.map((item) => [item, found.get(textOf(item))] as const);
    }
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
}

async function readCounterparts(
  documents: DynamoDBDocumentClient,
  table: string,
  keys: readonly Raw[],
): Promise<ReadonlyMap<string, Raw>> {
  const found = new Map<string, Raw>();
  let Keys: Raw[] = [...keys];
  while (Keys.length > 0) {
    const answer = await documents.send(
      new BatchGetItemCommand({ RequestItems: { [table]: { Keys, ConsistentRead: true } } }),
    );
    for (const item of answer.Responses?.[table] ?? []) found.set(textOf(item), item);
    Keys = answer.UnprocessedKeys?.[table]?.Keys ?? [];
  }
  return found;
}
