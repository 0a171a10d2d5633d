/** Names in backticks that no source of this repository declares: of other projects, of data and of what readers make. */
export const FOREIGN: readonly string[] = [
  // HTTP and tokens
  ...['Accept', 'Allow', 'Bearer', 'Deprecation', 'ETag', 'HEAD', 'Location', 'OPTIONS', 'Prefer', 'Sunset', 'auto'],
  ...['aud', 'crit', 'exp', 'iss', 'localhost', 'm', 'orderly_role'],
  // DynamoDB's expressions, and indexes, keys and attributes of items
  ...[
    'attribute_not_exists',
    'POINTER',
    'REBUILD',
    'STATE',
    'due',
    'failedConsumer',
    'fence',
    'forgottenAt',
    'forgottenBy',
  ],
  ...['progressId', 'shaped', 'storedIn', 'wrapped'],
  // AWS
  ...['CompareRoleArn', 'DeployDevRoleArn', 'DeployProdRoleArn', 'GetDurableExecutionHistory', 'RedriveExecution'],
  ...['SendDurableExecutionCallbackSuccess', 'StepInterruptedError', 'StopDurableExecution', 'TaskTimedOut'],
  ...['ApproximateReceiveCount', 'Catch', 'PutEvents', 'SendTaskSuccess', 'StopExecution', 'pathParameters'],
  ...['DescribeAlarms', 'FilterLogEvents', 'GetMetricData', 'GetQueueAttributes', 'GetTemplate', 'ListStackResources'],
  ...['Errors', 'FILL', 'Invocations', 'IteratorAge', 'MAX'],
  ...['TestState', 'TimeoutSeconds', 'UpdateStateMachine', 'createCallback', 'waitForTaskToken'],
  // the CDK
  ...[
    'EventBus',
    'TableV2',
    'Default',
    'eventBusName',
    'exportValue',
    'fromEventBusName',
    'fromTableName',
    'maxResources',
  ],
  ...['logGroupArn', 'topicArn'],
  // Powertools for Lambda, zod, TypeScript, OpenAPI
  ...['IdempotencyAlreadyInProgressError', 'expiresAfterSeconds', 'makeIdempotent', 'registerLambdaContext'],
  ...['exactOptional', 'exactOptionalPropertyTypes', 'operationId', 'TypeError'],
  // variables and secrets of shells and of GitHub Actions, tools of Python
  ...[
    'ALARM_EMAIL',
    'CI',
    'COMPARE_ROLE_ARN',
    'DEPLOY_ROLE_ARN',
    'JAVA_HOME',
    'NO_COLOR',
    'ORDERLY_ENDPOINT',
    'ORDERLY_SEED',
  ],
  ...['Compare', 'Deploy', 'setuptools', 'venv'],
  // environments, a setting of Orderly, and projects of vitest
  ...['dev', 'inboxes', 'prod', 'acceptance', 'infrastructure'],
  // commands and options
  ...['completion', 'doctor', 'pause', 'sampled', 'singles'],
  // errors and types of the examples in running text, and metrics and outputs of a service that is called Board
  ...['AMOUNT_DIFFERS', 'Added', 'BoardConsumers', 'BoardFunctions', 'BoardRecords', 'BoardServiceName', 'BoardTable'],
  ...['NoProgress', 'OrdersPlaced', 'RefundsFailed', 'beginning', 'showSeat', 'slice', 'successor'],
  // verdicts of an operator's commands
  ...['HEALTHY', 'RESTORE', 'denied', 'unchecked'],
  // spans of traces
  ...['SpansExported', 'SpansLost', 'correlation_id', 'hopeless'],
];
