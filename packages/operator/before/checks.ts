import type { Finding } from '../doctor/checks.js';
import { CONCURRENCY_QUOTA_CODE, EVENT_QUOTA_CODES, type EventQuotas, quotaPage } from './event-quotas.js';
import type { Requirements } from './requirements.js';

/** Concurrency that AWS keeps for functions without a reservation ("Configuring reserved concurrency for a function"). */
const LEAST_UNRESERVED = 100;
/** Concurrent executions of the smallest account, for which `concurrency: 'small'` is made. */
const SMALL = 10;

/** Actions that the app's entry points start, with the number of EventBridge calls that each causes. */
export interface EventDemand {
  /** Name for people: `orders`. */
  readonly what: string;
  /** Number of them that the API admits in a second. */
  readonly perSecond: number;
  /** Events that are sent to targets for one of them. */
  readonly invocations: number;
  /** Requests of PutEvents for one of them. */
  readonly putEvents: number;
  /** Returns the setting that admits at most so many in a second. */
  readonly setting: (perSecond: number) => string;
}

/**
 * Judges the account's concurrency.
 * @param account its quota, and what no function has reserved
 * @param own what this environment's functions have reserved before this deployment
 * @param settings file with the settings
 */
export function checkConcurrency(
  { reserved }: Pick<Requirements, 'reserved'>,
  account: { readonly limit: number; readonly unreserved: number },
  own: number,
  { region, settings }: { readonly region: string; readonly settings: string },
): readonly Finding[] {
  const { limit, unreserved } = account;
  const page = quotaPage(region, 'lambda', CONCURRENCY_QUOTA_CODE);
  const finding = (text: string, advice: string): readonly Finding[] => [{ check: 'concurrency', text, advice }];
  if (reserved === 0) {
    if (limit >= SMALL) return [];
    return finding(`AWS Lambda runs ${limit} executions at once in this account`, `request ${SMALL} or more: ${page}`);
  }
  const others = limit - unreserved - own;
  const needed = others + reserved + LEAST_UNRESERVED;
  if (needed <= limit) return [];
  const left = Math.max(0, limit - others - LEAST_UNRESERVED);
  return finding(
    `the functions reserve ${reserved} executions at once, and AWS keeps ${LEAST_UNRESERVED} unreserved: the account has ${limit}, of which functions of others reserve ${others}`,
    `request ${needed} or more: ${page}; or set concurrency: 'small' in ${settings}, which reserves nothing (there are ${left} to reserve)`,
  );
}

/** Judges what the API admits by EventBridge's quotas. @param source of the quotas, for the text */
export function checkEvents(
  demand: EventDemand,
  quotas: EventQuotas,
  { region, source }: { readonly region: string; readonly source: string },
): readonly Finding[] {
  const { what, perSecond, setting } = demand;
  const judge = (name: 'invocations' | 'putEvents', unit: string, effect: string): readonly Finding[] => {
    const needed = perSecond * demand[name];
    if (needed <= quotas[name]) return [];
    const fits = Math.floor(quotas[name] / demand[name]);
    return [
      {
        check: 'events',
        text: `the API admits ${perSecond} ${what} a second, which are ${needed} ${unit} a second, and EventBridge takes ${quotas[name]} in ${region} (${source}): ${effect}`,
        advice: `request ${needed}: ${quotaPage(region, 'events', EVENT_QUOTA_CODES[name])}; or admit ${fits} ${what} a second: ${setting(fits)}`,
      },
    ];
  };
  return [
    ...judge('invocations', 'invocations of targets', 'above it, they are delayed'),
    ...judge('putEvents', 'requests of PutEvents', 'above it, they are refused and repeated'),
  ];
}

/** Judges the rules of a bus. */
export function checkRules(
  { rules }: Pick<Requirements, 'rules'>,
  quotas: EventQuotas,
  { region, source }: { readonly region: string; readonly source: string },
): readonly Finding[] {
  if (rules <= quotas.rules) return [];
  const text = `a bus gets ${rules} rules, and EventBridge takes ${quotas.rules} in ${region} (${source})`;
  return [
    { check: 'rules', text, advice: `request ${rules}: ${quotaPage(region, 'events', EVENT_QUOTA_CODES.rules)}` },
  ];
}

/** Judges the account's role with which API Gateway writes logs. @param role its ARN; `undefined` if there is none */
export function checkApiRole({ api }: Pick<Requirements, 'api'>, role: string | undefined): readonly Finding[] {
  if (!api.logs || api.setsRole || role !== undefined) return [];
  return [
    {
      check: 'api-role',
      text: 'an API writes an access log, no template sets the role for that, and the account has none: API Gateway refuses the stage',
      advice:
        'aws apigateway update-account --patch-operations op=replace,path=/cloudwatchRoleArn,value=<role with AmazonAPIGatewayPushToCloudWatchLogs>',
    },
  ];
}

/** @param optedIn whether AWS Backup copies tables of DynamoDB in this account */
export function checkBackup({ backsUp }: Pick<Requirements, 'backsUp'>, optedIn: boolean): readonly Finding[] {
  if (!backsUp || optedIn) return [];
  return [
    {
      check: 'backup',
      text: 'AWS Backup does not copy tables of DynamoDB in this account and region: the plan would copy nothing',
      advice:
        'aws backup update-region-settings --resource-type-opt-in-preference DynamoDB=true --resource-type-management-preference DynamoDB=true',
    },
  ];
}

/** @param trails that log management events of this region */
export function checkTrail({ onTrail }: Pick<Requirements, 'onTrail'>, trails: readonly string[]): readonly Finding[] {
  if (onTrail.length === 0 || trails.length > 0) return [];
  return [
    {
      check: 'trail',
      text: `no trail of CloudTrail logs management events of this region: ${onTrail.join(', ')} would never match`,
      advice:
        'create a trail for management events of all regions: https://docs.aws.amazon.com/awscloudtrail/latest/userguide/cloudtrail-create-a-trail-using-the-console-first-time.html',
    },
  ];
}

/** @param types of the parameters that exist, by their names */
export const checkParameters = (
  { parameters }: Pick<Requirements, 'parameters'>,
  types: ReadonlyMap<string, string>,
): readonly Finding[] =>
  parameters
    .filter((name) => types.get(name) !== 'SecureString')
    .map((name) => {
      const type = types.get(name);
      const text = `the parameter ${name}, which a function reads, ${type === undefined ? 'does not exist' : `is a ${type}`}: expected a SecureString`;
      const replace = type === undefined ? '' : `aws ssm delete-parameter --name ${name}, and then `;
      return {
        check: 'parameter',
        text,
        advice: `${replace}aws ssm put-parameter --type SecureString --name ${name} --value file://<file with the secret>`,
      };
    });

/** @param settings file with the settings */
export function checkSubscribed(
  { subscribed }: Pick<Requirements, 'subscribed'>,
  settings: string,
): readonly Finding[] {
  if (subscribed !== false) return [];
  const text = 'no template subscribes anybody to a topic: alarms would reach nobody';
  return [{ check: 'subscription', text, advice: `set alarmEmail in ${settings}, or -c alarmEmail=<address>` }];
}

/**
 * Judges names that a template gives.
 * @param taken buses that exist, although the stack that would create them doesn't
 */
export const checkNames = (taken: readonly string[]): readonly Finding[] =>
  taken.map((name) => ({
    check: 'name',
    text: `the event bus ${name} exists already, and the stack that would create it does not: CloudFormation refuses it`,
    advice: `if nobody needs the bus and its archive: aws events delete-event-bus --name ${name}; otherwise import it (cdk import)`,
  }));

/** Judges the states of stacks that exist. @param statuses by the last parts of their names */
export const checkStates = (statuses: ReadonlyMap<string, string>, prefix: string): readonly Finding[] =>
  [...statuses]
    .filter(([, status]) => ['ROLLBACK_COMPLETE', 'ROLLBACK_FAILED', 'DELETE_FAILED'].includes(status))
    .map(([stack, status]) => ({
      check: 'deployment',
      text: `the stack ${prefix}${stack} is ${status}: CloudFormation can't update it`,
      advice: `aws cloudformation update-termination-protection --no-enable-termination-protection --stack-name ${prefix}${stack}, then aws cloudformation delete-stack --stack-name ${prefix}${stack}; what it retained stays`,
    }));
