import { expect, test } from 'vitest';
import { allowStatement, arnOf, createCloud, functionResource, STREAM_RIGHTS, TABLE } from '../support/clouds.js';

const call = (action: string, parameters: object, more: object = {}) =>
  JSON.stringify({ service: 'DynamoDB', action, parameters, physicalResourceId: { id: 'seed' }, ...more });
const seeds = (Create: string, rights: readonly string[] = ['dynamodb:*']) => ({
  Table: { ...TABLE, Properties: { ...TABLE.Properties, StreamSpecification: { StreamViewType: 'NEW_IMAGE' } } },
  ...functionResource('Provider', [allowStatement(rights, '*')]),
  Seed: { Type: 'Custom::AWS', Properties: { ServiceToken: arnOf('Provider'), Create, InstallLatestAwsSdk: true } },
});
const PUT = { TableName: 'Shop-Table', Item: { pk: { S: 'lamp' }, price: { N: '5' } } };

test.each(['putItem', 'PutItemCommand'])('the call of a custom resource is made before a history: %s', (action) => {
  const cloud = createCloud(seeds(call(action, PUT)));
  expect(cloud.listItems('Shop/Table')).toEqual([{ pk: 'lamp', price: 5 }]);
});

test('consumers of a stream get what a custom resource has written', async () => {
  const cloud = createCloud(
    {
      ...seeds(call('putItem', PUT)),
      ...functionResource('Work', [allowStatement(STREAM_RIGHTS, '*')]),
      Mapping: {
        Type: 'AWS::Lambda::EventSourceMapping',
        Properties: {
          EventSourceArn: { 'Fn::GetAtt': ['Table', 'StreamArn'] },
          FunctionName: { Ref: 'Work' },
          StartingPosition: 'TRIM_HORIZON',
        },
      },
    },
    { Work: 'exports.handler = async ({ Records }) => console.log(Records[0].eventName);' },
  );
  await cloud.world.settle();
  expect(cloud.log.map(({ text }) => text)).toEqual(['INSERT']);
});

test('a call that AWS refuses is the failure of the deployment, unless its error is ignored', () => {
  const wrong = { ...PUT, TableName: 'none' };
  expect(() => createCloud(seeds(call('putItem', wrong)))).toThrow(
    /the deployment fails, since PutItem is refused: \S*ResourceNotFound/,
  );
  expect(() =>
    createCloud(seeds(call('putItem', wrong, { ignoreErrorCodesMatching: 'ResourceNotFound' }))),
  ).not.toThrow();
  expect(() => createCloud(seeds(call('putItem', PUT), ['dynamodb:GetItem']))).toThrow(
    /PutItem is refused: \S*AccessDenied/,
  );
});

test('a call without a model is named', () => {
  const other = JSON.stringify({ service: 'Route53', action: 'listHostedZones', parameters: {} });
  expect(() => createCloud(seeds(other))).toThrow('its call of Route53 listHostedZones');
});
