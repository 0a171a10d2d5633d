import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Assembly } from '../assembly/assembly.js';
import type { Json } from '../assembly/intrinsics.js';
import { Cloud, Deployment } from '../cloud/cloud.js';
import type { CloudOptions } from '../cloud/cloud-options.js';
import type { InvocationResult } from '../services/lambda/model.js';

type Resources = Readonly<Record<string, { Type: string; Properties?: { [name: string]: Json } }>>;

/** Creates a cloud of one stack, for tests of the models: resources as in a template, functions by their code. */
export const createCloud = (
  resources: Resources,
  code: Readonly<Record<string, string>> = {},
  options: Partial<CloudOptions> = {},
): Cloud => new Cloud(new Deployment(new Assembly(writeAssembly(resources, code))), { seed: '1', ...options });

/** Invokes a function once, and lets everything come to rest. @returns the results that its caller got */
export async function resultsOf(
  cloud: Cloud,
  label = 'Shop/Work',
  event: unknown = {},
): Promise<readonly InvocationResult[]> {
  const results: InvocationResult[] = [];
  cloud.fn(label).invoke(event, (result) => results.push(result));
  await cloud.world.settle();
  return results;
}

/** Writes files of assets. @param files text by path, the first part of which names the asset */
export function addAssetFiles(app: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(app, `asset.${path}`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** Writes the cloud assembly of one stack. @returns its folder */
export function writeAssembly(resources: Resources, code: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'simulator-'));
  const artifacts = {
    Shop: { type: 'aws:cloudformation:stack', properties: { templateFile: 'shop.json', stackName: 'Shop' } },
  };
  for (const [name, source] of Object.entries({ ...listWithoutCode(resources), ...code })) {
    mkdirSync(join(folder, `asset.${name}`));
    writeFileSync(join(folder, `asset.${name}`, 'index.js'), source);
  }
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ artifacts }));
  writeFileSync(join(folder, 'shop.json'), JSON.stringify({ Resources: resources }));
  return folder;
}

/** Returns a handler that does nothing for each function. */
const listWithoutCode = (resources: Resources): Record<string, string> =>
  Object.fromEntries(
    Object.values(resources).flatMap(({ Properties }) => {
      const { S3Key } = (Properties?.Code ?? {}) as { readonly S3Key?: string };
      return S3Key === undefined ? [] : [[S3Key.replace('.zip', ''), 'exports.handler = async () => undefined;']];
    }),
  );

/**
 * Creates a function with a role that allows the listed actions, as resources named `<name>`, `<name>Role`,
 * `<name>Policy`.
 */
export const functionResource = (
  name: string,
  statements: readonly Json[] = [],
  more: { [name: string]: Json } = {},
) => ({
  [name]: {
    Type: 'AWS::Lambda::Function',
    Properties: {
      Code: { S3Key: `${name}.zip` },
      Handler: 'index.handler',
      Role: { 'Fn::GetAtt': [`${name}Role`, 'Arn'] },
      Timeout: 10,
      ...more,
    },
  },
  [`${name}Role`]: { Type: 'AWS::IAM::Role', Properties: {} },
  [`${name}Policy`]: {
    Type: 'AWS::IAM::Policy',
    Properties: { Roles: [{ Ref: `${name}Role` }], PolicyDocument: { Statement: statements } },
  },
});

/** A table whose key is a text `pk`. */
export const TABLE = {
  Type: 'AWS::DynamoDB::Table',
  Properties: {
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    BillingMode: 'PAY_PER_REQUEST',
  },
};

export const allowStatement = (actions: readonly string[], resource: Json, condition?: Json): Json => ({
  Effect: 'Allow',
  Action: [...actions],
  Resource: resource,
  ...(condition === undefined ? {} : { Condition: condition }),
});

/**
 * Returns the policy of queues that lets a service send to them.
 * @param service `events`, `sns`
 */
export const queuePolicy = (service: string, ...[queue = 'Queue', ...others]: readonly string[]) => ({
  Type: 'AWS::SQS::QueuePolicy',
  Properties: {
    Queues: [queue, ...others].map((name) => ({ Ref: name })),
    PolicyDocument: {
      Statement: [
        {
          Effect: 'Allow',
          Principal: { Service: `${service}.amazonaws.com` },
          Action: 'sqs:SendMessage',
          Resource: [queue, ...others].map(arnOf),
        },
      ],
    },
  },
});
export const QUEUE_RIGHTS = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];
export const STREAM_RIGHTS = ['dynamodb:GetRecords', 'dynamodb:GetShardIterator', 'dynamodb:DescribeStream'];
export const arnOf = (name: string): Json => ({ 'Fn::GetAtt': [name, 'Arn'] });

/** A minimal client, for the code of a function under test. */
export const CLIENT = `const call = (target, body) => new Promise((resolve, reject) => {
  const request = require('https').request({
    method: 'POST', host: 'aws', path: '/', headers: { 'X-Amz-Target': target },
  });
  request.on('error', ({ code }) => reject(new Error(code)));
  request.on('response', (response) => {
    let text = '';
    response.on('data', (chunk) => (text += chunk));
    response.on('end', () => resolve({ status: response.statusCode, body: JSON.parse(text) }));
  });
  request.end(JSON.stringify(body));
});`;
