import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  ResourceNotFoundException as NoTable,
} from '@aws-sdk/client-dynamodb';
import {
  GetEventSourceMappingCommand,
  GetFunctionConcurrencyCommand,
  GetFunctionConfigurationCommand,
  LambdaClient,
  ResourceNotFoundException as NotInLambda,
} from '@aws-sdk/client-lambda';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { secondsBetween } from '@orderly/kit/internal/aws/clock.js';
import { mapConcurrently } from '@orderly/kit/internal/aws/map-concurrently.js';
import type { CommandContext } from '../cli/context.js';
import { Exit } from '../cli/errors.js';
import type { Outcome } from '../cli/outcome.js';
import { formatDuration, pluralize } from '../cli/text-format.js';
import { PAUSE_LIMITS } from '../consumers/pause-limits.js';
import { type Pause, readPauses } from '../consumers/pauses.js';
import { clientConfig } from '../deployment/endpoint.js';
import { parseFunctions } from '../deployment/functions.js';
import { stackPrefix } from '../deployment/stacks.js';
import { createSqsClient } from '../records/message-sender.js';
import { type DescribedAlarm, describeAlarms } from '../status/metrics.js';
import { readQueues, totalMessages } from '../status/queues.js';
import {
  checkAlarms,
  checkClock,
  checkContracts,
  checkFunction,
  checkMapping,
  checkStacks,
  checkTable,
  checkTerminationProtection,
  checkVersions,
  type Finding,
  type FunctionState,
  type TableState,
} from './checks.js';
import { type DeployedResource, readResources, readStackStates } from './deployed-resources.js';
import { type DeniedCommand, describeDenied, NotChecked, type SkippedCheck } from './not-checked.js';

/** Calls at once: below the rates that AWS allows for descriptions. */
const CONCURRENCY = 8;

/**
 * `doctor`: compares what is deployed with the templates, and looks for what no alarm tells. A check that AWS refuses is a
 * finding.
 */
export async function runDoctor(context: CommandContext): Promise<Outcome> {
  const { app, environment, endpoint, stacks, services, documents } = context;
  const config = clientConfig(endpoint);
  const [lambda, sqs, cloudWatch] = [new LambdaClient(config), createSqsClient(endpoint), new CloudWatchClient(config)];
  const place = { prefix: stackPrefix(app, environment), stacks: Object.keys(stacks) };
  const checks: string[] = [];
  const unchecked: SkippedCheck[] = [];
  const denied: DeniedCommand[] = [];
  const check = async (what: string, find: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> => {
    try {
      const findings = await find();
      checks.push(what);
      return findings;
    } catch (error) {
      if (error instanceof NotChecked) {
        unchecked.push({ check: what, why: error.message });
        return [];
      }
      const why = error instanceof Error ? error.name : String(error);
      return [{ check: 'unread', text: `${what} can't be checked (${why})`, advice: 'let the caller describe them' }];
    }
  };
  try {
    const resources = await readResources(context);
    let alarmsRead: ReturnType<typeof describeAlarms> | undefined;
    const described = () => {
      alarmsRead ??= describeAlarms(cloudWatch, place);
      return alarmsRead;
    };
    const pauses = (await Promise.all(services.map((service) => readPauses(documents, service)))).flatMap((own) => [
      ...own.values(),
    ]);
    const pauseOf = new Map(pauses.flatMap((pause) => pause.mappings.map((id) => [id, pause] as const)));
    const ofType = (...types: readonly string[]) => resources.filter(({ type }) => types.includes(type));
    const [tables, mappings, functions, alarms] = [
      ofType('AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table'),
      ofType('AWS::Lambda::EventSourceMapping'),
      ofType('AWS::Lambda::Function'),
      [...ofType('AWS::CloudWatch::Alarm'), ...ofType('AWS::CloudWatch::CompositeAlarm')],
    ];
    const findings = (
      await Promise.all([
        check(pluralize(tables.length, 'table'), async () =>
          (
            await mapConcurrently(tables, CONCURRENCY, async (one) =>
              checkTable(one, await readTableState(documents, one)),
            )
          ).flat(),
        ),
        check(pluralize(mappings.length, 'event source mapping'), async () =>
          (
            await mapConcurrently(mappings, CONCURRENCY, async (one) =>
              checkMapping(one, await readMappingState(lambda, one), pauseOf.get(one.physicalId)),
            )
          ).flat(),
        ),
        check(pluralize(functions.length, 'function'), async () =>
          functionFindings(
            await mapConcurrently(
              functions,
              CONCURRENCY,
              async (one) => [one, await readFunctionState(lambda, one)] as const,
            ),
          ),
        ),
        check('deployments', async () => {
          const states = await readStackStates(context);
          return [...checkStacks(states), ...checkTerminationProtection(states, tables, place.prefix)];
        }),
        check('subscriptions to alarms', async () => {
          const { checkSubscriptions: findingsOfSubscriptions } = await import('./subscriptions.js');
          return findingsOfSubscriptions(context, listAlarmTopics(await described()));
        }),
        check(pluralize(alarms.length, 'alarm'), async () => checkAlarms(alarms, await described())),
        check('dead-letter queues', async () =>
          findDeadLetters(await readQueues(sqs, { ...place, known: [] }), context),
        ),
        check('outputs and contracts', async () => {
          parseFunctions(stacks);
          return checkContracts(services);
        }),
        check('your permissions', async () => {
          const { findDeniedCommands: deniedCommands } = await import('./permissions.js');
          denied.push(...(await deniedCommands(context)));
          return [];
        }),
        check('clocks', async () => checkClock(await clockDifference(context))),
      ])
    ).flat();
    unchecked.sort((one, other) => one.check.localeCompare(other.check));
    return {
      exitCode: findings.length === 0 ? Exit.OK : Exit.FAILED,
      text: [
        ...renderFindings(findings, checks, unchecked, denied),
        ...pauses.map((pause) => describePause(pause, context)),
      ].join('\n'),
      json: {
        state: findings.length === 0 ? 'well' : 'findings',
        findings,
        checked: checks,
        unchecked,
        denied,
        paused: pauses.map(({ mappings: _, ...pause }) => pause),
      },
    };
  } finally {
    for (const client of [lambda, sqs, cloudWatch]) client.destroy();
  }
}

const functionFindings = (
  functions: readonly (readonly [DeployedResource, FunctionState | undefined])[],
): readonly Finding[] => [
  ...functions.flatMap(([resource, state]) => checkFunction(resource, state)),
  ...checkVersions(functions),
];

/** Returns the ARNs of the topics that alarms tell. */
const listAlarmTopics = (alarms: readonly DescribedAlarm[]): readonly string[] => [
  ...new Set(alarms.flatMap(({ AlarmActions = [] }) => AlarmActions).filter((arn) => arn.split(':')[2] === 'sns')),
];

function renderFindings(
  findings: readonly Finding[],
  checks: readonly string[],
  unchecked: readonly SkippedCheck[],
  denied: readonly DeniedCommand[],
): readonly string[] {
  const verdict =
    findings.length === 0 ? 'WELL: everything is as it was deployed' : pluralize(findings.length, 'finding');
  const rows = findings.map(({ text, advice }) => `${text}\n      ${advice}`);
  return [
    verdict,
    ...(rows.length > 0 ? ['', ...rows] : []),
    ...(denied.length > 0 ? ['', ...denied.map(describeDenied)] : []),
    '',
    `checked: ${checks.join(', ')}`,
    ...unchecked.map(({ check, why }) => `not checked: ${check} (${why})`),
  ];
}

/** A known pause is no finding: somebody wants it so. One that may be forgotten has the command that ends it. */
export function describePause(
  { consumer, since, by, reason }: Pause,
  { clock, command }: Pick<CommandContext, 'clock' | 'command'>,
): string {
  const seconds = secondsBetween(since, clock.now());
  const text = `paused: ${consumer}, since ${since} by ${by}: ${reason}`;
  return seconds >= PAUSE_LIMITS.forgotten
    ? `${text}\n      for ${formatDuration(seconds)}; if it was forgotten: ${command('consumers', 'resume', consumer)}`
    : text;
}

async function readTableState(
  documents: DynamoDBDocumentClient,
  { physicalId: TableName }: DeployedResource,
): Promise<TableState | undefined> {
  try {
    const [{ Table }, { TimeToLiveDescription: ttl }, { ContinuousBackupsDescription: backups }] = await Promise.all([
      documents.send(new DescribeTableCommand({ TableName })),
      documents.send(new DescribeTimeToLiveCommand({ TableName })),
      documents.send(new DescribeContinuousBackupsCommand({ TableName })),
    ]);
    const recovery = backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus;
    return {
      ttl: ttl?.TimeToLiveStatus === 'ENABLED' || ttl?.TimeToLiveStatus === 'ENABLING',
      pointInTimeRecovery: recovery === 'ENABLED',
      stream: Table?.StreamSpecification?.StreamEnabled === true,
      deletionProtection: Table?.DeletionProtectionEnabled === true,
    };
  } catch (error) {
    if (error instanceof NoTable) return undefined;
    throw error;
  }
}

async function readMappingState(
  client: LambdaClient,
  { physicalId: UUID }: DeployedResource,
): Promise<string | undefined> {
  try {
    const { State = '' } = await client.send(new GetEventSourceMappingCommand({ UUID }));
    return State;
  } catch (error) {
    if (error instanceof NotInLambda) return undefined;
    throw error;
  }
}

async function readFunctionState(
  client: LambdaClient,
  { physicalId: FunctionName }: DeployedResource,
): Promise<FunctionState | undefined> {
  try {
    const [found, { ReservedConcurrentExecutions: reserved }] = await Promise.all([
      client.send(new GetFunctionConfigurationCommand({ FunctionName })),
      client.send(new GetFunctionConcurrencyCommand({ FunctionName })),
    ]);
    const { State = '', LastUpdateStatus = '', Timeout = 0, MemorySize = 0, Environment } = found;
    const { CodeSha256: code, LastModified: changedAt } = found;
    return {
      state: State,
      lastUpdate: LastUpdateStatus,
      timeout: Timeout,
      memory: MemorySize,
      variables: Environment?.Variables ?? {},
      ...(code !== undefined && { code }),
      ...(changedAt !== undefined && { changedAt }),
      ...(reserved !== undefined && { reserved }),
    };
  } catch (error) {
    if (error instanceof NotInLambda) return undefined;
    throw error;
  }
}

const findDeadLetters = (
  queues: Awaited<ReturnType<typeof readQueues>>,
  { command }: Pick<CommandContext, 'command'>,
): readonly Finding[] =>
  queues
    .filter(({ isDeadLetters, ...queue }) => isDeadLetters && totalMessages(queue) > 0)
    .map((queue) => ({
      check: 'dead-letters',
      text: `${pluralize(totalMessages(queue), 'message')} in the dead-letter queue ${queue.name}`,
      advice: command('status'),
    }));

/** Returns the seconds that this machine's clock is ahead of the endpoint's, by the `Date` of an answer. */
async function clockDifference({ endpoint: { url, region } }: Pick<CommandContext, 'endpoint'>): Promise<number> {
  const asked = Date.now();
  const { headers } = await fetch(url ?? `https://sts.${region}.amazonaws.com/`, { method: 'HEAD' });
  const answered = Date.now();
  const date = Date.parse(headers.get('date') ?? '');
  // The header has whole seconds.
  return Number.isNaN(date) ? 0 : ((asked + answered) / 2 - date - 500) / 1000;
}
