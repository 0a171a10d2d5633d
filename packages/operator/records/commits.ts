import { type DynamoDBDocumentClient, paginateQuery } from '@aws-sdk/lib-dynamodb';
import type { Item } from '@orderly/kit/internal/aws/items.js';
import { relayConsumer } from '@orderly/kit/internal/failures/failure-records.js';
import { Commit } from '@orderly/kit/internal/messages/commit.js';
import { formatIssues } from '@orderly/kit/internal/messages/contract.js';
import { COMMIT_PREFIX } from '@orderly/kit/internal/messages/keys.js';
import { OperatorError } from '../cli/errors.js';
import type { Service } from '../deployment/services.js';

/**
 * Reads all commits of an aggregate, oldest first, strongly consistent.
 * @param pk the aggregate's key: `Order#3f…`
 * @throws {OperatorError} `refused` for an item that is no commit, although its key says so
 */
export async function readCommits(
  documents: DynamoDBDocumentClient,
  service: Pick<Service, 'table'>,
  pk: string,
): Promise<readonly Commit[]> {
  return (await readHistory(documents, service, pk)).map(parseCommit);
}

/** Does the same, and names each commit that can't be read beside the others. */
export const readCommitsSafely = async (
  documents: DynamoDBDocumentClient,
  service: Pick<Service, 'table'>,
  pk: string,
): Promise<ReadCommits> => parseCommits(await readHistory(documents, service, pk));

async function readHistory(
  documents: DynamoDBDocumentClient,
  service: Pick<Service, 'table'>,
  pk: string,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const { Items = [] } of paginateHistory(documents, service, pk)) items.push(...Items);
  return items;
}

/**
 * Reads an aggregate's commits back to a moment, for aggregates without an end: oldest first, strongly consistent.
 * @param since ISO 8601, UTC. Time never runs backwards within an aggregate.
 */
export async function readCommitsSince(
  documents: DynamoDBDocumentClient,
  service: Pick<Service, 'table'>,
  pk: string,
  since: string,
): Promise<readonly Commit[]> {
  const commits: Commit[] = [];
  for await (const { Items = [] } of paginateHistory(documents, service, pk, { ScanIndexForward: false })) {
    const page = Items.map(parseCommit);
    commits.push(...page.filter(({ at }) => at >= since));
    if (page.some(({ at }) => at < since)) break;
  }
  return commits.toReversed();
}

const paginateHistory = (
  documents: DynamoDBDocumentClient,
  { table }: Pick<Service, 'table'>,
  pk: string,
  order: { readonly ScanIndexForward?: boolean } = {},
) =>
  paginateQuery(
    { client: documents },
    {
      TableName: table,
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :commit)',
      ExpressionAttributeValues: { ':pk': pk, ':commit': COMMIT_PREFIX },
      ...order,
    },
  );

/** An item that has the key of a commit, and is none that this release can read. */
export interface UnreadableCommit {
  readonly pk: string;
  readonly sk: string;
  /** Paths and codes of what is wrong, without values. */
  readonly fault: string;
  readonly item: Item;
}

/** Commits that were read by their keys, and what could not be read beside them. */
export interface ReadCommits {
  readonly commits: readonly Commit[];
  readonly unreadable: readonly UnreadableCommit[];
}

/** Reads items as commits, each by itself: one that can't be read hides no other. */
export function parseCommits(items: readonly Item[]): ReadCommits {
  const commits: Commit[] = [];
  const unreadable: UnreadableCommit[] = [];
  for (const item of items) {
    const { success, data, error } = Commit.safeParse(item);
    if (success) commits.push(data);
    else unreadable.push({ pk: String(item.pk), sk: String(item.sk), fault: formatIssues(error), item });
  }
  return { commits, unreadable };
}

/** Reads an item as a commit. @throws {OperatorError} `refused` */
export function parseCommit(item: Item): Commit {
  const { commits, unreadable } = parseCommits([item]);
  const [commit] = commits;
  if (commit) return commit;
  throw new OperatorError('refused', `${item.pk}/${item.sk} can't be read as a commit: ${unreadable[0]?.fault}.`, [
    'failures',
    'list',
    '--consumer',
    relayConsumer.name,
  ]);
}
