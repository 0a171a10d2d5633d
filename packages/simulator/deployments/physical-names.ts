import type { Json, JsonObject } from '../assembly/intrinsics.js';

/**
 * Properties that form the name which is unique among resources of the type, in one account and region. The first part is required.
 * Source of each: its page in the AWS CloudFormation Template Reference. API Gateway's names are absent, since they need not differ.
 */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'AWS::ApiGateway::DomainName': ['DomainName'],
  'AWS::Backup::BackupVault': ['BackupVaultName'],
  'AWS::Budgets::Budget': ['Budget.BudgetName'],
  'AWS::CloudWatch::Alarm': ['AlarmName'],
  'AWS::CloudWatch::CompositeAlarm': ['AlarmName'],
  'AWS::CloudWatch::Dashboard': ['DashboardName'],
  'AWS::CodeDeploy::Application': ['ApplicationName'],
  'AWS::DynamoDB::GlobalTable': ['TableName'],
  'AWS::DynamoDB::Table': ['TableName'],
  'AWS::Events::Archive': ['ArchiveName'],
  'AWS::Events::EventBus': ['Name'],
  'AWS::Events::Rule': ['Name', 'EventBusName'],
  'AWS::IAM::InstanceProfile': ['InstanceProfileName'],
  'AWS::IAM::ManagedPolicy': ['ManagedPolicyName'],
  'AWS::IAM::Role': ['RoleName'],
  'AWS::IAM::User': ['UserName'],
  'AWS::KMS::Alias': ['AliasName'],
  'AWS::Kinesis::Stream': ['Name'],
  'AWS::KinesisFirehose::DeliveryStream': ['DeliveryStreamName'],
  'AWS::Lambda::Function': ['FunctionName'],
  'AWS::Logs::LogGroup': ['LogGroupName'],
  'AWS::S3::Bucket': ['BucketName'],
  'AWS::SNS::Topic': ['TopicName'],
  'AWS::SQS::Queue': ['QueueName'],
  'AWS::SSM::Parameter': ['Name'],
  'AWS::Scheduler::ScheduleGroup': ['Name'],
  'AWS::SecretsManager::Secret': ['Name'],
  'AWS::StepFunctions::StateMachine': ['StateMachineName'],
  'AWS::Synthetics::Canary': ['Name'],
  'AWS::WAFv2::WebACL': ['Name', 'Scope'],
};
/** Types that share their names. */
const SAME_NAMES: Readonly<Record<string, string>> = {
  'AWS::CloudWatch::CompositeAlarm': 'AWS::CloudWatch::Alarm',
  'AWS::DynamoDB::GlobalTable': 'AWS::DynamoDB::Table',
};

/** Name that a template gives to a resource. */
export interface PhysicalName {
  readonly called: string;
  /** The name with what else makes it unique: a rule's bus. */
  readonly unique: string;
}

/**
 * Returns the name that a template gives to a resource, or undefined if CloudFormation makes one, which is new each time.
 * @param properties with intrinsic functions resolved
 */
export function physicalName(type: string, properties: JsonObject): PhysicalName | undefined {
  const [called, ...others] = (NAMES[type] ?? []).map((path) => read(properties, path));
  if (typeof called !== 'string' || called === '') return undefined;
  const more = others.flatMap((other) => (other === undefined ? [] : String(other)));
  return { called, unique: [called, ...more].join(' of ') };
}

/** Tells whether a property is the name of its resource, or a part of it: such a change always replaces the resource. */
export const isName = (type: string, property: string): boolean =>
  (NAMES[type] ?? []).some((path) => path.split('.')[0] === property);

/** Returns what two resources may not have in common. */
export const nameKey = (type: string, name: string): string => `${SAME_NAMES[type] ?? type} ${name}`;

const read = (properties: JsonObject, path: string): Json | undefined =>
  path.split('.').reduce<Json | undefined>((value, part) => (value as JsonObject | undefined)?.[part], properties);
