import type { AwsError, AwsRequest } from './request.js';

const PER_SERVICE: Readonly<Record<string, AwsError>> = {
  // API Reference, "PutItem", "Errors".
  dynamodb: {
    status: 400,
    code: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
    message: 'The level of configured provisioned throughput for the table was exceeded.',
  },
  // API Reference, "SendMessage", "Errors".
  sqs: {
    status: 400,
    code: 'com.amazonaws.sqs#RequestThrottled',
    message: 'The request was denied due to request throttling.',
  },
  // API Reference, "Error responses", "List of error codes".
  s3: { status: 503, code: 'SlowDown', message: 'Please reduce your request rate.' },
  // API Reference, "Invoke", "Errors".
  lambda: {
    status: 429,
    code: 'TooManyRequestsException',
    message: 'Rate Exceeded.',
    more: { Reason: 'CallerRateLimitExceeded', Type: 'User' },
  },
  // API Reference, "PutRecord", "Errors".
  kinesis: {
    status: 400,
    code: 'ProvisionedThroughputExceededException',
    message: 'Rate exceeded for the shard.',
  },
  // API Reference, "SignUp", "Errors".
  'cognito-idp': { status: 400, code: 'TooManyRequestsException', message: 'Too many requests' },
};

/** Returns the refusal of a request that is one too many, by the name that its service gives it, or else by that of "Common Error Types". */
export const throttle = ({ service }: Pick<AwsRequest, 'service'>): AwsError =>
  PER_SERVICE[service] ?? { status: 400, code: 'ThrottlingException', message: 'Rate exceeded' };
