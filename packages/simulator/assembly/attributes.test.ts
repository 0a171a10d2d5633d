import { expect, test } from 'vitest';
import { checkAssembly } from '../cloud/check-assembly.js';
import { TABLE, writeAssembly } from '../support/clouds.js';
import { Assembly } from './assembly.js';
import type { Json } from './intrinsics.js';

const attribute = (of: string, name: string): Json => ({ 'Fn::GetAtt': [of, name] });

/** Returns the text of a parameter that takes a value. */
function takenFrom(value: Json, resources: Parameters<typeof writeAssembly>[0]): Json | undefined {
  const taker = { Type: 'AWS::SSM::Parameter', Properties: { Name: 'taken', Type: 'String', Value: value } };
  return new Assembly(writeAssembly({ ...resources, Taker: taker }))
    .findByType('AWS::SSM::Parameter')
    .find(({ logicalId }) => logicalId === 'Taker')?.properties.Value;
}

/** AWS CloudFormation, "Return values" of each type. */
test.each<[string, string, { [name: string]: Json }, Json]>([
  ['AWS::SQS::Queue', 'QueueUrl', {}, 'https://sqs.eu-west-1.amazonaws.com/123456789012/Shop-Of'],
  ['AWS::S3::Bucket', 'WebsiteURL', { BucketName: 'shop' }, 'http://shop.s3-website-eu-west-1.amazonaws.com'],
  ['AWS::S3::Bucket', 'DualStackDomainName', { BucketName: 'shop' }, 'shop.s3.dualstack.eu-west-1.amazonaws.com'],
  ['AWS::SSM::Parameter', 'Value', { Name: 'size', Type: 'String', Value: { Ref: 'Table' } }, 'Shop-Table'],
  ['AWS::SSM::Parameter', 'Type', { Name: 'size', Type: 'String', Value: '7' }, 'String'],
  ['AWS::Events::Rule', 'RuleName', { Name: 'sold' }, 'sold'],
  ['AWS::ApiGateway::RestApi', 'RestApiId', {}, 'Shop-Of'],
  ['AWS::ApiGateway::Resource', 'ResourceId', {}, 'Shop-Of'],
  ['AWS::ApiGatewayV2::Api', 'ExecuteApiArn', {}, 'arn:aws:execute-api:eu-west-1:123456789012:Shop-Of'],
  ['AWS::Lambda::EventSourceMapping', 'Id', {}, 'Shop-Of'],
])('%s has the attribute %s', (Type, name, Properties, expected) => {
  expect(takenFrom(attribute('Of', name), { Of: { Type, Properties }, Table: TABLE })).toBe(expected);
});

const FIRST_PART: Json = {
  'Fn::Select': [0, { 'Fn::Split': ['/', { 'Fn::Join': ['', ['https://', attribute('Unknown', 'Hosts')]] }] }],
};

test('a part of an attribute that is not known is not known either', () =>
  expect(takenFrom(FIRST_PART, { Unknown: { Type: 'AWS::EC2::VPCEndpoint' } })).toBe('https://Shop-Unknown.Hosts'));

/** CloudFormation refuses such a template: "Fn::Select cannot select nonexistent value at index 2". */
test('a property that can’t be resolved is an obstacle beside all others, which names the construct and the property', () => {
  const QueueName = { 'Fn::Select': [2, { 'Fn::Split': ['-', 'shop-orders'] }] };
  const folder = writeAssembly({
    Queue: { Type: 'AWS::SQS::Queue', Properties: { QueueName } },
    Cluster: { Type: 'AWS::RDS::DBCluster' },
  });
  expect(checkAssembly(folder).map(({ label, what }) => [label, what])).toEqual([
    ['Shop/Cluster', 'no model of this type'],
    ['Shop/Queue', 'QueueName: Fn::Select: nothing at 2'],
  ]);
});

test('where no model reads a property, it may be unresolved', () => {
  const Ipv6CidrBlock = { 'Fn::Select': [0, { 'Fn::Cidr': [attribute('Vpc', 'Ipv6CidrBlocks'), 1, '64'] }] };
  const folder = writeAssembly({
    Vpc: { Type: 'AWS::EC2::VPC' },
    Subnet: { Type: 'AWS::EC2::Subnet', Properties: { Ipv6CidrBlock } },
  });
  expect(checkAssembly(folder).map(({ type, mayBeIgnored }) => [type, mayBeIgnored])).toEqual([
    ['AWS::EC2::VPC', true],
    ['AWS::EC2::Subnet', true],
  ]);
});
