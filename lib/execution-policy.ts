/** Permissions of one AWS service that CloudFormation needs to create, change, read and delete some resource types. */
export interface ServicePermissions {
  /** Resource types that need them. */
  readonly types: readonly string[];
  readonly actions: readonly string[];
  /** ARNs, without `arn:<partition>:`; `<region>` and `<account>` stand for those of the bootstrap. */
  readonly resources: readonly string[];
  readonly condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

/** Managed policies that roles of the stacks have: API Gateway's and AWS Backup's own. No other one may be attached. */
export const MANAGED_POLICIES = ['AmazonAPIGatewayPushToCloudWatchLogs', 'AWSBackupServiceRolePolicyForBackup'];

/** Names of resources begin with the name of their stack: `orderly-prod-Orders-...`. */
const named = (service: string, kind: string, app: string) => `${service}:<region>:<account>:${kind}${app}-*`;

/**
 * Returns what CloudFormation may do in the name of a deployment, by service.
 *
 * Source of the actions: `handlers.*.permissions` of the schemas of the resource types, which CloudFormation publishes and
 * cfn-lint carries (1.58.0). Left out is what no template here asks for: other sources of functions, replicas in other Regions,
 * and with them every action on the *items* of a table. Names limit what can be limited by one; a bus, a rule, a key, a web ACL and
 * an API have names or ids that CloudFormation or AWS chooses.
 *
 * The limit of it: it may write the inline policies of roles that begin with the application's name.
 */
export const executionPermissions = (app: string): readonly ServicePermissions[] => [
  {
    types: [
      ...['Account', 'Authorizer', 'BasePathMapping', 'Deployment', 'DomainName', 'GatewayResponse'],
      ...['Method', 'Resource', 'RestApi', 'Stage'],
    ].map((kind) => `AWS::ApiGateway::${kind}`),
    actions: ['DELETE', 'GET', 'PATCH', 'POST', 'PUT', 'SetWebACL'].map((verb) => `apigateway:${verb}`),
    resources: ['account', 'domainnames*', 'restapis*', 'tags/*'].map((path) => `apigateway:<region>::/${path}`),
  },
  {
    types: ['AWS::Backup::BackupPlan', 'AWS::Backup::BackupSelection', 'AWS::Backup::BackupVault'],
    actions: [
      ...['Create', 'Delete', 'Describe', 'Get', 'List', 'Put', 'Update'].map((verb) => `backup:${verb}Backup*`),
      ...['backup:ListTags', 'backup:TagResource', 'backup:UntagResource', 'backup-storage:Mount*'],
    ],
    resources: ['*'],
  },
  {
    types: ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm', 'AWS::CloudWatch::Dashboard'],
    actions: [
      ...['DeleteAlarms', 'DeleteDashboards', 'DescribeAlarms', 'GetDashboard', 'List*', 'Put*', 'TagResource'],
      'UntagResource',
    ].map((action) => `cloudwatch:${action}`),
    resources: [named('cloudwatch', 'alarm:', app), 'cloudwatch::<account>:dashboard/*'],
  },
  {
    // A budget is managed by the action of the billing console, on all budgets of the account.
    types: ['AWS::Budgets::Budget'],
    actions: ['ModifyBudget', 'ViewBudget', 'ListTagsForResource', 'TagResource', 'UntagResource'].map(
      (action) => `budgets:${action}`,
    ),
    resources: ['budgets::<account>:budget/*'],
  },
  {
    types: ['AWS::DynamoDB::GlobalTable'],
    actions: [
      ...[
        'CreateTable',
        'DeleteTable',
        'Describe*',
        'ListTagsOfResource',
        'TagResource',
        'UntagResource',
        'UpdateTable',
      ],
      ...['UpdateContinuousBackups', 'UpdateContributorInsights', 'UpdateTimeToLive', 'GetResourcePolicy'],
    ].map((action) => `dynamodb:${action}`),
    resources: [named('dynamodb', 'table/', app)],
  },
  {
    types: ['AWS::Events::Archive', 'AWS::Events::EventBus', 'AWS::Events::EventBusPolicy', 'AWS::Events::Rule'],
    actions: [...['*Archive', '*EventBus', '*Permission', '*Rule', '*Targets', 'List*', '*Resource']].map(
      (action) => `events:${action}`,
    ),
    resources: ['archive', 'event-bus', 'rule'].map((kind) => `events:<region>:<account>:${kind}/*`),
  },
  {
    types: ['AWS::IAM::Policy', 'AWS::IAM::Role'],
    actions: [
      ...['CreateRole', 'DeleteRole', 'DeleteRolePolicy', 'GetRole', 'GetRolePolicy', 'ListAttachedRolePolicies'],
      ...['ListRolePolicies', 'PutRolePolicy', 'TagRole', 'UntagRole', 'UpdateAssumeRolePolicy', 'UpdateRole*'],
    ].map((action) => `iam:${action}`),
    resources: [`iam::<account>:role/${app}-*`],
  },
  {
    types: ['AWS::IAM::Role'],
    actions: ['iam:AttachRolePolicy', 'iam:DetachRolePolicy'],
    resources: [`iam::<account>:role/${app}-*`],
    condition: { ArnLike: { 'iam:PolicyARN': MANAGED_POLICIES.map((name) => `iam::aws:policy/service-role/${name}`) } },
  },
  {
    types: [
      'AWS::ApiGateway::Account',
      'AWS::Backup::BackupSelection',
      'AWS::CodeDeploy::DeploymentGroup',
      'AWS::Events::Rule',
      'AWS::Lambda::Function',
    ],
    actions: ['iam:PassRole'],
    resources: [`iam::<account>:role/${app}-*`],
    condition: {
      StringEquals: {
        'iam:PassedToService': ['apigateway', 'backup', 'codedeploy', 'events', 'lambda'].map(
          (name) => `${name}.amazonaws.com`,
        ),
      },
    },
  },
  {
    types: ['AWS::Backup::BackupSelection', 'AWS::DynamoDB::GlobalTable', 'AWS::WAFv2::LoggingConfiguration'],
    actions: ['iam:CreateServiceLinkedRole'],
    resources: ['iam::<account>:role/aws-service-role/*'],
  },
  {
    types: ['AWS::KMS::Key', 'AWS::Backup::BackupVault', 'AWS::DynamoDB::GlobalTable'],
    actions: [
      ...['CreateKey', 'CreateGrant', 'Describe*', 'DisableKey*', 'EnableKey*', 'GetKey*', 'List*', 'PutKeyPolicy'],
      ...['RetireGrant', 'ScheduleKeyDeletion', 'TagResource', 'UntagResource', 'UpdateKeyDescription'],
    ].map((action) => `kms:${action}`),
    resources: ['*'],
  },
  {
    types: ['AWS::CodeDeploy::Application', 'AWS::CodeDeploy::DeploymentGroup', 'AWS::Lambda::Alias'],
    actions: ['*Application*', '*Deployment*', 'List*', '*Resource'].map((action) => `codedeploy:${action}`),
    // A deployment also reads AWS's own configurations, which don't have the app's name.
    resources: ['codedeploy:<region>:<account>:*'],
  },
  {
    types: [
      'AWS::Lambda::Function',
      'AWS::Lambda::Permission',
      'AWS::Lambda::EventInvokeConfig',
      'AWS::Lambda::Alias',
      'AWS::Lambda::Version',
    ],
    actions: [
      ...[
        'AddPermission',
        'RemovePermission',
        'CreateAlias',
        'CreateFunction',
        'Delete*',
        'Get*',
        'List*',
        'PublishVersion',
      ],
      ...['Put*', 'TagResource', 'UntagResource', 'Update*'],
    ].map((action) => `lambda:${action}`),
    resources: [named('lambda', 'function:', app)],
  },
  {
    types: ['AWS::Lambda::EventSourceMapping'],
    actions: ['Create', 'Delete', 'Get', 'Update'].map((verb) => `lambda:${verb}EventSourceMapping*`),
    resources: ['*'],
  },
  {
    types: [
      'AWS::Logs::LogGroup',
      'AWS::Logs::MetricFilter',
      'AWS::Logs::SubscriptionFilter',
      'AWS::WAFv2::LoggingConfiguration',
    ],
    actions: [
      ...[
        '*LogGroup',
        '*MetricFilter',
        '*SubscriptionFilter',
        '*RetentionPolicy',
        '*LogDelivery',
        'Describe*',
        'List*',
        'PutResourcePolicy',
      ],
      ...['TagResource', 'UntagResource'],
    ].map((action) => `logs:${action}`),
    resources: ['*'],
  },
  {
    types: ['AWS::Route53::RecordSet'],
    actions: ['ChangeResourceRecordSets', 'Get*', 'List*'].map((action) => `route53:${action}`),
    resources: ['route53:::hostedzone/*', 'route53:::change/*'],
  },
  {
    types: ['AWS::S3::Bucket', 'AWS::S3::BucketPolicy'],
    actions: [
      ...['CreateBucket', 'DeleteBucket', 'DeleteBucketPolicy', 'GetBucket*', 'ListBucket', 'PutBucket*'],
      ...['*EncryptionConfiguration', '*LifecycleConfiguration', 'TagResource', 'UntagResource', 'ListTagsForResource'],
    ].map((action) => `s3:${action}`),
    resources: [`s3:::${app}-*`],
  },
  {
    types: ['AWS::Lambda::Function'],
    // The code of functions, which the file publishing role has uploaded.
    actions: ['s3:GetObject', 's3:GetObjectVersion'],
    resources: ['s3:::cdk-*-assets-<account>-<region>/*'],
  },
  {
    types: ['AWS::SNS::Topic', 'AWS::SNS::TopicPolicy', 'AWS::SNS::Subscription'],
    actions: [
      ...['CreateTopic', 'DeleteTopic', 'Get*', 'List*', 'SetTopicAttributes', 'SetSubscriptionAttributes'],
      ...['Subscribe', 'Unsubscribe', 'TagResource', 'UntagResource'],
    ].map((action) => `sns:${action}`),
    resources: [named('sns', '', app)],
  },
  {
    types: ['AWS::SQS::Queue', 'AWS::SQS::QueuePolicy'],
    actions: [
      ...['CreateQueue', 'DeleteQueue', 'GetQueueAttributes', 'GetQueueUrl', 'ListQueueTags'],
      ...['SetQueueAttributes', 'TagQueue', 'UntagQueue'],
    ].map((action) => `sqs:${action}`),
    resources: [named('sqs', '', app)],
  },
  {
    types: ['AWS::WAFv2::WebACL', 'AWS::WAFv2::WebACLAssociation', 'AWS::WAFv2::LoggingConfiguration'],
    actions: [...['*WebACL', '*LoggingConfiguration', 'Get*', 'List*', 'TagResource', 'UntagResource']].map(
      (action) => `wafv2:${action}`,
    ),
    resources: ['wafv2:<region>:<account>:regional/*', 'apigateway:<region>::/restapis/*'],
  },
  {
    types: ['every stack'],
    // CloudFormation compares the version of the bootstrap, which is a parameter of each template.
    actions: ['ssm:GetParameters'],
    resources: ['ssm:<region>:<account>:parameter/cdk-bootstrap/*'],
  },
];
