import { expect, test } from 'vitest';
import type { Json } from '../../assembly/intrinsics.js';
import { createCloud, functionResource } from '../../support/clouds.js';

const CODE = 'exports.handler = async () => process.env._X_AMZN_TRACE_ID;';
const invokeTwice = async (more: { [name: string]: Json }): Promise<readonly unknown[]> => {
  const cloud = createCloud(functionResource('Work', [], more), { Work: CODE });
  const values: unknown[] = [];
  for (let at = 0; at < 2; at++) {
    cloud.fn('Shop/Work').invoke({}, (result) => values.push(result.kind === 'returned' ? result.value : result));
    await cloud.world.settle();
  }
  return values;
};

test('a function that traces actively has a header for each invocation, which samples nothing', async () => {
  const [first, second] = await invokeTwice({ TracingConfig: { Mode: 'Active' } });
  expect(first).toMatch(/^Root=1-[0-9a-f]{8}-[0-9a-f]{24};Parent=[0-9a-f]{16};Sampled=0$/);
  expect(second).toMatch(/^Root=/);
  expect(second).not.toBe(first);
});

test('another function has the root of one', async () => {
  const [first, second] = await invokeTwice({});
  expect(first).toMatch(/^Root=1-[0-9a-f]{8}-[0-9a-f]{24};Lineage=[0-9a-f]{8}:0$/);
  expect(second).not.toBe(first);
});
