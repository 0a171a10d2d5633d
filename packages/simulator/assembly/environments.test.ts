import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Cloud, Deployment } from '../cloud/cloud.js';
import { allowStatement, arnOf, CLIENT, functionResource, TABLE, writeAssembly } from '../support/clouds.js';
import { Assembly } from './assembly.js';

/** Writes an assembly whose stacks are for these environments. @returns its folder */
function assemblyFor(environments: readonly string[], ...parts: Parameters<typeof writeAssembly>): string {
  const folder = writeAssembly(...parts);
  const file = join(folder, 'manifest.json');
  const { artifacts } = JSON.parse(readFileSync(file, 'utf8'));
  const stacks = environments.map((environment, at) => [
    `Shop${at === 0 ? '' : at}`,
    { ...artifacts.Shop, environment },
  ]);
  writeFileSync(file, JSON.stringify({ artifacts: Object.fromEntries(stacks) }));
  return folder;
}

test('a stack is played in the account and the region that its manifest names, with literal ARNs', async () => {
  const table = 'arn:aws:dynamodb:us-east-1:111122223333:table/Things';
  const resources = {
    Things: { ...TABLE, Properties: { ...TABLE.Properties, TableName: 'Things' } },
    Inbox: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'inbox' } },
    ...functionResource('Write', [allowStatement(['dynamodb:PutItem'], table)]),
  };
  const code = `${CLIENT} exports.handler = async () => {
    const { status } = await call('DynamoDB_20120810.PutItem', { TableName: '${table}', Item: { pk: { S: 'a' } } });
    return [process.env.AWS_REGION, status];
  };`;
  const folder = assemblyFor(['aws://111122223333/us-east-1'], resources, { Write: code });
  const cloud = new Cloud(new Deployment(new Assembly(folder)), { seed: '1' });
  const results: unknown[] = [];
  cloud.fn('Shop/Write').invoke({}, (result) => results.push(result));
  await cloud.world.settle();
  expect(results).toEqual([{ kind: 'returned', value: ['us-east-1', 200] }]);
  expect(cloud.queue('Shop/Inbox').resource).toMatchObject({
    ref: 'https://sqs.us-east-1.amazonaws.com/111122223333/inbox',
    arn: 'arn:aws:sqs:us-east-1:111122223333:inbox',
  });
  cloud.events.put('default', { source: 'shop', detailType: 'Sold', detail: {} });
  expect(cloud.events.accepted[0]?.event).toMatchObject({ account: '111122223333', region: 'us-east-1' });
});

test('settings that an environment leaves open have their defaults', () => {
  const { home } = new Assembly(assemblyFor(['aws://unknown-account/unknown-region'], {}));
  expect([home.account, home.region]).toEqual(['123456789012', 'eu-west-1']);
  expect(
    new Assembly(assemblyFor(['aws://unknown-account/us-east-1', 'aws://111122223333/us-east-1'], {})).home,
  ).toEqual({
    account: '111122223333',
    region: 'us-east-1',
  });
});

test('several environments in one assembly are refused by name', () => {
  const folder = assemblyFor(['aws://111122223333/us-east-1', 'aws://111122223333/eu-west-1'], {
    Queue: arnOf('x') as never,
  });
  expect(() => new Assembly(folder)).toThrow(
    'the assembly is for several environments (aws://111122223333/us-east-1, aws://111122223333/eu-west-1)',
  );
});
