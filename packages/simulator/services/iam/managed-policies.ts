/** AWS's own policies that roles of CDK apps have, as statements. AWS, "AWS Managed Policy Reference Guide". */

const LOGS = ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'];
const READS_LOGS = [
  'logs:Describe*',
  'logs:FilterLogEvents',
  'logs:Get*',
  'logs:List*',
  'logs:StartQuery',
  'logs:StopQuery',
  'logs:TestMetricFilter',
];
const NETWORK = [
  'ec2:CreateNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:DeleteNetworkInterface',
  'ec2:AssignPrivateIpAddresses',
  'ec2:UnassignPrivateIpAddresses',
];

/** Actions that a policy allows on every resource, by its name behind `arn:aws:iam::aws:policy/`. */
const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  'service-role/AWSLambdaBasicExecutionRole': LOGS,
  'service-role/AWSLambdaVPCAccessExecutionRole': [...LOGS, ...NETWORK],
  'service-role/AWSLambdaENIManagementAccess': NETWORK,
  'service-role/AWSLambdaSQSQueueExecutionRole': [
    'sqs:ReceiveMessage',
    'sqs:DeleteMessage',
    'sqs:GetQueueAttributes',
    ...LOGS,
  ],
  'service-role/AWSLambdaDynamoDBExecutionRole': [
    'dynamodb:DescribeStream',
    'dynamodb:GetRecords',
    'dynamodb:GetShardIterator',
    'dynamodb:ListStreams',
    ...LOGS,
  ],
  'service-role/AWSLambdaKinesisExecutionRole': [
    'kinesis:DescribeStream',
    'kinesis:DescribeStreamSummary',
    'kinesis:GetRecords',
    'kinesis:GetShardIterator',
    'kinesis:ListShards',
    'kinesis:ListStreams',
    'kinesis:SubscribeToShard',
    ...LOGS,
  ],
  'service-role/AWSLambdaRole': ['lambda:InvokeFunction'],
  // Roles of AWS itself, which no function has.
  'service-role/AmazonAPIGatewayPushToCloudWatchLogs': [],
  'service-role/AWSAppSyncPushToCloudWatchLogs': [],
  'service-role/AWSBackupServiceRolePolicyForBackup': [],
  CloudWatchLambdaInsightsExecutionRolePolicy: LOGS,
  CloudWatchLambdaApplicationSignalsExecutionRolePolicy: ['xray:PutTraceSegments', ...LOGS],
  AWSXRayDaemonWriteAccess: ['xray:Put*', 'xray:GetSampling*'],
  AWSXrayWriteOnlyAccess: ['xray:Put*', 'xray:GetSampling*'],
  AWSXrayFullAccess: ['xray:*'],
  AdministratorAccess: ['*'],
  // It leaves out services that have no model here: IAM, Organizations and Account Management.
  PowerUserAccess: ['*'],
  AmazonAPIGatewayAdministrator: ['apigateway:*'],
  AmazonAPIGatewayInvokeFullAccess: ['execute-api:Invoke', 'execute-api:ManageConnections'],
  AmazonCognitoPowerUser: [
    'cognito-identity:*',
    'cognito-idp:*',
    'cognito-sync:*',
    'kinesis:ListStreams',
    'lambda:GetPolicy',
    'lambda:ListFunctions',
    'sns:GetSMSSandboxAccountStatus',
    'sns:ListPlatformApplications',
    'ses:ListIdentities',
    'ses:GetIdentityVerificationAttributes',
  ],
  AmazonCognitoReadOnly: [
    'cognito-idp:AdminGet*',
    'cognito-idp:AdminList*',
    'cognito-idp:Describe*',
    'cognito-idp:Get*',
    'cognito-idp:List*',
  ],
  AmazonDynamoDBFullAccess: ['dynamodb:*'],
  AmazonDynamoDBFullAccess_v2: ['dynamodb:*'],
  AmazonDynamoDBReadOnlyAccess: [
    'dynamodb:BatchGetItem',
    'dynamodb:Describe*',
    'dynamodb:Get*',
    'dynamodb:List*',
    'dynamodb:PartiQLSelect',
    'dynamodb:Query',
    'dynamodb:Scan',
  ],
  AmazonEventBridgeFullAccess: ['events:*', 'schemas:*', 'scheduler:*', 'pipes:*'],
  AmazonEventBridgeSchedulerFullAccess: ['scheduler:*'],
  AmazonKinesisFirehoseFullAccess: ['firehose:*'],
  AmazonKinesisFullAccess: ['kinesis:*'],
  AmazonKinesisReadOnlyAccess: ['kinesis:Get*', 'kinesis:List*', 'kinesis:Describe*'],
  AmazonPollyFullAccess: ['polly:*'],
  AmazonRekognitionFullAccess: ['rekognition:*'],
  AmazonS3FullAccess: ['s3:*'],
  AmazonS3ReadOnlyAccess: ['s3:Get*', 's3:List*', 's3:Describe*'],
  AmazonSESFullAccess: ['ses:*'],
  AmazonSNSFullAccess: ['sns:*'],
  AmazonSQSFullAccess: ['sqs:*'],
  AmazonSQSReadOnlyAccess: [
    'sqs:GetQueueAttributes',
    'sqs:GetQueueUrl',
    'sqs:ListDeadLetterSourceQueues',
    'sqs:ListQueues',
  ],
  AmazonSSMFullAccess: ['ssm:*', 'ec2messages:*', 'logs:*', 'cloudwatch:PutMetricData'],
  AmazonSSMReadOnlyAccess: ['ssm:Describe*', 'ssm:Get*', 'ssm:List*'],
  AmazonTextractFullAccess: ['textract:*'],
  // They allow operations of services that have no model here.
  AmazonVPCFullAccess: [],
  AmazonVPCReadOnlyAccess: [],
  AWSKeyManagementServicePowerUser: ['kms:Create*', 'kms:DeleteAlias', 'kms:Describe*', 'kms:Get*', 'kms:List*'],
  'AWSLambdaInvocation-DynamoDB': [
    'lambda:InvokeFunction',
    'dynamodb:DescribeStream',
    'dynamodb:GetRecords',
    'dynamodb:GetShardIterator',
    'dynamodb:ListStreams',
  ],
  AWSLambda_FullAccess: ['lambda:*'],
  AWSStepFunctionsFullAccess: ['states:*'],
  AWSStepFunctionsReadOnlyAccess: ['states:Describe*', 'states:GetExecutionHistory', 'states:List*'],
  CloudWatchFullAccess: ['cloudwatch:*', 'logs:*', 'sns:*'],
  CloudWatchFullAccessV2: [
    'cloudwatch:*',
    'logs:*',
    'sns:CreateTopic',
    'sns:ListSubscriptions',
    'sns:ListSubscriptionsByTopic',
    'sns:ListTopics',
    'sns:Subscribe',
  ],
  CloudWatchLogsFullAccess: ['logs:*'],
  CloudWatchLogsReadOnlyAccess: READS_LOGS,
  CloudWatchReadOnlyAccess: ['cloudwatch:Describe*', 'cloudwatch:Get*', 'cloudwatch:List*', ...READS_LOGS],
  SecretsManagerReadWrite: ['secretsmanager:*'],
};

/**
 * Returns what a managed policy of AWS allows, on every resource; `undefined` for one that isn't in the table.
 * @param arn of the policy: `arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole`
 */
export const findManagedActions = (arn: string): readonly string[] | undefined => {
  const [, name] = /^arn:[\w-]+:iam::aws:policy\/(.+)$/.exec(arn) ?? [];
  return name !== undefined && Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
};
