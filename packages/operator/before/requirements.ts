import type { PlannedResource } from './assembly.js';

/** Quotas and settings of an account that the templates of an environment require but do not create. */
export interface Requirements {
  /** Concurrent executions that their functions reserve. */
  readonly reserved: number;
  /** Rules of the bus that has most of them. */
  readonly rules: number;
  /** Whether an API writes an access log, and whether the templates set the account's role for it. */
  readonly api: { readonly logs: boolean; readonly setsRole: boolean };
  /** Whether AWS Backup copies tables. */
  readonly backsUp: boolean;
  /** Rules on calls that only a trail of CloudTrail reports, by their logical ids. */
  readonly onTrail: readonly string[];
  /** Names of parameters that functions read, and that no template creates. */
  readonly parameters: readonly string[];
  /** Whether somebody subscribes to a topic; `undefined` if there is no topic. */
  readonly subscribed: boolean | undefined;
  /** Event buses with a name of their own. */
  readonly buses: readonly { readonly stack: string; readonly name: string }[];
}

/** Returns the concurrent executions that functions reserve. */
export const sumReserved = (resources: readonly Pick<PlannedResource, 'type' | 'properties'>[]): number =>
  resources
    .filter(({ type }) => type === 'AWS::Lambda::Function')
    .reduce((sum, { properties }) => sum + Number(properties.ReservedConcurrentExecutions ?? 0), 0);

/** Reads what templates need of their account. It is a pure function. */
export function findRequirements(resources: readonly PlannedResource[]): Requirements {
  const ofType = (type: string): readonly PlannedResource[] => resources.filter((one) => one.type === type);
  const rules = ofType('AWS::Events::Rule');
  const byBus = new Map<string, number>();
  for (const { properties } of rules) {
    const bus = JSON.stringify(properties.EventBusName ?? 'default');
    byBus.set(bus, (byBus.get(bus) ?? 0) + 1);
  }
  const topics = ofType('AWS::SNS::Topic');
  return {
    reserved: sumReserved(resources),
    rules: Math.max(0, ...byBus.values()),
    api: {
      logs: ofType('AWS::ApiGateway::Stage').some(({ properties }) => properties.AccessLogSetting !== undefined),
      setsRole: ofType('AWS::ApiGateway::Account').length > 0,
    },
    backsUp: ofType('AWS::Backup::BackupSelection').length > 0,
    onTrail: rules
      .filter(({ properties }) => JSON.stringify(properties.EventPattern ?? {}).includes('AWS API Call via CloudTrail'))
      .map(({ logicalId }) => logicalId),
    parameters: findParameters(resources),
    subscribed: topics.length === 0 ? undefined : ofType('AWS::SNS::Subscription').length > 0,
    buses: ofType('AWS::Events::EventBus').flatMap(({ stack, properties: { Name: name } }) =>
      typeof name === 'string' ? [{ stack, name }] : [],
    ),
  };
}

/** Returns the parameters that policies let functions read: the end of the ARN in a statement with `ssm:GetParameter`. */
function findParameters(resources: readonly PlannedResource[]): readonly string[] {
  const created = resources
    .filter(({ type }) => type === 'AWS::SSM::Parameter')
    .map(({ properties }) => properties.Name);
  const names = resources
    .flatMap(({ type, properties }) => {
      if (type === 'AWS::IAM::Policy') return [properties as Policy];
      return type === 'AWS::IAM::Role' ? ((properties.Policies ?? []) as readonly Policy[]) : [];
    })
    .flatMap(({ PolicyDocument: { Statement = [] } = {} }) => Statement.map((statement) => JSON.stringify(statement)))
    .filter((statement) => statement.includes('"ssm:GetParameter'))
    .flatMap((statement) => [...statement.matchAll(/:parameter(\/[\w./-]+)/g)].map(([, name = '']) => name));
  return [...new Set(names)].filter((name) => !created.includes(name));
}

/** Policy of its own, or one of a role's. */
interface Policy {
  readonly PolicyDocument?: { readonly Statement?: readonly unknown[] };
}
