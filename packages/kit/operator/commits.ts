import { type DynamoDBDocumentClient, paginateQuery } from '@aws-sdk/lib-dynamodb';
import { relayConsumer } from '../failures/failure-records.js';
import { Commit } from '../messages/commit.js';
import { faultsOf } from '../messages/contract.js';
import { COMMIT_PREFIX } from '../messages/keys.js';
import { OperatorError } from './errors.js';
import type { Service } from './services.js';

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
  const commits: Commit[] = [];
  for await (const { Items = [] } of pagesOf(documents, service, pk)) commits.push(...Items.map(commitOf));
  return commits;
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
  for await (const { Items = [] } of pagesOf(documents, service, pk, { ScanIndexForward: false })) {
    const page = Items.map(commitOf);
    commits.push(...page.filter(({ at }) => at >= since));
    if (page.some(({ at }) => at < since)) break;
  }
  return commits.toReversed();
}

const pagesOf = (
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

/** Reads an item as a commit. @throws {OperatorError} `refused` */
export function commitOf(item: Readonly<Record<string, unknown>>): Commit {
  const commit = Commit.safeParse(item);
  if (commit.success) return commit.data;
  throw new OperatorError('refused', `${item.pk}/${item.sk} can't be read as a commit: ${faultsOf(commit.error)}.`, [
    'failures',
    'list',
    '--consumer',
    relayConsumer.name,
  ]);
}
