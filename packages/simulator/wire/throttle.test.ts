import { CognitoIdentityProviderClient, SignUpCommand } from '@aws-sdk/client-cognito-identity-provider';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { KinesisClient, PutRecordCommand } from '@aws-sdk/client-kinesis';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { type SdkRequest, toHttpRequest } from '../support/clients.js';
import { throttle } from './throttle.js';
import { readFunctionRequest, writeError } from './wire.js';

const handle = async (sdkRequest: SdkRequest) => {
  const request = readFunctionRequest(toHttpRequest(sdkRequest));
  const { status, headers, body } = writeError(request, throttle(request));
  return { response: { statusCode: status, headers, body: Buffer.from(body) } };
};
const CONFIG = {
  region: 'eu-west-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  maxAttempts: 1,
  requestHandler: { handle },
};
const QueueUrl = 'https://sqs.eu-west-1.amazonaws.com/123456789012/orders';
const PARTITION = { StreamName: 's', PartitionKey: 'p', Data: new Uint8Array() };

/** API references of the services, "Errors": the SDK takes each of them for a throttle, and code may compare names. */
test.each([
  [
    'SQS',
    'RequestThrottled',
    400,
    () => new SQSClient(CONFIG).send(new SendMessageCommand({ QueueUrl, MessageBody: 'a' })),
  ],
  ['S3', 'SlowDown', 503, () => new S3Client(CONFIG).send(new GetObjectCommand({ Bucket: 'b', Key: 'k' }))],
  [
    'Lambda',
    'TooManyRequestsException',
    429,
    () => new LambdaClient(CONFIG).send(new InvokeCommand({ FunctionName: 'f' })),
  ],
  [
    'Kinesis',
    'ProvisionedThroughputExceededException',
    400,
    () => new KinesisClient(CONFIG).send(new PutRecordCommand(PARTITION)),
  ],
  [
    'DynamoDB',
    'ProvisionedThroughputExceededException',
    400,
    () => new DynamoDBClient(CONFIG).send(new PutItemCommand({ TableName: 't', Item: { pk: { S: 'a' } } })),
  ],
  [
    'Cognito',
    'TooManyRequestsException',
    400,
    () =>
      new CognitoIdentityProviderClient(CONFIG).send(
        new SignUpCommand({ ClientId: 'c', Username: 'u', Password: 'p' }),
      ),
  ],
  [
    'EventBridge',
    'ThrottlingException',
    400,
    () => new EventBridgeClient(CONFIG).send(new PutEventsCommand({ Entries: [] })),
  ],
])('%s refuses one request too many by %s', async (_service, name, httpStatusCode, send) => {
  await expect(send()).rejects.toMatchObject({ name, $metadata: { httpStatusCode } });
});
