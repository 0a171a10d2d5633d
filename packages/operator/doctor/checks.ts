import { secondsBetween } from '@orderly/kit/internal/aws/clock.js';
import { pluralize } from '../cli/text-format.js';
import type { Pause } from '../consumers/pauses.js';
import type { Service } from '../deployment/services.js';
import { groupBy } from '../records/group-by.js';
import type { DescribedAlarm } from '../status/metrics.js';
import type { DeployedResource, StackState } from './deployed-resources.js';

/** Something that isn't as it was deployed, or as it should be, and what to do about it. */
export interface Finding {
  /** For scripts: `ttl`, `mapping`, `alarm`. */
  readonly check: string;
  readonly text: string;
  readonly advice: string;
}

/** A table as DynamoDB describes it. */
export interface TableState {
  readonly ttl: boolean;
  readonly pointInTimeRecovery: boolean;
  readonly stream: boolean;
  readonly deletionProtection: boolean;
}

/** A function as Lambda describes it. */
export interface FunctionState {
  readonly state: string;
  readonly lastUpdate: string;
  readonly timeout: number;
  readonly memory: number;
  readonly variables: Readonly<Record<string, string>>;
  /** Hash of its code. */
  readonly code?: string;
  /** Time of the newest change of its code or configuration. ISO 8601. */
  readonly changedAt?: string;
  /** Concurrency that is reserved for it; absent if none is. */
  readonly reserved?: number;
}

type Properties = DeployedResource['properties'];
const readMember = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Properties)[name] : undefined;

const DEPLOY = 'deploy the stack again, or find out who changed it (CloudTrail)';

/** A global table has some properties of each region in its replicas. */
function readOfTable(properties: Properties, name: string): unknown {
  const [replica] = (readMember(properties, 'Replicas') as readonly unknown[] | undefined) ?? [];
  return readMember(replica, name) ?? properties[name];
}

/** Whether a table's data is kept: its template wants point-in-time recovery. */
const isKept = ({ properties }: DeployedResource): boolean =>
  readMember(readOfTable(properties, 'PointInTimeRecoverySpecification'), 'PointInTimeRecoveryEnabled') === true;

/** @param state `undefined` if the table is gone */
export function checkTable(resource: DeployedResource, state: TableState | undefined): readonly Finding[] {
  const { physicalId, properties } = resource;
  if (!state) {
    return [{ check: 'table', text: `the table ${physicalId} is gone`, advice: 'restore it from a backup' }];
  }
  const wanted = (name: string): unknown => readOfTable(properties, name);
  const pointInTimeRecovery = isKept(resource);
  const wants = {
    ttl: readMember(properties.TimeToLiveSpecification, 'Enabled') === true,
    pointInTimeRecovery,
    stream: properties.StreamSpecification !== undefined,
    // A first deployment leaves the protection out. A table with point-in-time recovery is one whose data is kept.
    deletionProtection: wanted('DeletionProtectionEnabled') === true || pointInTimeRecovery,
  };
  const words: readonly (readonly [keyof TableState, string])[] = [
    ['ttl', 'expires no items (TTL is off): old records are never deleted'],
    ['pointInTimeRecovery', 'has no point-in-time recovery'],
    ['stream', 'has no stream: nothing that is written there is published'],
    ['deletionProtection', 'is not protected against deletion'],
  ];
  return words
    .filter(([name]) => wants[name] && !state[name])
    .map(([check, text]) => ({ check, text: `the table ${physicalId} ${text}`, advice: DEPLOY }));
}

/**
 * @param state of an event source mapping; `undefined` if it is gone
 * @param pause that an operator noted for it. @default none
 */
export function checkMapping(
  { stack, logicalId, properties, physicalId }: DeployedResource,
  state: string | undefined,
  pause?: Pick<Pause, 'consumer'>,
): readonly Finding[] {
  if (pause && state === 'Enabled') {
    const text = `${pause.consumer} is noted as paused, and its event source mapping ${stack}/${logicalId} is enabled: somebody has switched it on`;
    return [{ check: 'pause', text, advice: `consumers resume ${pause.consumer}, or pause it again` }];
  }
  if (pause && state?.startsWith('Disabl')) return [];
  if (properties.Enabled === false || state === 'Enabled') return [];
  const text = `the event source mapping ${stack}/${logicalId} is ${state === undefined ? 'gone' : `'${state}'`}: its function gets nothing`;
  return [
    {
      check: 'mapping',
      text,
      advice: state === undefined ? DEPLOY : `aws lambda update-event-source-mapping --enabled --uuid ${physicalId}`,
    },
  ];
}

/** @param state `undefined` if the function is gone */
export function checkFunction(resource: DeployedResource, state: FunctionState | undefined): readonly Finding[] {
  const { physicalId, properties } = resource;
  const finding = (check: string, text: string, advice = DEPLOY): Finding => ({
    check,
    text: `the function ${physicalId} ${text}`,
    advice,
  });
  const concurrencyFindings = (wanted: number | undefined, { reserved }: FunctionState): readonly Finding[] => {
    if (wanted === reserved) return [];
    const text =
      reserved === 0
        ? 'is stopped: its reserved concurrency is 0'
        : `has a reserved concurrency of ${reserved ?? 'none'} instead of ${wanted ?? 'none'}`;
    return [finding('concurrency', text, `aws lambda ${concurrencyCommand(wanted)} --function-name ${physicalId}`)];
  };
  if (!state) return [finding('function', 'is gone')];
  const { Timeout, MemorySize, Environment, ReservedConcurrentExecutions: reserved } = properties;
  const wanted = (readMember(Environment, 'Variables') ?? {}) as Properties;
  // Only texts can be compared: references have values that CloudFormation gave.
  const drifted = Object.entries(wanted)
    .filter(([name, value]) => typeof value === 'string' && state.variables[name] !== value)
    .map(([name]) => name);
  return [
    ...(['Active', 'Inactive'].includes(state.state) ? [] : [finding('function', `is in state ${state.state}`)]),
    ...(state.lastUpdate === 'Failed' ? [finding('function', 'runs older code: its last update failed')] : []),
    ...(typeof Timeout === 'number' && Timeout !== state.timeout
      ? [finding('drift', `has a timeout of ${state.timeout} s instead of ${Timeout} s`)]
      : []),
    ...(typeof MemorySize === 'number' && MemorySize !== state.memory
      ? [finding('drift', `has ${state.memory} MB instead of ${MemorySize} MB`)]
      : []),
    ...(typeof reserved === 'number' || reserved === undefined ? concurrencyFindings(reserved, state) : []),
    ...checkManualChange(resource, state, finding),
    ...(drifted.length > 0 ? [finding('drift', `has other values than its template: ${drifted.join(', ')}`)] : []),
  ];
}

/** Seconds by which the clocks of two services of AWS may differ. */
const CLOCKS_DIFFER = 60;

/** Finds a change that no deployment made: of the code, or of something that the template doesn't say. */
function checkManualChange(
  { deployedAt }: DeployedResource,
  { changedAt }: FunctionState,
  finding: (check: string, text: string) => Finding,
): readonly Finding[] {
  if (deployedAt === undefined || changedAt === undefined) return [];
  if (secondsBetween(deployedAt, changedAt) <= CLOCKS_DIFFER) return [];
  return [
    finding('version', `was changed at ${changedAt}, after its deployment at ${deployedAt}: it may run other code`),
  ];
}

/** Finds functions that run different code, although their templates name the same file. */
export function checkVersions(
  functions: readonly (readonly [resource: DeployedResource, state: FunctionState | undefined])[],
): readonly Finding[] {
  const byFile = groupBy(
    functions.flatMap(([{ physicalId, properties }, state]) => {
      const file = readMember(properties.Code, 'S3Key');
      return typeof file === 'string' && state?.code !== undefined ? [{ physicalId, file, code: state.code }] : [];
    }),
    ({ file }) => file,
  );
  return [...byFile.values()].flatMap((own) => {
    const versions = [...groupBy(own, ({ code }) => code).values()].toSorted((one, other) => one.length - other.length);
    if (versions.length < 2) return [];
    const names = versions
      .slice(0, -1)
      .flat()
      .map(({ physicalId }) => physicalId);
    const text = `${names.join(', ')} ${names.length === 1 ? 'runs' : 'run'} other code than ${pluralize(versions.at(-1)?.length ?? 0, 'function')} with the same file in their templates`;
    return [{ check: 'version', text, advice: DEPLOY }];
  });
}

/** @param states of stacks, by the last parts of their names */
export const checkStacks = (states: ReadonlyMap<string, Pick<StackState, 'status'>>): readonly Finding[] =>
  [...states]
    .filter(([, { status }]) => status.endsWith('FAILED') || status.endsWith('ROLLBACK_COMPLETE'))
    .map(([stack, { status }]) => ({
      check: 'deployment',
      text: `the stack ${stack} is ${status}: its newest deployment failed, so it may run older code than the other stacks`,
      advice:
        status === 'UPDATE_ROLLBACK_FAILED'
          ? `run aws cloudformation continue-update-rollback for ${stack}, then deploy it again; its events say why it failed`
          : `deploy ${stack} again; its events in CloudFormation say why it failed`,
    }));

/**
 * Finds stacks that one command deletes, in an environment whose data is kept: there the kit protects every stack. No template says
 * so. A first deployment leaves the protection out, and somebody who had to delete a failed stack switched it off.
 * @param tables of all stacks
 * @param prefix of the stacks' names
 */
export const checkTerminationProtection = (
  states: ReadonlyMap<string, Pick<StackState, 'terminationProtection'>>,
  tables: readonly DeployedResource[],
  prefix: string,
): readonly Finding[] =>
  [...(tables.some(isKept) ? states : [])]
    .filter(([, { terminationProtection }]) => !terminationProtection)
    .map(([stack]) => ({
      check: 'terminationProtection',
      text: `the stack ${stack} is not protected against deletion (termination protection is off)`,
      advice: `aws cloudformation update-termination-protection --enable-termination-protection --stack-name ${prefix}${stack}`,
    }));

/** A deployment changes no concurrency that the template doesn't change. */
const concurrencyCommand = (wanted: number | undefined): string =>
  wanted === undefined
    ? 'delete-function-concurrency'
    : `put-function-concurrency --reserved-concurrent-executions ${wanted}`;

/** @param described alarms that exist */
export function checkAlarms(
  alarms: readonly DeployedResource[],
  described: readonly DescribedAlarm[],
): readonly Finding[] {
  const byName = new Map(described.map((alarm) => [alarm.AlarmName, alarm]));
  return alarms.flatMap(({ physicalId, properties }) => {
    const finding = (text: string): Finding => ({
      check: 'alarm',
      text: `the alarm ${physicalId} ${text}`,
      advice: DEPLOY,
    });
    const alarm = byName.get(physicalId);
    if (!alarm) return [finding('is gone')];
    const actions = (properties.AlarmActions as readonly unknown[] | undefined) ?? [];
    if (actions.length > 0 && alarm.ActionsEnabled === false)
      return [finding('tells nobody: its actions are disabled')];
    if (actions.length > 0 && (alarm.AlarmActions ?? []).length === 0)
      return [finding('tells nobody: it has no actions')];
    return [];
  });
}

/** Finds subscriptions to services that aren't deployed here: they will never hear anything. */
export function checkContracts(services: readonly Service[]): readonly Finding[] {
  const names = new Set(services.map(({ name }) => name));
  return services.flatMap((service) =>
    service.consumers.flatMap(({ name, events }) =>
      events
        .filter((one) => !names.has(one.service))
        .map((one) => ({
          check: 'contract',
          text: `${name} receives ${one.types.join(', ')} of ${one.service}, which is not deployed here`,
          advice: `deploy ${one.service}`,
        })),
    ),
  );
}

/** Difference of clocks that is tolerated, in seconds. AWS refuses signatures that are 5 minutes off. */
const TOLERATED = 30;

/** @param difference of this machine's clock from the endpoint's, in seconds */
export function checkClock(difference: number): readonly Finding[] {
  if (Math.abs(difference) < TOLERATED) return [];
  const words = `${Math.round(Math.abs(difference))} s ${difference > 0 ? 'ahead of' : 'behind'}`;
  return [
    {
      check: 'clock',
      text: `the clock of this machine is ${words} the endpoint's: ages and times here are wrong by so much`,
      advice: 'synchronize it (NTP)',
    },
  ];
}
