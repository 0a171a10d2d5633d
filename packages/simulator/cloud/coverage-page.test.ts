import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { awsApiOf } from '../support/clients.js';
import { createCloud } from '../support/clouds.js';

const PAGE = readFileSync(new URL('../docs/coverage.md', import.meta.url), 'utf8');

/** Targets of AWS JSON, and names in signatures of Query, by the service as the page calls it. */
const TARGETS: Readonly<Record<string, string>> = {
  SQS: 'AmazonSQS',
  'Step Functions': 'AWSStepFunctions',
  EventBridge: 'AWSEvents',
  'CloudWatch Logs': 'Logs_20140328',
  Cognito: 'AWSCognitoIdentityProviderService',
  KMS: 'TrentService',
  'Systems Manager': 'AmazonSSM',
  CloudWatch: 'GraniteServiceVersion20100801',
};
const SIGNED: Readonly<Record<string, string>> = { CloudFormation: 'cloudformation', STS: 'sts' };

const operationsOf = (service: string): readonly string[] => {
  const [, operations = ''] = new RegExp(`^\\| ${service} \\|[^|]*\\| (.*) \\|$`, 'm').exec(PAGE) ?? [];
  return operations.replace(/ \([^)]*\)/g, '').split(', ');
};

test.each([...Object.keys(TARGETS), ...Object.keys(SIGNED)])('%s serves what the page says', async (service) => {
  const { answer } = awsApiOf(createCloud({}));
  const [signed, target] = [SIGNED[service], TARGETS[service]];
  const operations = operationsOf(service);
  expect(operations[0]).toMatch(/^\w+$/);
  for (const operation of operations) {
    const { body } = await answer({
      method: 'POST',
      host: 'aws',
      path: '/',
      headers:
        signed === undefined
          ? { 'x-amz-target': `${target}.${operation}` }
          : {
              authorization: `Credential=test/20260105/eu-west-1/${signed}/aws4_request`,
              'content-type': 'application/x-www-form-urlencoded',
            },
      body: signed === undefined ? '{}' : `Action=${operation}`,
    });
    expect(body, operation).not.toMatch(/UnknownOperationException|InvalidAction/);
  }
});

/** Names with which requests are signed, by the service as the page calls it. */
const SERVICES: Readonly<Record<string, string>> = {
  'API Gateway': 'apigateway',
  CloudFormation: 'cloudformation',
  CloudWatch: 'monitoring',
  Cognito: 'cognito-idp',
  'CloudWatch Logs': 'logs',
  EventBridge: 'events',
  KMS: 'kms',
  Lambda: 'lambda',
  S3: 's3',
  SQS: 'sqs',
  STS: 'sts',
  'Step Functions': 'states',
  'Systems Manager': 'ssm',
};

test.each(Object.entries(SERVICES))('the page names every operation of %s', (name, service) => {
  const { served } = createCloud({}).services;
  expect([...operationsOf(name)].sort()).toEqual([...(served[service] ?? [])].sort());
});
