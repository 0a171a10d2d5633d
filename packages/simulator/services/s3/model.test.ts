import { describe, expect, test } from 'vitest';
import { createCloud } from '../../support/clouds.js';

const HOUR = 3_600_000;

test('an object is gone at the first midnight after its days', async () => {
  const LifecycleConfiguration = { Rules: [{ Status: 'Enabled', ExpirationInDays: 2 }] };
  const { world, buckets } = createCloud({
    Batches: { Type: 'AWS::S3::Bucket', Properties: { LifecycleConfiguration } },
  });
  const midnight = Math.ceil((world.now + 1) / (24 * HOUR)) * 24 * HOUR;
  await world.pass(midnight - HOUR - world.now);
  buckets.put('shop-batches', 'batch', '{}');
  await world.pass(49 * HOUR - 1);
  expect(buckets.get('shop-batches', 'batch')).toBe('{}');
  await world.pass(1);
  expect(buckets.get('shop-batches', 'batch')).toBeUndefined();
  expect(buckets.all().size).toBe(0);
});

test('a rule that is switched off ends nothing', async () => {
  const LifecycleConfiguration = { Rules: [{ Status: 'Disabled', ExpirationInDays: 1 }] };
  const { world, buckets } = createCloud({
    Batches: { Type: 'AWS::S3::Bucket', Properties: { LifecycleConfiguration } },
  });
  buckets.put('shop-batches', 'batch', '{}');
  await world.pass(1_000 * HOUR);
  expect(buckets.get('shop-batches', 'batch')).toBe('{}');
});

describe('a bucket that keeps versions', () => {
  const LifecycleConfiguration = {
    Rules: [{ Status: 'Enabled', ExpirationInDays: 2, NoncurrentVersionExpiration: { NoncurrentDays: 3 } }],
  };
  const bucket = (Status: string) =>
    createCloud({
      Batches: {
        Type: 'AWS::S3::Bucket',
        Properties: {
          LifecycleConfiguration,
          VersioningConfiguration: { Status },
          NotificationConfiguration: { EventBridgeConfiguration: { EventBridgeEnabled: true } },
        },
      },
    });
  const versions = ({ events }: ReturnType<typeof bucket>) =>
    events.accepted.map(({ event }) => (event.detail as { object: { 'version-id'?: string } }).object['version-id']);

  test('a bucket with versions keeps an overwritten object by its version, until its days are over', async () => {
    const cloud = bucket('Enabled');
    const { world, buckets } = cloud;
    buckets.put('shop-batches', 'batch', 'first');
    await world.settle();
    buckets.put('shop-batches', 'batch', 'second');
    await world.settle();
    const [first, second] = versions(cloud);
    expect(buckets.get('shop-batches', 'batch')).toBe('second');
    expect(buckets.get('shop-batches', 'batch', second)).toBe('second');
    expect(buckets.get('shop-batches', 'batch', first)).toBe('first');
    expect(buckets.get('shop-batches', 'batch', 'null')).toBeUndefined();
    await world.pass(73 * HOUR);
    // The current version has expired and remains as a noncurrent version for three more days.
    expect(buckets.get('shop-batches', 'batch')).toBeUndefined();
    expect(buckets.get('shop-batches', 'batch', second)).toBe('second');
    await world.pass(24 * HOUR);
    expect(buckets.get('shop-batches', 'batch', first)).toBeUndefined();
    await world.pass(48 * HOUR);
    expect(buckets.get('shop-batches', 'batch', second)).toBeUndefined();
  });

  test('names no version before it keeps any, and an object is its version null', async () => {
    const cloud = bucket('Suspended');
    const { world, buckets } = cloud;
    buckets.put('shop-batches', 'batch', 'first');
    buckets.put('shop-batches', 'batch', 'second');
    await world.settle();
    expect(versions(cloud)).toEqual([undefined, undefined]);
    expect(buckets.get('shop-batches', 'batch', 'null')).toBe('second');
  });
});
