import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { FEED_INDEX } from '@orderly/kit/internal/aws/indexes.js';
import type { RebuildAnswer, RebuildRequest } from '@orderly/kit/internal/projection/contract.js';
import type { CommandContext } from '../cli/context.js';
import { Exit, OperatorError } from '../cli/errors.js';
import type { Outcome } from '../cli/outcome.js';
import { renderTable } from '../cli/table.js';
import { alignColumns, type CommandFormatter, pluralize } from '../cli/text-format.js';
import { clientConfig, type Endpoint } from '../deployment/endpoint.js';
import { invokeRebuilder } from './rebuilder-client.js';

/** A projection of a service, and access to the function that rebuilds it. */
export interface DeployedProjection {
  readonly name: string;
  readonly service: string;
  /** @throws {OperatorError} `refused` if the function failed */
  ask(request: RebuildRequest): Promise<RebuildAnswer>;
  /** Returns the number of commits in its service's feed, as DynamoDB counted them within the last six hours. */
  commits(): Promise<number>;
}

/** Returns every projection of an environment. */
export const listDeployedProjections = ({
  endpoint,
  services,
}: Pick<CommandContext, 'endpoint' | 'services'>): readonly DeployedProjection[] =>
  services.flatMap(({ name: service, table, consumers }) =>
    consumers.flatMap(({ name, rebuild }) =>
      rebuild === undefined
        ? []
        : [
            {
              name,
              service,
              ask: (request: RebuildRequest) => askRebuilder(endpoint, name, rebuild, request),
              commits: () => readCommitCount(endpoint, table),
            },
          ],
    ),
  );

/** @throws {OperatorError} `not-found`, with the existing names */
export function findProjection(projections: readonly DeployedProjection[], name: string): DeployedProjection {
  const found = projections.find((projection) => projection.name === name);
  if (found) return found;
  const names = projections.map((projection) => projection.name).join(', ');
  throw new OperatorError('not-found', `There is no projection '${name}'; there are: ${names}.`, [
    'projections',
    'list',
  ]);
}

/** `projections list`. */
export async function listProjections(projections: readonly DeployedProjection[]): Promise<Outcome> {
  const answers = await Promise.all(projections.map((projection) => projection.ask({ action: 'show' })));
  const found = projections.map(({ name, service }, at) => ({ name, service, ...answers[at] }));
  const rows = found.map(({ name, service, versions, rebuild }) => [
    `${service}/${name}`,
    String(versions?.reads ?? ''),
    rebuild ? describePhase(rebuild) : 'never rebuilt',
  ]);
  return {
    exitCode: Exit.OK,
    text: renderTable(['PROJECTION', 'READS', 'REBUILD'], rows, ['REBUILD']),
    json: { projections: found },
  };
}

/** `projections show`. */
export async function showProjection(
  { name, service, ask }: DeployedProjection,
  command: CommandFormatter,
): Promise<Outcome> {
  const answer = await ask({ action: 'show' });
  const { versions, rebuild } = answer;
  const rows = [
    ['projection', `${service}/${name}`],
    ['reads', `version ${versions.reads}`],
    ...(versions.builds === undefined ? [] : [['builds', `version ${versions.builds}`]]),
    ['rebuild', rebuild ? describePhase(rebuild) : 'never'],
    ...(rebuild ? [['so far', describeCounts(rebuild)]] : []),
  ];
  const under = rebuild !== undefined && rebuild.phase !== 'DONE';
  return {
    exitCode: under ? Exit.PENDING : Exit.OK,
    text: [
      alignColumns(rows),
      ...renderDifferences(rebuild),
      '',
      `next: ${command('projections', 'rebuild', name, ...(under ? [] : ['--check']))}`,
    ].join('\n'),
    json: { projection: { name, service, ...answer } },
  };
}

type Rebuild = NonNullable<RebuildAnswer['rebuild']>;

/** Returns the state of a rebuild in a few words. */
export function describePhase({ phase, purpose, builds, replaces, startedAt, finishedAt, keeps }: Rebuild): string {
  if (phase === 'DONE') {
    const end = keeps === builds ? `version ${builds} replaced version ${replaces}` : `version ${replaces} stayed`;
    return `${finishedAt}: ${end}`;
  }
  return `${purpose === 'check' ? 'check' : 'rebuild'} since ${startedAt}, version ${builds}: ${phase}`;
}

/** Returns the progress of a rebuild. */
export function describeCounts({ counts }: Rebuild): string {
  const { commits, aggregates, compared, completed, pending, differences, deleted } = counts;
  return [
    `${pluralize(commits, 'commit')} of ${pluralize(aggregates, 'aggregate')} replayed`,
    `${pluralize(compared, 'row')} compared`,
    pluralize(differences, 'difference'),
    ...(completed > 0 ? [`${completed} completed`] : []),
    ...(pending > 0 ? [`${pending} with pending events`] : []),
    ...(deleted > 0 ? [`${deleted} deleted`] : []),
  ].join(', ');
}

const KINDS = {
  bytes: 'was shown with other values',
  behind: 'an event was not shown',
  unfounded: 'was shown, but no event accounts for it',
  unreadable: "can't be loaded: see its failure",
} as const;

/** Returns a line for each recorded difference, and the number of further ones. */
export function renderDifferences(rebuild: Rebuild | undefined): readonly string[] {
  if (!rebuild || rebuild.counts.differences === 0) return [];
  const named = rebuild.differences.map(({ subject, kind }) => [subject, KINDS[kind]]);
  const more = rebuild.counts.differences - named.length;
  return ['', 'differences:', alignColumns(named, '  '), ...(more > 0 ? [`  and ${more} more`] : [])];
}

/** Asks the rebuild function of a projection. @throws {OperatorError} `refused` if it failed */
export async function askRebuilder(
  endpoint: Endpoint,
  projection: string,
  rebuild: string,
  request: RebuildRequest,
): Promise<RebuildAnswer> {
  const client = new LambdaClient(clientConfig(endpoint));
  try {
    return await invokeRebuilder(client, { name: projection, rebuild }, request);
  } finally {
    client.destroy();
  }
}

async function readCommitCount(endpoint: Endpoint, TableName: string): Promise<number> {
  const client = new DynamoDBClient(clientConfig(endpoint));
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    return Table?.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === FEED_INDEX)?.ItemCount ?? 0;
  } finally {
    client.destroy();
  }
}
