import type { Resource } from '../assembly/assembly.js';
import type { Json } from '../assembly/intrinsics.js';

interface Properties {
  /** Paths that the model reads; the model itself checks everything below such a path. */
  readonly modelled: readonly string[];
  /** Paths that have no effect in a history, each with the reason. */
  readonly inert?: Readonly<Record<string, string>>;
  /** Paths with the values that mean the same as none. Any other value is unknown. */
  readonly defaults?: Readonly<Record<string, readonly Json[]>>;
}

/** Properties of every resource type. */
const ANYWHERE = new Set(['Tags', 'Description']);

const NAMES = 'a name for people';
const MAIL = 'nobody gets mails or messages: a code is read from the model';
const PAGES = 'the pages on which people sign in';

/** The resource types that have a model, with the known properties of each. */
export const MODELLED: Readonly<Record<string, Properties | 'by its model'>> = {
  'AWS::ApiGateway::Authorizer': {
    modelled: [
      'AuthorizerResultTtlInSeconds',
      'AuthorizerUri',
      'IdentitySource',
      'IdentityValidationExpression',
      'ProviderARNs',
      'RestApiId',
      'Type',
    ],
    inert: { AuthType: 'for documents of the API only', Name: NAMES },
  },
  'AWS::ApiGateway::GatewayResponse': {
    modelled: ['ResponseParameters', 'ResponseTemplates', 'ResponseType', 'RestApiId', 'StatusCode'],
  },
  'AWS::ApiGateway::ApiKey': {
    modelled: ['Enabled', 'Value'],
    inert: { CustomerId: NAMES, GenerateDistinctId: NAMES, Name: NAMES, StageKeys: 'usage plans say who may call' },
  },
  'AWS::ApiGateway::Model': {
    modelled: ['Name', 'Schema'],
    inert: { ContentType: 'methods say for which type it is', RestApiId: 'as its methods' },
  },
  'AWS::ApiGateway::RequestValidator': {
    modelled: ['ValidateRequestBody', 'ValidateRequestParameters'],
    inert: { Name: NAMES, RestApiId: 'as its methods' },
  },
  'AWS::ApiGateway::UsagePlan': {
    modelled: ['ApiStages.ApiId', 'ApiStages.Stage'],
    inert: {
      'ApiStages.Throttle': 'the limits of a key: those of the stage are modelled',
      Quota: 'no history sends so many requests',
      Throttle: 'as that of a stage',
      UsagePlanName: NAMES,
    },
  },
  'AWS::ApiGateway::UsagePlanKey': { modelled: ['KeyId', 'UsagePlanId'], inert: { KeyType: 'there is one only' } },
  'AWS::ApiGateway::Method': {
    modelled: [
      'ApiKeyRequired',
      'AuthorizationScopes',
      'AuthorizationType',
      'AuthorizerId',
      'HttpMethod',
      'Integration.Credentials',
      'Integration.IntegrationHttpMethod',
      'Integration.IntegrationResponses',
      'Integration.PassthroughBehavior',
      'Integration.RequestParameters',
      'Integration.RequestTemplates',
      'Integration.TimeoutInMillis',
      'Integration.Type',
      'Integration.Uri',
      'MethodResponses',
      'RequestModels',
      'RequestParameters',
      'RequestValidatorId',
      'ResourceId',
      'RestApiId',
    ],
    inert: {
      'Integration.CacheKeyParameters': 'nothing is cached',
      'Integration.CacheNamespace': 'nothing is cached',
      OperationName: NAMES,
    },
  },
  'AWS::ApiGateway::Resource': { modelled: ['ParentId', 'PathPart', 'RestApiId'] },
  'AWS::ApiGateway::RestApi': {
    modelled: [],
    inert: {
      Name: NAMES,
      DisableExecuteApiEndpoint: 'which addresses it has; here it has the one of the simulator',
      EndpointAccessMode: 'who may connect, not what is answered',
      EndpointConfiguration: 'where its address is, not what it answers',
      SecurityPolicy: 'how connections are encrypted: nobody connects',
      FailOnWarnings: 'how it is deployed',
    },
    defaults: { ApiKeySourceType: ['HEADER'] },
  },
  'AWS::ApiGateway::Stage': {
    modelled: [
      'MethodSettings.HttpMethod',
      'MethodSettings.ResourcePath',
      'MethodSettings.ThrottlingBurstLimit',
      'MethodSettings.ThrottlingRateLimit',
      'RestApiId',
      'StageName',
    ],
    inert: {
      AccessLogSetting: 'nobody reads it',
      DeploymentId: 'a snapshot of routes that are all there from the beginning',
      'MethodSettings.DataTraceEnabled': 'logs only',
      'MethodSettings.LoggingLevel': 'logs only',
      'MethodSettings.MetricsEnabled': 'metrics only',
      TracingEnabled: 'traces only',
    },
    defaults: { CacheClusterEnabled: [false] },
  },
  'AWS::ApiGatewayV2::Api': {
    modelled: [
      'CorsConfiguration.AllowCredentials',
      'CorsConfiguration.AllowHeaders',
      'CorsConfiguration.AllowMethods',
      'CorsConfiguration.AllowOrigins',
      'CorsConfiguration.ExposeHeaders',
      'CorsConfiguration.MaxAge',
      'ProtocolType',
    ],
    inert: {
      DisableExecuteApiEndpoint: 'which addresses it has; here it has the one of the simulator',
      IpAddressType: 'who may connect, not what is answered',
      Name: NAMES,
      Version: NAMES,
    },
    defaults: { RouteSelectionExpression: ['$request.method $request.path'] },
  },
  'AWS::ApiGatewayV2::Authorizer': {
    modelled: [
      'ApiId',
      'AuthorizerPayloadFormatVersion',
      'AuthorizerResultTtlInSeconds',
      'AuthorizerType',
      'AuthorizerUri',
      'EnableSimpleResponses',
      'IdentitySource',
      'JwtConfiguration.Audience',
      'JwtConfiguration.Issuer',
    ],
    inert: { Name: NAMES },
  },
  'AWS::ApiGatewayV2::Integration': {
    modelled: [
      'ApiId',
      'IntegrationSubtype',
      'IntegrationType',
      'IntegrationUri',
      'PayloadFormatVersion',
      'TimeoutInMillis',
    ],
    inert: { IntegrationMethod: 'a function has one method only' },
    defaults: { ConnectionType: ['INTERNET'] },
  },
  'AWS::ApiGatewayV2::Route': {
    modelled: ['ApiId', 'AuthorizationScopes', 'AuthorizationType', 'AuthorizerId', 'RouteKey', 'Target'],
    inert: { OperationName: NAMES },
    defaults: { ApiKeyRequired: [false] },
  },
  'AWS::ApiGatewayV2::Stage': {
    modelled: [
      'ApiId',
      'AutoDeploy',
      'DefaultRouteSettings.ThrottlingBurstLimit',
      'DefaultRouteSettings.ThrottlingRateLimit',
      'DeploymentId',
      'RouteSettings',
      'StageName',
      'StageVariables',
    ],
    inert: {
      AccessLogSettings: 'nobody reads it',
      'DefaultRouteSettings.DetailedMetricsEnabled': 'metrics only',
    },
  },
  'AWS::CloudFormation::WaitCondition': { modelled: ['Count', 'Handle', 'Timeout'] },
  'AWS::Cognito::UserPool': {
    modelled: [
      'AdminCreateUserConfig.AllowAdminCreateUserOnly',
      'AliasAttributes',
      'AutoVerifiedAttributes',
      'LambdaConfig.PostConfirmation',
      'LambdaConfig.PreSignUp',
      'LambdaConfig.PreTokenGeneration',
      'Policies.PasswordPolicy',
      'UsernameAttributes',
    ],
    inert: {
      AccountRecoverySetting: MAIL,
      'AdminCreateUserConfig.InviteMessageTemplate': MAIL,
      DeletionProtection: 'no pool is deleted within a history',
      DeviceConfiguration: 'no device is remembered',
      EnabledMfas: 'no user has a second factor here: the operations that set one up are errors',
      EmailConfiguration: MAIL,
      EmailVerificationMessage: MAIL,
      EmailVerificationSubject: MAIL,
      Schema: 'attributes are texts here, whatever their names are',
      SmsConfiguration: MAIL,
      SmsVerificationMessage: MAIL,
      UserPoolName: NAMES,
      UserPoolTags: NAMES,
      UserPoolTier: 'which features may be bought',
      UsernameConfiguration: 'names are compared as they are written',
      VerificationMessageTemplate: MAIL,
    },
    // With OPTIONAL, users without a second factor sign in as with OFF.
    defaults: { MfaConfiguration: ['OFF', 'OPTIONAL'] },
  },
  'AWS::Cognito::UserPoolClient': {
    modelled: [
      'AccessTokenValidity',
      'AllowedOAuthFlows',
      'AllowedOAuthFlowsUserPoolClient',
      'AllowedOAuthScopes',
      'ExplicitAuthFlows',
      'GenerateSecret',
      'IdTokenValidity',
      'RefreshTokenValidity',
      'TokenValidityUnits',
      'UserPoolId',
    ],
    inert: {
      CallbackURLs: PAGES,
      ClientName: NAMES,
      DefaultRedirectURI: PAGES,
      EnableTokenRevocation: 'no token is revoked',
      LogoutURLs: PAGES,
      PreventUserExistenceErrors: 'an unknown user and a wrong password have one answer here',
      ReadAttributes: 'a token has all attributes',
      SupportedIdentityProviders: 'users sign in at the pool itself',
      WriteAttributes: 'a user may write all attributes',
    },
  },
  'AWS::Cognito::UserPoolDomain': {
    modelled: ['Domain', 'UserPoolId'],
    inert: { ManagedLoginVersion: PAGES },
  },
  'AWS::Cognito::UserPoolGroup': {
    modelled: ['GroupName', 'Precedence', 'RoleArn', 'UserPoolId'],
  },
  'AWS::Cognito::UserPoolResourceServer': {
    modelled: ['Identifier'],
    inert: { Name: NAMES, Scopes: 'clients name the scopes that they may ask for', UserPoolId: 'as the scopes' },
  },
  'AWS::DynamoDB::GlobalTable': 'by its model',
  'AWS::DynamoDB::Table': 'by its model',
  'AWS::Events::EventBus': { modelled: ['Name'] },
  'AWS::Events::EventBusPolicy': { modelled: ['EventBusName', 'Statement'], inert: { StatementId: NAMES } },
  'AWS::Events::Rule': {
    modelled: ['EventBusName', 'EventPattern', 'Name', 'ScheduleExpression', 'State', 'Targets'],
  },
  'AWS::IAM::ManagedPolicy': {
    modelled: ['PolicyDocument', 'Roles'],
    inert: { ManagedPolicyName: NAMES, Path: NAMES },
  },
  'AWS::IAM::Policy': { modelled: ['PolicyDocument', 'Roles'], inert: { PolicyName: NAMES } },
  'AWS::IAM::Role': {
    modelled: ['ManagedPolicyArns', 'Policies', 'RoleName'],
    inert: {
      AssumeRolePolicyDocument: 'a function has the role that its template gives it',
      MaxSessionDuration: 'no session ends within a history',
      Path: NAMES,
    },
  },
  'AWS::Kinesis::Stream': {
    modelled: ['Name', 'RetentionPeriodHours', 'ShardCount', 'StreamModeDetails.StreamMode'],
    inert: {
      DesiredShardLevelMetrics: 'metrics only',
      StreamEncryption: 'how records are stored; the right to use the key is not asked for',
    },
  },
  'AWS::KMS::Key': {
    modelled: ['Enabled', 'KeyPolicy', 'KeySpec', 'KeyUsage'],
    inert: {
      EnableKeyRotation: 'what an older version wrapped still opens',
      PendingWindowInDays: 'no key is deleted within a history',
    },
  },
  'AWS::Lambda::Alias': {
    modelled: ['FunctionName', 'FunctionVersion'],
    inert: { Name: NAMES, ProvisionedConcurrencyConfig: 'how fast it starts' },
  },
  'AWS::Lambda::Version': {
    modelled: ['FunctionName'],
    inert: {
      CodeSha256: 'a check of the deployment',
      ProvisionedConcurrencyConfig: 'how fast it starts',
      RuntimePolicy: "the machine's Node runs it",
    },
  },
  'AWS::Lambda::EventInvokeConfig': {
    modelled: [
      'DestinationConfig.OnFailure.Destination',
      'DestinationConfig.OnSuccess.Destination',
      'FunctionName',
      'MaximumEventAgeInSeconds',
      'MaximumRetryAttempts',
    ],
    inert: { Qualifier: 'an alias is its function here' },
  },
  'AWS::Lambda::EventSourceMapping': 'by its model',
  'AWS::Lambda::Function': {
    modelled: [
      'Code',
      'DeadLetterConfig.TargetArn',
      'Environment.Variables',
      'FunctionName',
      'Handler',
      'Layers',
      'MemorySize',
      'ReservedConcurrentExecutions',
      'Role',
      'Runtime',
      'Timeout',
    ],
    inert: {
      Architectures: "the machine's Node runs it",
      EphemeralStorage: 'functions have no disk here',
      KmsKeyArn: 'how its variables are stored, which it reads in clear',
      LoggingConfig: 'lines are collected without it',
      PackageType: 'an image has no code here, which is refused by its own',
      RuntimeManagementConfig: "the machine's Node runs it",
      SnapStart: 'how fast it starts',
      TracingConfig: 'traces only',
    },
  },
  'AWS::Logs::MetricFilter': {
    modelled: [
      'FilterPattern',
      'LogGroupName',
      'MetricTransformations.Dimensions.Key',
      'MetricTransformations.Dimensions.Value',
      'MetricTransformations.MetricName',
      'MetricTransformations.MetricNamespace',
      'MetricTransformations.MetricValue',
    ],
    inert: {
      FilterName: NAMES,
      'MetricTransformations.DefaultValue': 'a minute in which nothing fits has no value here',
      'MetricTransformations.Unit': 'values have no unit here',
    },
  },
  'AWS::Logs::SubscriptionFilter': {
    modelled: ['DestinationArn', 'FilterPattern', 'LogGroupName'],
    inert: { FilterName: NAMES },
  },
  'AWS::Lambda::LayerVersion': {
    modelled: ['Content'],
    inert: {
      CompatibleArchitectures: 'for people',
      CompatibleRuntimes: 'for people',
      LayerName: NAMES,
      LicenseInfo: 'for people',
    },
  },
  'AWS::Lambda::Permission': {
    modelled: [
      'Action',
      'FunctionName',
      'FunctionUrlAuthType',
      'InvokedViaFunctionUrl',
      'Principal',
      'SourceAccount',
      'SourceArn',
    ],
  },
  'AWS::Lambda::Url': {
    modelled: [
      'AuthType',
      'Cors.AllowCredentials',
      'Cors.AllowHeaders',
      'Cors.AllowMethods',
      'Cors.AllowOrigins',
      'Cors.ExposeHeaders',
      'Cors.MaxAge',
      'InvokeMode',
      'TargetFunctionArn',
    ],
    inert: { Qualifier: 'an alias is its function here' },
  },
  'AWS::Pipes::Pipe': {
    modelled: [
      'DesiredState',
      'Enrichment',
      'EnrichmentParameters',
      'Name',
      'RoleArn',
      'Source',
      'SourceParameters',
      'Target',
      'TargetParameters',
    ],
    inert: {
      KmsKeyIdentifier: 'how its definition is stored',
      LogConfiguration: 'logs only',
    },
  },
  'AWS::S3::Bucket': {
    modelled: [
      'BucketName',
      'LifecycleConfiguration.Rules.ExpirationInDays',
      'LifecycleConfiguration.Rules.NoncurrentVersionExpiration.NoncurrentDays',
      'LifecycleConfiguration.Rules.Status',
      'NotificationConfiguration.EventBridgeConfiguration.EventBridgeEnabled',
      'NotificationConfiguration.LambdaConfigurations',
      'NotificationConfiguration.QueueConfigurations',
      'NotificationConfiguration.TopicConfigurations',
      'VersioningConfiguration.Status',
    ],
    inert: {
      // A key of one's own would be asked for its permission too.
      'BucketEncryption.ServerSideEncryptionConfiguration.ServerSideEncryptionByDefault.SSEAlgorithm':
        'S3 decrypts for whoever may read',
      'BucketEncryption.ServerSideEncryptionConfiguration.BucketKeyEnabled': 'as the algorithm',
      'LifecycleConfiguration.Rules.Id': NAMES,
      'LifecycleConfiguration.Rules.AbortIncompleteMultipartUpload': 'nothing is put in parts',
      'LifecycleConfiguration.Rules.NoncurrentVersionTransitions': 'as the transitions',
      'LifecycleConfiguration.Rules.Transition': 'as several',
      'LifecycleConfiguration.Rules.Transitions': 'where an object is kept changes nothing that code reads of it',
      'LifecycleConfiguration.Rules.ExpiredObjectDeleteMarker': 'a marker without versions is as good as none',
      AccessControl: 'nobody from outside asks',
      CorsConfiguration: 'for browsers, which ask nothing here',
      OwnershipControls: 'one account writes all objects',
      PublicAccessBlockConfiguration: 'nobody from outside asks',
    },
  },
  'AWS::S3::BucketPolicy': { modelled: ['Bucket', 'PolicyDocument'] },
  'AWS::Scheduler::Schedule': {
    modelled: [
      'EndDate',
      'FlexibleTimeWindow',
      'GroupName',
      'Name',
      'ScheduleExpression',
      'ScheduleExpressionTimezone',
      'StartDate',
      'State',
      'Target',
    ],
    inert: { KmsKeyArn: 'how its input is stored; the right to use the key is not asked for' },
  },
  'AWS::Scheduler::ScheduleGroup': { modelled: ['Name'] },
  'AWS::SecretsManager::Secret': {
    modelled: [
      'GenerateSecretString.ExcludeCharacters',
      'GenerateSecretString.ExcludeLowercase',
      'GenerateSecretString.ExcludeNumbers',
      'GenerateSecretString.ExcludePunctuation',
      'GenerateSecretString.ExcludeUppercase',
      'GenerateSecretString.GenerateStringKey',
      'GenerateSecretString.IncludeSpace',
      'GenerateSecretString.PasswordLength',
      'GenerateSecretString.SecretStringTemplate',
      'Name',
      'SecretString',
    ],
    inert: {
      'GenerateSecretString.RequireEachIncludedType': 'each type is included anyway',
      KmsKeyId: 'how it is stored; the right to use the key is not asked for',
    },
  },
  'AWS::SSM::Parameter': {
    modelled: ['Name', 'Type', 'Value'],
    inert: {
      AllowedPattern: 'a check of the deployment',
      DataType: 'a check of the deployment',
      Tier: 'what it costs',
    },
  },
  'AWS::SNS::Subscription': {
    modelled: [
      'Endpoint',
      'FilterPolicy',
      'FilterPolicyScope',
      'Protocol',
      'RawMessageDelivery',
      'RedrivePolicy',
      'TopicArn',
    ],
    inert: { Region: 'one region is played' },
  },
  'AWS::SNS::Topic': {
    modelled: ['Subscription', 'TopicName', 'FifoTopic', 'ContentBasedDeduplication', 'FifoThroughputScope'],
    inert: {
      DisplayName: NAMES,
      KmsMasterKeyId: 'how messages are stored; the right to use the key is not asked for',
      SignatureVersion: 'nobody checks a signature',
      TracingConfig: 'traces only',
    },
  },
  'AWS::SNS::TopicPolicy': { modelled: ['PolicyDocument', 'Topics'] },
  'AWS::SQS::Queue': {
    modelled: [
      'ContentBasedDeduplication',
      'DeduplicationScope',
      'DelaySeconds',
      'FifoQueue',
      'MaximumMessageSize',
      'MessageRetentionPeriod',
      'QueueName',
      'ReceiveMessageWaitTimeSeconds',
      'RedrivePolicy.deadLetterTargetArn',
      'RedrivePolicy.maxReceiveCount',
      'VisibilityTimeout',
    ],
    inert: {
      FifoThroughputLimit: 'queues have no limit of throughput',
      KmsDataKeyReusePeriodSeconds: 'as the key',
      KmsMasterKeyId: 'how messages are stored; the right to use the key is not asked for',
      SqsManagedSseEnabled: 'how messages are stored',
    },
  },
  'AWS::StepFunctions::StateMachine': {
    modelled: [
      'Definition',
      'DefinitionS3Location',
      'DefinitionString',
      'DefinitionSubstitutions',
      'RoleArn',
      'StateMachineName',
      'StateMachineType',
    ],
    inert: {
      EncryptionConfiguration: 'how data are stored; the right to use the key is not asked for',
      LoggingConfiguration: 'logs only',
      TracingConfiguration: 'traces only',
    },
  },
  'AWS::SQS::QueuePolicy': { modelled: ['PolicyDocument', 'Queues'] },
  'Custom::CDKBucketDeployment': {
    modelled: [
      'DestinationBucketKeyPrefix',
      'DestinationBucketName',
      'ServiceToken',
      'SourceBucketNames',
      'SourceMarkers',
      'SourceObjectKeys',
    ],
    inert: {
      DestinationBucketArn: 'it has the name as well',
      DistributionId: 'caches in front of a bucket are no part of a history',
      DistributionPaths: 'as its distribution',
      OutputObjectKeys: 'what something takes from the answer is an unknown attribute',
      Prune: 'the bucket is empty before',
      RetainOnDelete: 'no stack is deleted within a history',
      WaitForDistributionInvalidation: 'as its distribution',
    },
    defaults: { Extract: [true, 'true'] },
  },
  'Custom::S3BucketNotifications': {
    modelled: ['BucketName', 'NotificationConfiguration', 'ServiceToken'],
    inert: {
      Managed: 'a bucket of the assembly has no other notifications than those',
      SkipDestinationValidation: 'a check of the deployment',
    },
  },
  'Custom::AWS': {
    modelled: ['Create', 'ServiceToken'],
    inert: {
      Delete: 'no stack is deleted within a history',
      InstallLatestAwsSdk: 'its call is made by the models',
      OutputPaths: 'what something takes from the answer is an unknown attribute',
      ServiceTimeout: 'its call is answered at once',
      Update: 'no stack is changed within a history',
    },
  },
};

/** Returns each property of the resource that is neither read nor inert: to assume that it has no effect would be a guess. */
export function findUnknownProperties({ type, properties }: Resource): readonly string[] {
  const known = MODELLED[type];
  if (known === undefined || known === 'by its model') return [];
  const paths = [...known.modelled, ...Object.keys(known.inert ?? {})];
  const unknown = Object.entries(properties)
    .filter(([name, value]) => !ANYWHERE.has(name) && !isDefault(known, name, value))
    .flatMap(([name, value]) => findUnknown(value, name, paths));
  return [...new Set(unknown)];
}

const isDefault = ({ defaults = {} }: Properties, path: string, value: Json): boolean =>
  defaults[path]?.some((one) => JSON.stringify(one) === JSON.stringify(value)) === true;

/** Returns the unknown paths at or below this one; places in a list are not part of a path. */
function findUnknown(value: Json, path: string, known: readonly string[]): readonly string[] {
  if (known.includes(path)) return [];
  const below = known.some((one) => one.startsWith(`${path}.`));
  if (!below || typeof value !== 'object' || value === null) return [path];
  if (Array.isArray(value)) return value.flatMap((member: Json) => findUnknown(member, path, known));
  return Object.entries(value).flatMap(([name, member]) => findUnknown(member as Json, `${path}.${name}`, known));
}
