import { type DynamoDBDocumentClient, paginateQuery } from '@aws-sdk/lib-dynamodb';
import { MAX_BATCH_KEYS } from '@orderly/kit/internal/aws/dynamodb-limits.js';
import { parseIdTime, smallestIdAt } from '@orderly/kit/internal/aws/ids.js';
import { FEED_INDEX } from '@orderly/kit/internal/aws/indexes.js';
import type { Item } from '@orderly/kit/internal/aws/items.js';
import { queryItems, readItems } from '@orderly/kit/internal/aws/read-items.js';
import type { CommandContext } from '../cli/context.js';
import type { Service } from '../deployment/services.js';
import { parseCommits, type ReadCommits } from './commits.js';

/** Commits of a page: one BatchGetItem. */
export const PAGE_SIZE = MAX_BATCH_KEYS;
export const ONE_HOUR = 3_600_000;
/** Most milliseconds by which clocks of functions differ; so a commit's place in the feed may differ as much from its time. */
export const MAX_CLOCK_SKEW_MS = 300_000;

/** Times from and up to which commits are read, in ISO 8601, UTC. The end is not part of it. */
export interface TimeSpan {
  readonly from: string;
  readonly to: string;
}

/** Whether a partition of a service's feed may have commits. */
export type PartitionFilter = (service: string, partition: string) => boolean;

/** How a feed is read. */
export interface FeedReadOptions {
  /** Called before each query; what it throws ends the reading. @default there is no limit */
  readonly beforeEachQuery?: (() => void) | undefined;
  /** Most commits of a page. @default 100: one BatchGetItem */
  readonly pageSize?: number | undefined;
  /** Whether a partition may have commits; one that has none is not asked. @default each may */
  readonly mayHaveCommits?: PartitionFilter | undefined;
}

/** Partitions of the feed that are asked at once. */
const QUERIED_AT_ONCE = 16;

/**
 * Reads the commits of a service from its feed, page by page, in about the order of time. The feed is an index: a commit
 * may appear in it late, so the newest ones may be missing. A commit that can't be read is named in its page, and the reading
 * continues behind it.
 *
 * It costs a query for each shard of each hour that may have commits, and half a read unit for each KB of each commit. Pages are filled across shards and hours, so
 * what a reader asks for each page grows with the number of commits and not with the length of the time.
 */
export async function* readFeedCommits(
  documents: DynamoDBDocumentClient,
  { name, table, feedShards }: Pick<Service, 'name' | 'table' | 'feedShards'>,
  span: TimeSpan,
  how: FeedReadOptions = {},
): AsyncGenerator<ReadCommits> {
  const { pageSize = PAGE_SIZE, mayHaveCommits = () => true } = how;
  const partitions = listFeedPartitions(feedShards, span).filter((partition) => mayHaveCommits(name, partition));
  const open: Item[] = [];
  const next = async (): Promise<readonly ReadCommits[]> => {
    const read = await readPlaces(documents, table, open.splice(0, pageSize), span);
    return read.commits.length + read.unreadable.length > 0 ? [read] : [];
  };
  for (let at = 0; at < partitions.length; at += QUERIED_AT_ONCE) {
    const some = partitions.slice(at, at + QUERIED_AT_ONCE);
    const firsts = await Promise.all(some.map((partition) => queryPlaces(documents, table, partition, span, how)));
    for (const [index, first] of firsts.entries()) {
      for (let page = first; ; page = await queryPlaces(documents, table, some[index] ?? '', span, how, page.next)) {
        open.push(...page.items);
        while (open.length >= pageSize) yield* await next();
        if (!page.next) break;
      }
    }
  }
  if (open.length > 0) yield* await next();
}

/** Commits of a service, of one hour. */
export interface FeedHour extends ReadCommits {
  /** First moment of the hour, or of the span if that begins later. */
  readonly since: string;
  readonly service: Service;
}

/**
 * Reads the commits of several services hour by hour: a page comes when all pages of earlier hours have come, of all
 * services. The shards of an hour are asked at the same time, since most hours of a long time are empty.
 */
export async function* readFeedByHour(
  documents: DynamoDBDocumentClient,
  services: readonly Service[],
  span: TimeSpan,
  how?: FeedReadOptions,
): AsyncGenerator<FeedHour> {
  for (const hour of splitByHour(span)) {
    const readers = services.flatMap((service) =>
      listFeedPartitions(service.feedShards, hour).map((partition) => ({
        service,
        pages: readFeedPages(documents, service.table, partition, hour, how),
      })),
    );
    const firsts = await Promise.all(readers.map(({ pages }) => pages.next()));
    for (const [at, { service, pages }] of readers.entries()) {
      for (let page = firsts[at]; page && !page.done; page = await pages.next())
        yield { since: hour.from, service, ...page.value };
    }
  }
}

/** Cuts a span at the full hours. */
function* splitByHour({ from, to }: TimeSpan): Generator<TimeSpan> {
  for (let begins = from; begins < to; ) {
    const ends = new Date((Math.floor(Date.parse(begins) / ONE_HOUR) + 1) * ONE_HOUR).toISOString();
    yield { from: begins, to: ends < to ? ends : to };
    begins = ends;
  }
}

/** Reads the commits of one partition of the feed that are of a span. */
async function* readFeedPages(
  documents: DynamoDBDocumentClient,
  table: string,
  partition: string,
  span: TimeSpan,
  how: FeedReadOptions = {},
): AsyncGenerator<ReadCommits> {
  let start: Item | undefined;
  do {
    const { items, next } = await queryPlaces(documents, table, partition, span, how, start);
    const read = await readPlaces(documents, table, items, span);
    if (read.commits.length + read.unreadable.length > 0) yield read;
    start = next;
  } while (start);
}

/** Reads a page of places of one partition of the feed. The query leaves out what is far from the span. */
async function queryPlaces(
  documents: DynamoDBDocumentClient,
  table: string,
  partition: string,
  { from, to }: TimeSpan,
  { beforeEachQuery = () => undefined, pageSize = PAGE_SIZE }: FeedReadOptions,
  start?: Item,
) {
  const query = {
    TableName: table,
    IndexName: FEED_INDEX,
    KeyConditionExpression: 'feedPk = :partition AND feedSk BETWEEN :first AND :last',
    ExpressionAttributeValues: {
      ':partition': partition,
      ':first': smallestIdAt(Date.parse(from) - MAX_CLOCK_SKEW_MS),
      ':last': smallestIdAt(Date.parse(to) + MAX_CLOCK_SKEW_MS),
    },
    ProjectionExpression: 'pk, sk, feedSk',
  };
  beforeEachQuery();
  return queryItems(documents, query, { limit: pageSize, from: start });
}

/** Reads the commits at some places of the feed, as far as they are of a span. */
async function readPlaces(
  documents: DynamoDBDocumentClient,
  table: string,
  items: readonly Item[],
  { from, to }: TimeSpan,
): Promise<ReadCommits> {
  const keys = items.map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) }));
  const read = await readCommitsAt({ documents }, { table }, keys);
  const commits = read.commits
    .filter(({ at }) => from <= at && at < to)
    .toSorted((one, other) => one.feedSk.localeCompare(other.feedSk));
  // The time of a commit that can't be read is that of its place in the feed.
  const timeOf = new Map(items.map(({ pk, sk, feedSk }) => [`${pk} ${sk}`, parseIdTime(String(feedSk)) ?? 0]));
  const isWithin = (time: number): boolean => Date.parse(from) <= time && time < Date.parse(to);
  const unreadable = read.unreadable.filter(({ pk, sk }) => isWithin(timeOf.get(`${pk} ${sk}`) ?? 0));
  return { commits, unreadable };
}

/** Returns the partitions of the feed that may contain commits of a time: each shard of each hour. */
export function listFeedPartitions(feedShards: Service['feedShards'], { from, to }: TimeSpan): readonly string[] {
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

/** Reads the hour and the shard in the name of a partition. */
export function parsePartition(partition: string): { readonly hour: number; readonly shard: number } {
  const [hour = '', shard] = partition.split('#');
  return { hour: Date.parse(`${hour}:00:00.000Z`), shard: Number(shard) };
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
        ExpressionAttributeValues: { ':feedPk': feedPk, ':since': smallestIdAt(from), ':last': smallestIdAt(to + 1) },
      },
    );
    for await (const { Items = [] } of pages) {
      counted?.(Items.length);
      for (const { pk, sk, feedSk } of Items) {
        const at = parseIdTime(String(feedSk)) ?? 0;
        if (at <= to) entries.push({ pk: String(pk), sk: String(sk), at });
      }
    }
    return entries;
  };
  return (await Promise.all(listFeedPartitions(feedShards, span).map(read))).flat();
}

/** The newest keys of a feed. */
export interface NewestFeedEntries {
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
export async function readNewestFeedEntries(
  { documents }: Pick<CommandContext, 'documents'>,
  { table, feedShards }: Pick<Service, 'table' | 'feedShards'>,
  { from, to, most }: { readonly from: number; readonly to: number; readonly most: number },
): Promise<NewestFeedEntries> {
  const all: FeedEntry[] = [];
  for (let hour = Math.floor(to / ONE_HOUR) * ONE_HOUR; hour + ONE_HOUR > from; hour -= ONE_HOUR) {
    const span = { from: new Date(hour).toISOString(), to: new Date(hour + ONE_HOUR).toISOString() };
    const partitions = listFeedPartitions(feedShards, span);
    const share = Math.max(1, Math.ceil((most - all.length) / partitions.length));
    const read = async (feedPk: string): Promise<NewestFeedEntries> => {
      const query = {
        TableName: table,
        IndexName: FEED_INDEX,
        KeyConditionExpression: 'feedPk = :feedPk AND feedSk BETWEEN :first AND :last',
        ExpressionAttributeValues: { ':feedPk': feedPk, ':first': smallestIdAt(from), ':last': smallestIdAt(to + 1) },
        ScanIndexForward: false,
      };
      const { items, next } = await queryItems(documents, query, { limit: share });
      const entries = items.map(({ pk, sk, feedSk }) => ({
        pk: String(pk),
        sk: String(sk),
        at: parseIdTime(String(feedSk)) ?? 0,
      }));
      return { entries, more: next !== undefined };
    };
    const shards = await Promise.all(partitions.map(read));
    const cutAt = shards.flatMap(({ entries, more }) => (more ? [entries.at(-1)?.at ?? to] : []));
    const oldest = Math.max(0, ...cutAt);
    all.push(...shards.flatMap(({ entries }) => entries).filter(({ at }) => at >= oldest));
    if (cutAt.length > 0 || (all.length >= most && hour > from)) return { entries: all, more: true };
  }
  return { entries: all, more: false };
}

/** Reads commits by their keys, eventually consistent, in any order. */
export const readCommitsAt = async (
  { documents }: Pick<CommandContext, 'documents'>,
  { table }: Pick<Service, 'table'>,
  entries: readonly Pick<FeedEntry, 'pk' | 'sk'>[],
): Promise<ReadCommits> =>
  parseCommits(
    await readItems(
      documents,
      table,
      entries.map(({ pk, sk }) => ({ pk, sk })),
    ),
  );

/**
 * Reads commits by their keys, and those that an eventually consistent read did not find again, consistent. So a commit
 * that is not returned does not exist.
 */
export async function readCommitsConsistently(
  documents: DynamoDBDocumentClient,
  service: Pick<Service, 'table'>,
  keys: readonly Pick<FeedEntry, 'pk' | 'sk'>[],
): Promise<ReadCommits> {
  const found = await readCommitsAt({ documents }, service, keys);
  const known = new Set([...found.commits, ...found.unreadable].map(({ pk, sk }) => `${pk} ${sk}`));
  const open = keys.filter(({ pk, sk }) => !known.has(`${pk} ${sk}`)).map(({ pk, sk }) => ({ pk, sk }));
  if (open.length === 0) return found;
  const late = parseCommits(await readItems(documents, service.table, open, { consistent: true }));
  return {
    commits: [...found.commits, ...late.commits],
    unreadable: [...found.unreadable, ...late.unreadable],
  };
}
