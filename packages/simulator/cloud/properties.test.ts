import { expect, test } from 'vitest';
import { AssemblyNotModelled } from '../assembly/obstacles.js';
import { createCloud } from '../support/clouds.js';

const bucket = (Properties: NonNullable<Parameters<typeof createCloud>[0][string]['Properties']>) =>
  createCloud({ Batches: { Type: 'AWS::S3::Bucket', Properties } });

test('a property that no model reads is refused by name', () => {
  const locked = { ObjectLockEnabled: true };
  expect(() => bucket(locked)).toThrow(AssemblyNotModelled);
  expect(() => bucket(locked)).toThrow('AWS::S3::Bucket (Shop/Batches): ObjectLockEnabled');
});

test('a property inside of a partly read property is refused by name, too', () => {
  const rule = { Status: 'Enabled', ExpirationInDays: 30, Prefix: 'old/' };
  expect(() => bucket({ LifecycleConfiguration: { Rules: [rule] } })).toThrow(
    'AWS::S3::Bucket (Shop/Batches): LifecycleConfiguration.Rules.Prefix',
  );
});

test('tags, properties that are read, and properties without effect here pass', () => {
  const properties = {
    Tags: [{ Key: 'a', Value: 'b' }],
    BucketEncryption: { ServerSideEncryptionConfiguration: [] },
    NotificationConfiguration: { EventBridgeConfiguration: { EventBridgeEnabled: true } },
  };
  expect(bucket(properties).buckets.findArn('shop-batches')).toBeDefined();
});

test('what browsers may ask of a bucket, and where objects are kept, changes nothing', () => {
  const properties = {
    CorsConfiguration: { CorsRules: [{ AllowedMethods: ['GET'], AllowedOrigins: ['*'] }] },
    LifecycleConfiguration: {
      Rules: [{ Status: 'Enabled', Transitions: [{ StorageClass: 'STANDARD_IA', TransitionInDays: 30 }] }],
    },
  };
  expect(bucket(properties).buckets.findArn('shop-batches')).toBeDefined();
});
