import { expect, test } from 'vitest';
import { coalesceReads } from '../../../packages/kit/aws/coalesce-reads.js';

/** An item that is read when the test says so. */
function item() {
  const ends: (() => void)[] = [];
  let began = 0;
  const read = coalesceReads(() => {
    const number = ++began;
    return new Promise<number>((resolve) => ends.push(() => resolve(number)));
  });
  const end = async (): Promise<void> => {
    ends.shift()?.();
    // The next read begins when those who waited have been told.
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  };
  return { read, end, began: () => began };
}

test('callers during a read share the next one: they do not get one that began before their call', async () => {
  const { read, end, began } = item();
  const first = read();
  const second = read();
  const third = read();
  expect(began()).toBe(1);
  await end();
  expect(await first).toBe(1);
  expect(began()).toBe(2);
  const fourth = read();
  await end();
  expect([await second, await third]).toEqual([2, 2]);
  await end();
  expect(await fourth).toBe(3);
  expect(began()).toBe(3);
});

test('a caller after the end begins a read of its own', async () => {
  const { read, end, began } = item();
  const first = read();
  await end();
  await first;
  const second = read();
  expect(began()).toBe(2);
  await end();
  expect(await second).toBe(2);
});

test('a read that fails is repeated for those who wait', async () => {
  let tries = 0;
  const read = coalesceReads(async () => {
    tries += 1;
    if (tries === 1) throw new Error('throttled');
    return tries;
  });
  const [first, second] = [read(), read()];
  await expect(first).rejects.toThrow('throttled');
  expect(await second).toBe(2);
});
