import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { timeOfId } from '../aws/ids.js';
import type { Commit } from '../messages/commit.js';
import { FEED_INDEX } from '../projection/contract.js';
import { partitionsBetween, readItems } from './audit/feed.js';
import { commitOf } from './commits.js';
import type { CommandContext } from './context.js';
import type { Service } from './services.js';

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
 */
export async function readFeed(
  { documents }: Pick<CommandContext, 'documents'>,
  { table, feedShards }: Pick<Service, 'table' | 'feedShards'>,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<readonly FeedEntry[]> {
  const span = { from: new Date(from).toISOString(), to: new Date(to + 1).toISOString() };
  const read = async (feedPk: string): Promise<readonly FeedEntry[]> => {
    const entries: FeedEntry[] = [];
    const pages = paginateQuery(
      { client: documents },
      {
        TableName: table,
        IndexName: FEED_INDEX,
        KeyConditionExpression: 'feedPk = :feedPk AND feedSk >= :since',
        ExpressionAttributeValues: { ':feedPk': feedPk, ':since': firstIdOf(from) },
      },
    );
    for await (const { Items = [] } of pages) {
      for (const { pk, sk, feedSk } of Items) {
        const at = timeOfId(String(feedSk)) ?? 0;
        if (at <= to) entries.push({ pk: String(pk), sk: String(sk), at });
      }
    }
    return entries;
  };
  return (await Promise.all(partitionsBetween(feedShards, span).map(read))).flat();
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

/** Returns the smallest UUIDv7 of a millisecond (RFC 9562, 5.7). */
function firstIdOf(at: number): string {
  const hex = at.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
