import { afterEach, expect, test, vi } from 'vitest';
import { interruptible } from '../../../packages/operator/cli/interruptible.js';

const ends = vi.fn();
process.on('SIGINT', ends);
afterEach(() => ends.mockClear());

test('the first Ctrl-C stops the work between two steps, and the program hears the second one', async () => {
  await interruptible(async ({ wait, stopped }) => {
    expect(stopped()).toBe(false);
    process.emit('SIGINT');
    expect({ stopped: stopped(), heard: ends.mock.calls.length }).toEqual({ stopped: true, heard: 0 });
    await wait(3_600);
    process.emit('SIGINT');
    expect(ends).toHaveBeenCalledOnce();
  });
});

test('the program hears Ctrl-C again once the work is done', async () => {
  await interruptible(async () => undefined);
  process.emit('SIGINT');
  expect(ends).toHaveBeenCalledOnce();
});
