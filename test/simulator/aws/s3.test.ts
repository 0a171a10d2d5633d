import { expect, test } from 'vitest';
import { cloudOf } from './support.js';

const HOUR = 3_600_000;

test('an object is gone at the first midnight after its days', async () => {
  const LifecycleConfiguration = { Rules: [{ Status: 'Enabled', ExpirationInDays: 2 }] };
  const { world, buckets } = cloudOf({ Batches: { Type: 'AWS::S3::Bucket', Properties: { LifecycleConfiguration } } });
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
  const { world, buckets } = cloudOf({ Batches: { Type: 'AWS::S3::Bucket', Properties: { LifecycleConfiguration } } });
  buckets.put('shop-batches', 'batch', '{}');
  await world.pass(1_000 * HOUR);
  expect(buckets.get('shop-batches', 'batch')).toBe('{}');
});
