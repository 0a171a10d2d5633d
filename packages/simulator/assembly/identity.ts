import type { Json, JsonObject } from './intrinsics.js';
import { TemplateError } from './intrinsics.js';

/** Account that contains every deployed resource. */
export const ACCOUNT = '123456789012';
export const REGION = 'eu-west-1';
export const PARTITION = 'aws';

/** Names of a resource after its deployment. */
export interface Identity {
  /** Value of `Ref`. */
  readonly ref: string;
  readonly arn: string;
  /** Values of `Fn::GetAtt`, except `Arn`. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** By type: the property that may contain a name, and how reference, ARN and attributes follow from the name. */
const KINDS: Readonly<
  Record<string, { name?: string; of: (name: string, properties: JsonObject) => Partial<Identity> }>
> = {
  'AWS::Backup::BackupPlan': { of: (name) => ({ attributes: { BackupPlanId: name } }) },
  'AWS::Backup::BackupVault': {
    name: 'BackupVaultName',
    of: (name) => ({ ref: name, attributes: { BackupVaultName: name } }),
  },
  'AWS::Lambda::Function': { name: 'FunctionName', of: (name) => ({ arn: arn('lambda', `function:${name}`) }) },
  'AWS::SQS::Queue': {
    name: 'QueueName',
    of: (name) => ({ ref: queueUrl(name), arn: arn('sqs', name), attributes: { QueueName: name } }),
  },
  'AWS::DynamoDB::GlobalTable': { name: 'TableName', of: table },
  'AWS::DynamoDB::Table': { name: 'TableName', of: table },
  'AWS::Events::EventBus': {
    name: 'Name',
    of: (name) => ({ arn: arn('events', `event-bus/${name}`), attributes: { Name: name } }),
  },
  'AWS::Events::Rule': {
    name: 'Name',
    of: (name, { EventBusName: bus }) => ({
      arn: arn(
        'events',
        `rule/${typeof bus === 'string' && bus !== 'default' ? `${bus.split('/').at(-1)}/` : ''}${name}`,
      ),
    }),
  },
  'AWS::IAM::Role': {
    name: 'RoleName',
    of: (name) => ({ arn: `arn:${PARTITION}:iam::${ACCOUNT}:role/${name}`, attributes: { RoleId: name } }),
  },
  'AWS::KMS::Key': { of: (name) => ({ arn: arn('kms', `key/${name}`), attributes: { KeyId: name } }) },
  'AWS::S3::Bucket': { name: 'BucketName', of: (name) => bucket(name.toLowerCase()) },
  'AWS::SNS::Topic': {
    name: 'TopicName',
    of: (name) => ({ ref: arn('sns', name), arn: arn('sns', name), attributes: { TopicArn: arn('sns', name) } }),
  },
  'AWS::Logs::LogGroup': { name: 'LogGroupName', of: (name) => ({ arn: arn('logs', `log-group:${name}:*`) }) },
  'AWS::ApiGateway::Stage': { name: 'StageName', of: () => ({}) },
  'AWS::ApiGateway::RestApi': { of: (name) => ({ attributes: { RootResourceId: `${name}-root` } }) },
};

/** @param name used unless the template sets one */
export function identityOf(type: string, name: string, properties: JsonObject): Identity {
  const kind = KINDS[type];
  const given = kind?.name === undefined ? undefined : properties[kind.name];
  const called = typeof given === 'string' ? given : name;
  const made = kind?.of(called, properties) ?? {};
  return { ref: made.ref ?? called, arn: made.arn ?? arn('simulated', called), attributes: made.attributes ?? {} };
}

/** @throws {TemplateError} if the model of this resource type has no such attribute */
export function attributeOf(identity: Identity, name: string): Json {
  if (name === 'Arn') return identity.arn;
  const value = identity.attributes[name];
  if (value === undefined) throw new TemplateError(`${identity.ref} has no attribute ${name} in the simulator`);
  return value;
}

export const arn = (service: string, resource: string): string =>
  `arn:${PARTITION}:${service}:${REGION}:${ACCOUNT}:${resource}`;
export const queueUrl = (name: string): string => `https://sqs.${REGION}.amazonaws.com/${ACCOUNT}/${name}`;

function table(name: string): Partial<Identity> {
  const own = arn('dynamodb', `table/${name}`);
  return { arn: own, attributes: { StreamArn: `${own}/stream/2026-01-05T00:00:00.000`, TableId: name } };
}

const bucket = (name: string): Identity => ({
  ref: name,
  arn: `arn:${PARTITION}:s3:::${name}`,
  attributes: { DomainName: `${name}.s3.amazonaws.com`, RegionalDomainName: `${name}.s3.${REGION}.amazonaws.com` },
});
