import { expect, test } from 'vitest';
import {
  dropRandomBytes,
  isUuid,
  newId,
  newTraceparent,
  parseIdTime,
  takeRandomBytes,
} from '../../../packages/kit/aws/ids.js';

test('no two ids are equal, however often the pool of random bytes is filled again', () => {
  // 64 ids use up a pool of 1,024 bytes.
  const ids = Array.from({ length: 1000 }, () => newId(1_700_000_000_000));

  expect(new Set(ids).size).toBe(1000);
  expect(ids.every(isUuid)).toBe(true);
  expect(new Set(ids.map(parseIdTime))).toEqual(new Set([1_700_000_000_000]));
});

test('random bytes stay what they are when the pool is filled again', () => {
  const taken = takeRandomBytes(16);
  const text = taken.toString('hex');
  for (let at = 0; at < 200; at++) takeRandomBytes(16);

  expect(taken.toString('hex')).toBe(text);
});

test('an invocation that ends leaves no random bytes in memory, and the next one gets new ones', () => {
  const { fill } = Buffer.prototype;
  const zeroed: number[] = [];
  Buffer.prototype.fill = function (this: Buffer, ...args: Parameters<typeof fill>) {
    zeroed.push(this.length);
    return Reflect.apply(fill, this, args);
  } as typeof fill;
  try {
    const taken = takeRandomBytes(16).toString('hex');
    dropRandomBytes();
    expect(zeroed).toEqual([1024]);
    dropRandomBytes();
    expect(zeroed).toEqual([1024]);
    const next = takeRandomBytes(16).toString('hex');
    expect(next).not.toBe(taken);
    expect(next).not.toBe('0'.repeat(32));
  } finally {
    Buffer.prototype.fill = fill;
  }
});

test('sizes that leave a rest in the pool get as many bytes as they ask for', () => {
  const traces = Array.from({ length: 500 }, newTraceparent);

  expect(new Set(traces).size).toBe(500);
  expect(traces.every((trace) => /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/.test(trace))).toBe(true);
});
