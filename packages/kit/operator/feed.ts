import { BatchGetCommand, type DynamoDBDocumentClient, paginateQuery, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { MAX_BATCH_KEYS } from '../aws/dynamodb-limits.js';
import { firstIdOf, timeOfId } from '../aws/ids.js';
import type { Item } from '../aws/items.js';
import type { Commit } from '../messages/commit.js';
import { FEED_INDEX } from '../projection/contract.js';
import { commitOf } from './commits.js';
import type { CommandContext } from './context.js';
import type { Service } from './services.js';

/** Commits of a page: one BatchGetItem. */
export const PAGE_SIZE = MAX_BATCH_KEYS;
/** Most times that the keys which DynamoDB left unread are asked for again. */
const TRIES = 8;
const ONE_HOUR = 3_600_000;
/** Most milliseconds by which clocks of functions differ; so a commit's place in the feed may differ as much from its time. */
export const CLOCKS_DIFFER_MS = 300_000;

/** Times from and up to which commits are read, in ISO 8601, UTC. The end is not part of it. */
export interface Span {
  readonly from: string;
  readonly to: string;
}

/**
 * Reads the commits of a service from its feed, page by page, in about the order of time. The feed is an index: a commit
 * may appear in it late, so the newest ones may be missing.
 *
 * It costs a query for each shard of each hour, and half a read unit for each KB of each commit.
 * @param mayGoOn called before each query; what it throws ends the reading. @default there is no limit
 * @throws {OperatorError} `refused` for an item that is no commit, although its key says so
 */
export async function* commitsBetween(
  documents: DynamoDBDocumentClient,
  { table, feedShards }: Pick<Service, 'table' | 'feedShards'>,
  span: Span,
  mayGoOn?: () => void,
): AsyncGenerator<readonly Commit[]> {
  for (const partition of partitionsBetween(feedShards, span))
    yield* pagesOf(documents, table, partition, span, mayGoOn);
}

/** Commits of a service, of one hour. */
export interface HourOfFeed {
  /** First moment of the hour, or of the span if that begins later. */
  readonly since: string;
  readonly service: Service;
  readonly commits: readonly Commit[];
}

/**
 * Reads the commits of several services hour by hour: a page comes when all pages of earlier hours have come, of all
 * services. The shards of an hour are asked at the same time, since most hours of a long time are empty.
 * @throws {OperatorError} `refused` for an item that is no commit, although its key says so
 */
export async function* commitsByHour(
  documents: DynamoDBDocumentClient,
  services: readonly Service[],
  span: Span,
): AsyncGenerator<HourOfFeed> {
  for (const hour of hoursOf(span)) {
    const readers = services.flatMap((service) =>
      partitionsBetween(service.feedShards, hour).map((partition) => ({
        service,
        pages: pagesOf(documents, service.table, partition, hour),
      })),
    );
    const firsts = await Promise.all(readers.map(({ pages }) => pages.next()));
    for (const [at, { service, pages }] of readers.entries()) {
      for (let page = firsts[at]; page && !page.done; page = await pages.next())
        yield { since: hour.from, service, commits: page.value };
    }
  }
}

/** Cuts a span at the full hours. */
function* hoursOf({ from, to }: Span): Generator<Span> {
  for (let begins = from; begins < to; ) {
    const ends = new Date((Math.floor(Date.parse(begins) / ONE_HOUR) + 1) * ONE_HOUR).toISOString();
    yield { from: begins, to: ends < to ? ends : to };
    begins = ends;
  }
}

/** Reads the commits of one partition of the feed that are of a span. The query leaves out what is far from the span. */
async function* pagesOf(
  documents: DynamoDBDocumentClient,
  table: string,
  partition: string,
  { from, to }: Span,
  mayGoOn: () => void = () => undefined,
): AsyncGenerator<readonly Commit[]> {
  const bounds = {
    ':first': firstIdOf(Date.parse(from) - CLOCKS_DIFFER_MS),
    ':last': firstIdOf(Date.parse(to) + CLOCKS_DIFFER_MS),
  };
  let start: Item | undefined;
  do {
    mayGoOn();
    const { Items = [], LastEvaluatedKey } = await documents.send(
      new QueryCommand({
        TableName: table,
        IndexName: FEED_INDEX,
        KeyConditionExpression: 'feedPk = :partition AND feedSk BETWEEN :first AND :last',
        ExpressionAttributeValues: { ':partition': partition, ...bounds },
        ProjectionExpression: 'pk, sk',
        Limit: PAGE_SIZE,
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    const keys = Items.map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) }));
    const commits = (await readCommitsAt({ documents }, { table }, keys)).filter(({ at }) => from <= at && at < to);
    if (commits.length > 0) yield commits.toSorted((one, other) => one.feedSk.localeCompare(other.feedSk));
    start = LastEvaluatedKey;
  } while (start);
}

/** Returns the partitions of the feed that may contain commits of a time: each shard of each hour. */
export function partitionsBetween(feedShards: Service['feedShards'], { from, to }: Span): readonly string[] {
  const partitions: string[] = [];
  for (let hour = Math.floor(Date.parse(from) / ONE_HOUR) * ONE_HOUR; hour < Date.parse(to); hour += ONE_HOUR) {
    // A number of shards may change within the hour, and only ever grows.
    const ends = new Date(hour + ONE_HOUR).toISOString();
    const shards = feedShards.findLast((entry) => entry.from < ends)?.shards ?? 1;
    for (let shard = 0; shard < shards; shard++) partitions.push(partitionOf(hour, shard));
  }
  return partitions;
}

/** Returns the partition of one shard of an hour. @param hour its beginning, milliseconds since 1970 */
export const partitionOf = (hour: number, shard: number): string =>
  `${new Date(hour).toISOString().slice(0, 'YYYY-MM-DDTHH'.length)}#${shard}`;

/** How items are read. */
interface Reading {
  /** @default false */
  readonly consistent?: boolean;
  /** Attributes that are read. @default all */
  readonly attributes?: readonly string[];
}

/**
 * Reads items by their keys, a hundred at a time; in any order, without those that don't exist.
 * @throws {Error} if DynamoDB leaves keys unread again and again
 */
export async function readItems(
  documents: DynamoDBDocumentClient,
  table: string,
  keys: readonly Item[],
  { consistent = false, attributes }: Reading = {},
): Promise<readonly Item[]> {
  const items: Item[] = [];
  const names = attributes?.map((name, at) => [`#${at}`, name] as const);
  const how = {
    ConsistentRead: consistent,
    ...(names && {
      ProjectionExpression: names.map(([short]) => short).join(', '),
      ExpressionAttributeNames: Object.fromEntries(names),
    }),
  };
  for (let at = 0; at < keys.length; at += MAX_BATCH_KEYS) {
    let open: readonly Item[] = keys.slice(at, at + MAX_BATCH_KEYS);
    for (let tried = 0; open.length > 0; tried++) {
      if (tried === TRIES) throw new Error(`DynamoDB left ${open.length} keys of ${table} unread ${TRIES} times`);
      if (tried > 0) await new Promise((resolve) => setTimeout(resolve, 25 * 2 ** tried));
      const { Responses = {}, UnprocessedKeys = {} } = await documents.send(
        new BatchGetCommand({ RequestItems: { [table]: { Keys: [...open], ...how } } }),
      );
      items.push(...(Responses[table] ?? []));
      open = UnprocessedKeys[table]?.Keys ?? [];
    }
  }
  return items;
}

/** Keys of a page whose reader counts them: all shards are read at once, and each has one page when the first is counted. */
const COUNTED_PAGE = 1_000;

/** Key of a commit, as the feed has it. */
export interface FeedEntry {
  readonly pk: string;
  readonly sk: string;
  /** Time at which the commit was made, milliseconds since 1970. */
  readonly at: number;
}

/**
 * Reads the keys of a service's commits of a time from its feed, eventually consistent, in any order. A page of a megabyte
 * has about 6,000 commits.
 * @param from and `to`: milliseconds since 1970, inclusive
 * @param counted called after each page with the number of its keys; what it throws ends the reading. @default there is no limit
 */
export async function readFeed(
  { documents }: Pick<CommandContext, 'documents'>,
  { table, feedShards }: Pick<Service, 'table' | 'feedShards'>,
  { from, to }: { readonly from: number; readonly to: number },
  counted?: (keys: number) => void,
): Promise<readonly FeedEntry[]> {
  const span = { from: new Date(from).toISOString(), to: new Date(to + 1).toISOString() };
  const read = async (feedPk: string): Promise<readonly FeedEntry[]> => {
    const entries: FeedEntry[] = [];
    const pages = paginateQuery(
      { client: documents, ...(counted && { pageSize: COUNTED_PAGE }) },
      {
        TableName: table,
        IndexName: FEED_INDEX,
        KeyConditionExpression: 'feedPk = :feedPk AND feedSk BETWEEN :since AND :last',
        ExpressionAttributeValues: { ':feedPk': feedPk, ':since': firstIdOf(from), ':last': firstIdOf(to + 1) },
      },
    );
    for await (const { Items = [] } of pages) {
      counted?.(Items.length);
      for (const { pk, sk, feedSk } of Items) {
        const at = timeOfId(String(feedSk)) ?? 0;
        if (at <= to) entries.push({ pk: String(pk), sk: String(sk), at });
      }
    }
    return entries;
  };
  return (await Promise.all(partitionsBetween(feedShards, span).map(read))).flat();
}

/** The newest keys of a feed. */
export interface NewestOfFeed {
  /** In any order, and without a gap: every commit that is as new as the oldest one of them. */
  readonly entries: readonly FeedEntry[];
  /** Whether the feed has older ones of the time, which were not read. */
  readonly more: boolean;
}

/**
 * Reads the newest keys of a service's commits of a time, eventually consistent. It costs a query for each shard of each hour
 * and each 6,000 keys.
 * @param from and `to`: milliseconds since 1970, inclusive
 * @param most number of keys that are read at most, one or a few more for each shard
 */
export async function readNewestOfFeed(
  { documents }: Pick<CommandContext, 'documents'>,
  { table, feedShards }: Pick<Service, 'table' | 'feedShards'>,
  { from, to, most }: { readonly from: number; readonly to: number; readonly most: number },
): Promise<NewestOfFeed> {
  const all: FeedEntry[] = [];
  for (let hour = Math.floor(to / ONE_HOUR) * ONE_HOUR; hour + ONE_HOUR > from; hour -= ONE_HOUR) {
    const span = { from: new Date(hour).toISOString(), to: new Date(hour + ONE_HOUR).toISOString() };
    const partitions = partitionsBetween(feedShards, span);
    const share = Math.max(1, Math.ceil((most - all.length) / partitions.length));
    const read = async (feedPk: string): Promise<NewestOfFeed> => {
      const entries: FeedEntry[] = [];
      let start: Item | undefined;
      do {
        const { Items = [], LastEvaluatedKey } = await documents.send(
          new QueryCommand({
            TableName: table,
            IndexName: FEED_INDEX,
            KeyConditionExpression: 'feedPk = :feedPk AND feedSk BETWEEN :first AND :last',
            ExpressionAttributeValues: {
              ':feedPk': feedPk,
              ':first': firstIdOf(from),
              ':last': firstIdOf(to + 1),
            },
            ScanIndexForward: false,
            Limit: share - entries.length,
            ...(start && { ExclusiveStartKey: start }),
          }),
        );
        for (const { pk, sk, feedSk } of Items)
          entries.push({ pk: String(pk), sk: String(sk), at: timeOfId(String(feedSk)) ?? 0 });
        start = LastEvaluatedKey;
      } while (start && entries.length < share);
      return { entries, more: start !== undefined };
    };
    const shards = await Promise.all(partitions.map(read));
    const cutAt = shards.flatMap(({ entries, more }) => (more ? [entries.at(-1)?.at ?? to] : []));
    const oldest = Math.max(0, ...cutAt);
    all.push(...shards.flatMap(({ entries }) => entries).filter(({ at }) => at >= oldest));
    if (cutAt.length > 0 || (all.length >= most && hour > from)) return { entries: all, more: true };
  }
  return { entries: all, more: false };
}

/** Reads commits by their keys, eventually consistent, in any order. @throws {OperatorError} `refused` for an item that is none */
export const readCommitsAt = async (
  { documents }: Pick<CommandContext, 'documents'>,
  { table }: Pick<Service, 'table'>,
  entries: readonly Pick<FeedEntry, 'pk' | 'sk'>[],
): Promise<readonly Commit[]> =>
  (
    await readItems(
      documents,
      table,
      entries.map(({ pk, sk }) => ({ pk, sk })),
    )
  ).map(commitOf);

/**
 * Reads commits by their keys, and those that an eventually consistent read did not find again, consistent. So a commit
 * that is not returned does not exist.
 */
export async function readCommitsSurely(
  documents: DynamoDBDocumentClient,
  service: Pick<Service, 'table'>,
  keys: readonly Pick<FeedEntry, 'pk' | 'sk'>[],
): Promise<readonly Commit[]> {
  const found = await readCommitsAt({ documents }, service, keys);
  const known = new Set(found.map(({ pk, sk }) => `${pk} ${sk}`));
  const open = keys.filter(({ pk, sk }) => !known.has(`${pk} ${sk}`)).map(({ pk, sk }) => ({ pk, sk }));
  if (open.length === 0) return found;
  return [...found, ...(await readItems(documents, service.table, open, { consistent: true })).map(commitOf)];
}
