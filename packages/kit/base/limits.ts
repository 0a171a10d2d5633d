import { type CfnResource, Stack } from 'aws-cdk-lib';
import { estimateBytes, estimateJsonBytes } from './text-length.js';

/** Limit of AWS for one property of a resource, which only a deployment would meet. */
interface Limit {
  readonly type: string;
  /** Name of the property in the CDK. */
  readonly property: string;
  /** Returns the size of the property's resolved value. */
  readonly measure: (value: unknown) => number;
  /** Unit of the limit: `characters of its event pattern`. */
  readonly of: string;
  readonly most: number;
  /** AWS's page with the limit. */
  readonly source: string;
  /** Remedy, which names the setting or declaration to change. */
  readonly remedy: string;
}

const EVENTBRIDGE = 'Amazon EventBridge quotas';
const SQS = 'Amazon SQS policy quotas';
const IAM = 'IAM and AWS STS quotas';
const FEWER_SUBSCRIPTIONS =
  "give each queue a policy of its own (the setting queuePolicies: 'queue'), or divide the subscriptions between two consumers";

const countEntries = (value: unknown): number => (value as readonly unknown[]).length;
const countStatements = (policy: unknown): number =>
  countEntries((policy as { readonly Statement: unknown }).Statement);
/** Counts the keys of the conditions of all statements. */
const countConditions = (policy: unknown): number =>
  (
    policy as { readonly Statement: readonly { readonly Condition?: Readonly<Record<string, object>> }[] }
  ).Statement.flatMap(({ Condition = {} }) => Object.values(Condition).flatMap((keys) => Object.keys(keys))).length;
const countFilters = (criteria: unknown): number =>
  countEntries((criteria as { readonly filters?: unknown }).filters ?? []);

/** Part of a stack's id in a name: the first group of its UUID, or all of it. */
const FIRST_GROUP = /^\{"Fn::Select":\[0,\{"Fn::Split":\["-",.*AWS::StackId/;
const UUID = /^\{"Fn::Select":\[2,\{"Fn::Split":\["\/",.*AWS::StackId/;

/** Measures a name, in which other references than parts of the stack's id count as by {@link estimateBytes}. */
function measureName(name: unknown): number {
  const joined = (name as { readonly 'Fn::Join'?: readonly [string, readonly unknown[]] })['Fn::Join'];
  return (joined?.[1] ?? [name]).reduce<number>((sum, part) => {
    const text = JSON.stringify(part);
    return sum + (FIRST_GROUP.test(text) ? 8 : UUID.test(text) ? 36 : estimateBytes(part));
  }, 0);
}

const nameLimit = (type: string, property: string, most: number): Limit => ({
  type,
  property,
  measure: measureName,
  of: `characters of its ${property}`,
  most,
  source: 'the API reference of its service',
  remedy: 'take a shorter app.name, environment or construct id, or leave the name to CloudFormation',
});

const LIMITS: readonly Limit[] = [
  nameLimit('AWS::Backup::BackupVault', 'backupVaultName', 50),
  nameLimit('AWS::CloudWatch::Alarm', 'alarmName', 255),
  nameLimit('AWS::DynamoDB::GlobalTable', 'tableName', 255),
  nameLimit('AWS::Events::Archive', 'archiveName', 48),
  nameLimit('AWS::Events::EventBus', 'name', 256),
  nameLimit('AWS::Events::Rule', 'name', 64),
  nameLimit('AWS::IAM::Role', 'roleName', 64),
  nameLimit('AWS::Lambda::Function', 'functionName', 64),
  nameLimit('AWS::Logs::LogGroup', 'logGroupName', 512),
  nameLimit('AWS::S3::Bucket', 'bucketName', 63),
  nameLimit('AWS::SNS::Topic', 'topicName', 256),
  nameLimit('AWS::SQS::Queue', 'queueName', 80),
  {
    type: 'AWS::Events::Rule',
    property: 'eventPattern',
    measure: estimateJsonBytes,
    of: 'characters of its event pattern',
    most: 2_048,
    source: EVENTBRIDGE,
    remedy: 'name fewer types or senders in the subscription, or divide it between two consumers',
  },
  {
    type: 'AWS::Events::Rule',
    property: 'targets',
    measure: countEntries,
    of: 'targets',
    most: 5,
    source: EVENTBRIDGE,
    remedy: 'add another rule',
  },
  {
    type: 'AWS::SQS::QueuePolicy',
    property: 'policyDocument',
    measure: countStatements,
    of: 'statements of its policy',
    most: 20,
    source: SQS,
    remedy: FEWER_SUBSCRIPTIONS,
  },
  {
    type: 'AWS::SQS::QueuePolicy',
    property: 'policyDocument',
    measure: countConditions,
    of: 'conditions of its policy',
    most: 10,
    source: SQS,
    remedy: 'name several senders in one condition',
  },
  {
    type: 'AWS::SQS::QueuePolicy',
    property: 'policyDocument',
    measure: estimateJsonBytes,
    of: 'bytes of its policy',
    most: 8_192,
    source: SQS,
    remedy: FEWER_SUBSCRIPTIONS,
  },
  {
    type: 'AWS::IAM::ManagedPolicy',
    property: 'policyDocument',
    measure: estimateJsonBytes,
    of: 'characters of its policy',
    most: 6_144,
    source: IAM,
    remedy: 'divide its statements between two policies',
  },
  {
    type: 'AWS::IAM::Role',
    property: 'assumeRolePolicyDocument',
    measure: estimateJsonBytes,
    of: 'characters of its trust policy',
    most: 2_048,
    source: IAM,
    remedy: 'let fewer principals assume it',
  },
  {
    type: 'AWS::IAM::Role',
    property: 'managedPolicyArns',
    measure: countEntries,
    of: 'managed policies',
    most: 10,
    source: IAM,
    remedy: 'divide the function: the CDK moves grants for which a role’s own policy has no room into managed ones',
  },
  {
    type: 'AWS::Lambda::Function',
    property: 'layers',
    measure: countEntries,
    of: 'layers',
    most: 5,
    source: 'Lambda quotas',
    remedy: 'bundle what the layers contain',
  },
  {
    type: 'AWS::Lambda::EventSourceMapping',
    property: 'filterCriteria',
    measure: countFilters,
    of: 'filters',
    most: 5,
    source: 'Lambda, "Control which events Lambda sends to your function"',
    remedy: 'filter by fewer patterns',
  },
  {
    type: 'AWS::DynamoDB::GlobalTable',
    property: 'globalSecondaryIndexes',
    measure: countEntries,
    of: 'global secondary indexes',
    most: 20,
    source: 'Quotas in Amazon DynamoDB',
    remedy: 'list by a projection instead of an index',
  },
  {
    type: 'AWS::CloudWatch::Alarm',
    property: 'alarmDescription',
    measure: estimateBytes,
    of: 'characters of its description',
    most: 1_024,
    source: 'CloudWatch API reference, PutMetricAlarm',
    remedy: 'take a shorter text (means) or a shorter app.runbook',
  },
];

/** Returns the sentence of an error. @param place path of the construct that has the size */
export const describeExcess = (
  place: string,
  size: number,
  { of, most, source, remedy }: Omit<Limit, 'type' | 'property' | 'measure'>,
): string => `${place} has ${size} ${of}: expected at most ${most} (${source}). To have fewer, ${remedy}`;

/** Returns an error for each size of a resource that AWS would refuse. */
export function findExcess(resource: CfnResource): readonly string[] {
  return LIMITS.filter(({ type }) => type === resource.cfnResourceType).flatMap((limit) => {
    const value = Stack.of(resource).resolve(
      (resource as unknown as Readonly<Record<string, unknown>>)[limit.property],
    );
    const size = value === undefined || value === null ? 0 : limit.measure(value);
    return size > limit.most ? [describeExcess(resource.node.path, size, limit)] : [];
  });
}
