import type { Json, JsonObject } from './intrinsics.js';

export const PARTITION = 'aws';

/** Account and region of a deployment, and the names that contain them. */
export class AccountAndRegion {
  /** @param account 12 digits */
  constructor(
    readonly account: string,
    readonly region: string,
  ) {}

  /** Returns the ARN of the account itself, as a principal. */
  get root(): string {
    return `arn:${PARTITION}:iam::${this.account}:root`;
  }

  arn(service: string, resource: string): string {
    return `arn:${PARTITION}:${service}:${this.region}:${this.account}:${resource}`;
  }

  queueUrl(name: string): string {
    return `https://sqs.${this.region}.amazonaws.com/${this.account}/${name}`;
  }
}

/** Host of the addresses to which the signals of wait conditions are sent. */
export const waitConditionHost = ({ region }: AccountAndRegion): string =>
  `cloudformation-waitcondition-${region}.s3.${region}.amazonaws.com`;

/** Where a stack is deployed that names no environment. */
export const DEFAULT_ACCOUNT_AND_REGION = new AccountAndRegion('123456789012', 'eu-west-1');

/** Names of a resource after its deployment. */
export interface ResourceIdentity {
  /** Value of `Ref`. */
  readonly ref: string;
  readonly arn: string;
  /** Values of `Fn::GetAtt`, except `Arn`. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** By type: the property that may contain a name, and how reference, ARN and attributes follow from the name. */
const KINDS: Readonly<
  Record<
    string,
    { name?: string; of: (name: string, home: AccountAndRegion, properties: JsonObject) => Partial<ResourceIdentity> }
  >
> = {
  'AWS::Backup::BackupPlan': { of: (name) => ({ attributes: { BackupPlanId: name } }) },
  'AWS::Backup::BackupVault': {
    name: 'BackupVaultName',
    of: (name) => ({ ref: name, attributes: { BackupVaultName: name } }),
  },
  'AWS::CloudFormation::WaitConditionHandle': {
    of: (name, home) => ({ ref: `https://${waitConditionHost(home)}/${name}` }),
  },
  'AWS::Lambda::Function': {
    name: 'FunctionName',
    of: (name, home) => ({ arn: home.arn('lambda', `function:${name}`) }),
  },
  // There is one version of a function here, so its aliases and versions are the function itself.
  'AWS::Lambda::Alias': { of: (_, home, properties) => qualified(home, properties, properties.Name) },
  'AWS::Lambda::EventSourceMapping': {
    of: (name, home) => ({
      attributes: { EventSourceMappingArn: home.arn('lambda', `event-source-mapping:${name}`), Id: name },
    }),
  },
  'AWS::Lambda::LayerVersion': { of: (name) => ({ attributes: { LayerVersionArn: name } }) },
  'AWS::Lambda::Url': {
    of: (name, { region }, { TargetFunctionArn }) => ({
      ref: String(TargetFunctionArn),
      attributes: {
        FunctionArn: String(TargetFunctionArn),
        FunctionUrl: `https://${name.toLowerCase()}.lambda-url.${region}.on.aws/`,
      },
    }),
  },
  'AWS::Lambda::Version': { of: (_, home, properties) => qualified(home, properties, '1') },
  'AWS::SQS::Queue': {
    name: 'QueueName',
    of: (given, home, { FifoQueue }) => {
      const name = FifoQueue === true && !given.endsWith('.fifo') ? `${given}.fifo` : given;
      const url = home.queueUrl(name);
      return { ref: url, arn: home.arn('sqs', name), attributes: { QueueName: name, QueueUrl: url } };
    },
  },
  'AWS::DynamoDB::GlobalTable': { name: 'TableName', of: table },
  'AWS::DynamoDB::Table': { name: 'TableName', of: table },
  'AWS::Events::EventBus': {
    name: 'Name',
    of: (name, home) => ({ arn: home.arn('events', `event-bus/${name}`), attributes: { Name: name } }),
  },
  'AWS::Events::Rule': {
    name: 'Name',
    of: (name, home, { EventBusName: bus }) => ({
      arn: home.arn(
        'events',
        `rule/${typeof bus === 'string' && bus !== 'default' ? `${bus.split('/').at(-1)}/` : ''}${name}`,
      ),
      attributes: { RuleName: name },
    }),
  },
  'AWS::IAM::ManagedPolicy': {
    name: 'ManagedPolicyName',
    of: (name, { account }) => ({
      ref: `arn:${PARTITION}:iam::${account}:policy/${name}`,
      arn: `arn:${PARTITION}:iam::${account}:policy/${name}`,
      attributes: { PolicyArn: `arn:${PARTITION}:iam::${account}:policy/${name}` },
    }),
  },
  'AWS::IAM::Role': {
    name: 'RoleName',
    of: (name, { account }) => ({ arn: `arn:${PARTITION}:iam::${account}:role/${name}`, attributes: { RoleId: name } }),
  },
  'AWS::Kinesis::Stream': { name: 'Name', of: (name, home) => ({ arn: home.arn('kinesis', `stream/${name}`) }) },
  'AWS::KMS::Key': { of: (name, home) => ({ arn: home.arn('kms', `key/${name}`), attributes: { KeyId: name } }) },
  'AWS::S3::Bucket': { name: 'BucketName', of: (name, home) => bucket(name.toLowerCase(), home) },
  'AWS::Pipes::Pipe': { name: 'Name', of: (name, home) => ({ arn: home.arn('pipes', `pipe/${name}`) }) },
  'AWS::SNS::Topic': {
    name: 'TopicName',
    of: (name, home) => ({
      ref: home.arn('sns', name),
      arn: home.arn('sns', name),
      attributes: { TopicArn: home.arn('sns', name), TopicName: name },
    }),
  },
  'AWS::Scheduler::Schedule': {
    name: 'Name',
    of: (name, home, { GroupName: group = 'default' }) => ({
      arn: home.arn('scheduler', `schedule/${String(group)}/${name}`),
    }),
  },
  'AWS::Scheduler::ScheduleGroup': {
    name: 'Name',
    of: (name, home) => ({ arn: home.arn('scheduler', `schedule-group/${name}`) }),
  },
  'AWS::SecretsManager::Secret': { name: 'Name', of: secret },
  'AWS::SSM::Parameter': {
    name: 'Name',
    of: (name, home) => ({ arn: home.arn('ssm', `parameter/${name.replace(/^\//, '')}`) }),
  },
  'AWS::StepFunctions::StateMachine': {
    name: 'StateMachineName',
    of: (name, home) => ({
      ref: home.arn('states', `stateMachine:${name}`),
      arn: home.arn('states', `stateMachine:${name}`),
      attributes: { Name: name },
    }),
  },
  'AWS::Logs::LogGroup': {
    name: 'LogGroupName',
    of: (name, home) => ({ arn: home.arn('logs', `log-group:${name}:*`) }),
  },
  'AWS::ApiGateway::Stage': { name: 'StageName', of: () => ({}) },
  'AWS::ApiGateway::DomainName': {
    name: 'DomainName',
    of: (name, { region }) => ({
      ref: name,
      attributes: {
        // API Gateway gives both. Neither is the address of anything here.
        RegionalDomainName: `d-${name}.execute-api.${region}.amazonaws.com`,
        RegionalHostedZoneId: 'ZSIMULATED',
      },
    }),
  },
  'AWS::Cognito::UserPool': { of: (name, home) => userPool(`${home.region}_${name.replace(/\W|_/g, '')}`, home) },
  'AWS::Cognito::UserPoolClient': {
    of: (name) => ({
      ref: name.replace(/\W/g, ''),
      attributes: { ClientId: name.replace(/\W/g, ''), ClientSecret: `secret of ${name}` },
    }),
  },
  'AWS::Cognito::UserPoolDomain': { name: 'Domain', of: (name) => ({ ref: name }) },
  'AWS::Cognito::UserPoolGroup': { name: 'GroupName', of: (name) => ({ ref: name }) },
  'AWS::Cognito::UserPoolResourceServer': { of: (name, _, { Identifier }) => ({ ref: String(Identifier ?? name) }) },
  'AWS::ApiGateway::Authorizer': { of: (name) => ({ attributes: { AuthorizerId: name } }) },
  'AWS::ApiGateway::ApiKey': { of: (name) => ({ attributes: { APIKeyId: name } }) },
  'AWS::ApiGateway::Model': { name: 'Name', of: () => ({}) },
  'AWS::ApiGateway::Resource': { of: (name) => ({ attributes: { ResourceId: name } }) },
  'AWS::ApiGateway::RequestValidator': { of: (name) => ({ attributes: { RequestValidatorId: name } }) },
  'AWS::ApiGateway::UsagePlan': { of: (name) => ({ attributes: { Id: name } }) },
  'AWS::ApiGatewayV2::Api': {
    of: (name, home) => ({
      attributes: {
        ApiEndpoint: `https://${name}.execute-api.${home.region}.amazonaws.com`,
        ApiId: name,
        ExecuteApiArn: home.arn('execute-api', name),
      },
    }),
  },
  'AWS::ApiGatewayV2::Integration': { of: (name) => ({ attributes: { IntegrationId: name } }) },
  'AWS::ApiGatewayV2::Route': { of: (name) => ({ attributes: { RouteId: name } }) },
  'AWS::ApiGatewayV2::Authorizer': { of: (name) => ({ attributes: { AuthorizerId: name } }) },
  'AWS::ApiGatewayV2::Stage': { name: 'StageName', of: () => ({}) },
  'AWS::ApiGateway::RestApi': { of: (name) => ({ attributes: { RestApiId: name, RootResourceId: `${name}-root` } }) },
};

/** @param name used unless the template sets one */
export function identifyResource(
  type: string,
  name: string,
  properties: JsonObject,
  home: AccountAndRegion,
): ResourceIdentity {
  const kind = KINDS[type];
  const given = kind?.name === undefined ? undefined : properties[kind.name];
  const called = typeof given === 'string' ? given : name;
  const made = kind?.of(called, home, properties) ?? {};
  return { ref: made.ref ?? called, arn: made.arn ?? home.arn('simulated', called), attributes: made.attributes ?? {} };
}

/** Returns the value of `Fn::GetAtt`; `undefined` if the model of this resource type has no such attribute. */
export const readAttribute = (identity: ResourceIdentity, name: string): Json | undefined =>
  name === 'Arn' ? identity.arn : identity.attributes[name];

/** @param properties with the function's name or ARN */
function qualified(home: AccountAndRegion, { FunctionName }: JsonObject, qualifier: Json | undefined) {
  const arn = home.arn('lambda', `function:${String(FunctionName).split(':')[6] ?? String(FunctionName)}`);
  return { ref: arn, arn, attributes: { AliasArn: arn, FunctionArn: arn, Version: '1', AliasName: String(qualifier) } };
}

function table(name: string, home: AccountAndRegion): Partial<ResourceIdentity> {
  const own = home.arn('dynamodb', `table/${name}`);
  return { arn: own, attributes: { StreamArn: `${own}/stream/2026-01-05T00:00:00.000`, TableId: name } };
}

const userPool = (id: string, home: AccountAndRegion): ResourceIdentity => {
  const host = `cognito-idp.${home.region}.amazonaws.com/${id}`;
  const attributes = { UserPoolId: id, ProviderName: host, ProviderURL: `https://${host}` };
  return { ref: id, arn: home.arn('cognito-idp', `userpool/${id}`), attributes };
};

/** AWS gives six characters of its own to the ARN of a secret. */
function secret(name: string, home: AccountAndRegion): Partial<ResourceIdentity> {
  const arn = home.arn('secretsmanager', `secret:${name}-simula`);
  return { ref: arn, arn, attributes: { Id: arn } };
}

const bucket = (name: string, { region }: AccountAndRegion): ResourceIdentity => ({
  ref: name,
  arn: `arn:${PARTITION}:s3:::${name}`,
  attributes: {
    DomainName: `${name}.s3.amazonaws.com`,
    DualStackDomainName: `${name}.s3.dualstack.${region}.amazonaws.com`,
    RegionalDomainName: `${name}.s3.${region}.amazonaws.com`,
    WebsiteURL: `http://${name}.s3-website${DASHED_WEBSITES.has(region) ? '-' : '.'}${region}.amazonaws.com`,
  },
});

/** Regions whose websites have a dash before the region. Amazon S3 endpoints and quotas, "Amazon S3 website endpoints". */
const DASHED_WEBSITES: ReadonlySet<string> = new Set([
  'ap-northeast-1',
  'ap-southeast-1',
  'ap-southeast-2',
  'eu-west-1',
  'sa-east-1',
  'us-east-1',
  'us-gov-west-1',
  'us-west-1',
  'us-west-2',
]);
