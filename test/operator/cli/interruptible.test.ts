import { afterEach, expect, test, vi } from 'vitest';
import { runInterruptible } from '../../../packages/operator/cli/interruptible.js';

const ends = vi.fn();
process.on('SIGINT', ends);
afterEach(() => ends.mockClear());

test('the first Ctrl-C stops the work between two steps, and the program receives the second one', async () => {
  await runInterruptible(async ({ wait, stopped }) => {
    expect(stopped()).toBe(false);
    process.emit('SIGINT');
    expect({ stopped: stopped(), heard: ends.mock.calls.length }).toEqual({ stopped: true, heard: 0 });
    await wait(3_600);
    process.emit('SIGINT');
    expect(ends).toHaveBeenCalledOnce();
  });
});

test('the program receives Ctrl-C again once the work is done', async () => {
  await runInterruptible(async () => undefined);
  process.emit('SIGINT');
  expect(ends).toHaveBeenCalledOnce();
});
