import { isDeepStrictEqual } from 'node:util';
import {
  type AttributeValue,
  BatchGetItemCommand,
  ScanCommand,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { MAX_BATCH_KEYS } from '@orderly/kit/internal/aws/dynamodb-limits.js';
import { AUDIT_PREFIX } from '@orderly/kit/internal/base/outputs.js';
import { COMMIT_PREFIX } from '@orderly/kit/internal/messages/keys.js';
import type { Sleep } from '../records/message-sender.js';
import { RESTORE_PARTITION, takenOverError } from './restore-record.js';

/** An item as DynamoDB sends it: numbers keep all their digits. */
type Raw = Record<string, AttributeValue>;

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
/** Limits of a transaction, and one item less for its condition. */
const MAX_WRITES = 99;
/** Characters of a transaction's items as JSON. That is more than their bytes count, which are limited to 4 MB. */
const MAX_CHARACTERS = 3_500_000;
/** How often a transaction that meets another one, or is throttled, is tried again. */
const MAX_ATTEMPTS = 10;

type Write = { readonly put: Raw; readonly delete?: never } | { readonly delete: Raw; readonly put?: never };

/** Counts in which items a live table differs from its copy, and changes nothing. @param now ISO 8601, UTC */
export async function compareTables(
  documents: DynamoDBDocumentClient,
  pair: TablePair,
  now: string,
  told: (read: number) => void = () => undefined,
): Promise<Differences> {
  const found: Differences = { same: 0, put: 0, deleted: 0, examples: [] };
  for await (const page of comparePages(documents, pair, now)) {
    addPage(found, page);
    told(found.same + found.put + found.deleted);
  }
  return found;
}

/** The condition that allows a write, and how a run waits. */
export interface CopyAccess {
  readonly documents: DynamoDBDocumentClient;
  /** Condition of each transaction: the run may still write. */
  readonly check: TransactWriteItem;
  readonly wait: Sleep;
  /** Called with the number of items that were read. @throws to stop */
  readonly told: (read: number) => void;
}

/**
 * Makes a live table equal to its copy: puts what is missing or differs, deletes what is new. It may be stopped and repeated.
 * Nothing else may write into the table meanwhile. The relay may run: a commit that is put back gets `published` = false,
 * because it was published before.
 * @throws {OperatorError} `refused` if another run has taken over
 */
export async function copyBack(access: CopyAccess, pair: TablePair, now: string): Promise<Differences> {
  const found: Differences = { same: 0, put: 0, deleted: 0, examples: [] };
  let open: Write[] = [];
  let characters = 0;
  for await (const page of comparePages(access.documents, pair, now)) {
    for (const write of page.writes) {
      const size = JSON.stringify(write).length;
      if (open.length === MAX_WRITES || (open.length > 0 && characters + size > MAX_CHARACTERS)) {
        await carryOut(access, pair, open);
        [open, characters] = [[], 0];
      }
      open.push(write);
      characters += size;
    }
    addPage(found, page);
    access.told(found.same + found.put + found.deleted);
  }
  await carryOut(access, pair, open);
  return found;
}

interface Page {
  readonly same: number;
  readonly writes: readonly Write[];
}

function addPage(found: Differences, { same, writes }: Page): void {
  found.same += same;
  for (const write of writes) {
    if (write.put) found.put++;
    else found.deleted++;
    if (found.examples.length === MAX_EXAMPLES) continue;
    const { pk, sk } = write.put ?? write.delete;
    found.examples.push([write.put ? 'put' : 'delete', pk?.S, sk?.S].filter((part) => part !== undefined).join(' '));
  }
}

async function* comparePages(
  documents: DynamoDBDocumentClient,
  { live, copy }: TablePair,
  now: string,
): AsyncGenerator<Page> {
  const seconds = Date.parse(now) / 1000;
  for await (const pairs of withOther(documents, copy, live)) {
    const wanted = pairs.filter(([item]) => !isOperators(item));
    const writes = wanted.flatMap(([item, present]): readonly Write[] => {
      const put = putBack(item);
      // A commit that an earlier run has put back differs by `published` only.
      if (equal(present, item) || equal(present, put)) return [];
      // TTL may delete it at any time. It has deleted it here, or would do so again.
      if (present === undefined && isExpired(item, seconds)) return [];
      return [{ put }];
    });
    yield { same: wanted.length - writes.length, writes };
  }
  for await (const pairs of withOther(documents, live, copy)) {
    const writes = pairs
      .filter(([item, then]) => then === undefined && !isOperators(item))
      .map(([item]): Write => ({ delete: keyOf(item) }));
    yield { same: 0, writes };
  }
}

/** The log of what operators did stays as it is, and so do the records of restores: they say who restored the service. */
const isOperators = ({ pk }: Raw): boolean => pk?.S === RESTORE_PARTITION || (pk?.S?.startsWith(AUDIT_PREFIX) ?? false);

const putBack = (item: Raw): Raw =>
  item.sk?.S?.startsWith(COMMIT_PREFIX) ? { ...item, published: { BOOL: false } } : item;

const isExpired = ({ expiresAt }: Raw, seconds: number): boolean =>
  expiresAt?.N !== undefined && Number(expiresAt.N) <= seconds;

const keyOf = ({ pk, sk }: Raw): Raw => ({ ...(pk && { pk }), ...(sk && { sk }) });
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

/** Reads all items of a table, page by page, each with the item of the same key in another table. */
async function* withOther(
  documents: DynamoDBDocumentClient,
  table: string,
  other: string,
): AsyncGenerator<readonly (readonly [Raw, Raw | undefined])[]> {
  let ExclusiveStartKey: Raw | undefined;
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

/** @throws {OperatorError} `refused` if another run has taken over */
async function carryOut(
  { documents, check, wait }: CopyAccess,
  { live }: TablePair,
  writes: readonly Write[],
): Promise<void> {
  if (writes.length === 0) return;
  const TransactItems: TransactWriteItem[] = [
    check,
    ...writes.map((write) =>
      write.put ? { Put: { TableName: live, Item: write.put } } : { Delete: { TableName: live, Key: write.delete } },
    ),
  ];
  for (let tried = 1; ; tried++) {
    try {
      await documents.send(new TransactWriteItemsCommand({ TransactItems }));
      return;
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const codes = (error.CancellationReasons ?? []).map(({ Code }) => Code);
      if (codes[0] === 'ConditionalCheckFailed') throw takenOverError();
      const passes = codes.every(
        (code) =>
          code === 'None' ||
          code === 'TransactionConflict' ||
          code === 'ThrottlingError' ||
          code === 'ProvisionedThroughputExceeded',
      );
      if (!passes || tried === MAX_ATTEMPTS) throw error;
      await wait(Math.min(tried, 5));
    }
  }
}
