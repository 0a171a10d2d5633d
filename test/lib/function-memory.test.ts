import { describe, expect, test } from 'vitest';
import { memoryOf } from '../../packages/kit/base/function-memory.js';
import type { MemorySettings } from '../../packages/kit/base/memory-settings.js';
import { ESTIMATES, longerWith } from '../../tools/cost/prices.js';

describe('the memory of a function', () => {
  test('follows its kind, unless the settings replace it', () => {
    expect(memoryOf('message', {})).toBe(256);
    expect(memoryOf('message', { memory: { message: 512 } })).toBe(512);
    expect(memoryOf('request', { memory: { message: 1024 } })).toBe(512);
  });

  test.each([
    [{ message: 64 }, 'memory.message is 64: expected whole MB from 128 to 10240, for request, message, lane, job'],
    [{ request: 256.5 }, 'memory.request is 256.5: expected whole MB'],
    [{ relay: 256 }, 'memory.relay is 256: expected whole MB from 128 to 10240, for request, message, lane, job'],
  ])('%j is refused with what would be right', (memory, message) => {
    expect(() => memoryOf('job', { memory: memory as MemorySettings })).toThrow(message);
  });
});

test('with half of the memory, the work of a function takes twice as long and its waiting as long as before', () => {
  expect(longerWith(512)).toBe(0);
  expect(longerWith(256)).toBeCloseTo((ESTIMATES.cpu * 1769) / 512);
  expect(longerWith(1024)).toBeLessThan(0);
});
