/** AWS's own policies that roles of CDK apps have, as statements. AWS, "AWS Managed Policy Reference Guide". */

const LOGS = ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'];
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
  AdministratorAccess: ['*'],
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
  AmazonEventBridgeFullAccess: ['events:*'],
  AmazonS3FullAccess: ['s3:*'],
  AmazonS3ReadOnlyAccess: ['s3:Get*', 's3:List*', 's3:Describe*'],
  AmazonSNSFullAccess: ['sns:*'],
  AmazonSQSFullAccess: ['sqs:*'],
  AmazonSQSReadOnlyAccess: [
    'sqs:GetQueueAttributes',
    'sqs:GetQueueUrl',
    'sqs:ListDeadLetterSourceQueues',
    'sqs:ListQueues',
  ],
  AmazonSSMReadOnlyAccess: ['ssm:Describe*', 'ssm:Get*', 'ssm:List*'],
  AWSLambda_FullAccess: ['lambda:*'],
  AWSStepFunctionsFullAccess: ['states:*'],
  CloudWatchFullAccess: ['cloudwatch:*', 'logs:*', 'sns:*'],
  CloudWatchLogsFullAccess: ['logs:*'],
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
