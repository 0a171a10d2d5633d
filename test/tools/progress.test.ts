import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { waitUntil } from '../../tools/local/progress.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Runs a wait with the fake clock. @returns its error's message, or its result as text */
async function endOf(wait: Promise<unknown>): Promise<string> {
  const end = wait.then(String, (error: Error) => error.message);
  await vi.runAllTimersAsync();
  return end;
}
const never = async () => undefined;

describe('waiting', () => {
  test('ends with the first answer', async () => {
    let checks = 0;
    const third = async () => (++checks === 3 ? 'there' : undefined);
    expect(await endOf(waitUntil(third, { missing: () => 'it' }))).toBe('there');
  });

  test('fails with what is missing when nothing has moved for the idle time', async () => {
    const wait = waitUntil(never, { idleMs: 10_000, missing: () => 'the last order' });
    expect(await endOf(wait)).toBe('nothing has moved for 10 s: the last order');
  });

  test('continues past the idle time while something moves', async () => {
    const begin = performance.now();
    const late = async () => (performance.now() - begin > 55_000 ? 'late' : undefined);
    const moved = () => Math.floor((performance.now() - begin) / 9_000);
    expect(await endOf(waitUntil(late, { idleMs: 10_000, moved, missing: () => 'it' }))).toBe('late');
  });

  test('counts a change of the missing text as movement', async () => {
    const begin = performance.now();
    const seconds = () => Math.floor((performance.now() - begin) / 1_000);
    const late = async () => (seconds() >= 30 ? 'late' : undefined);
    expect(await endOf(waitUntil(late, { idleMs: 10_000, missing: () => `order ${seconds()}` }))).toBe('late');
  });

  test('fails after ten times the idle time, although something moves', async () => {
    let count = 0;
    const wait = waitUntil(never, { idleMs: 1_000, moved: () => ++count, missing: () => 'the end' });
    expect(await endOf(wait)).toBe('not within 10 s, although something moves: the end');
  });

  test('the idle time does not include the time in which the process was suspended', async () => {
    let suspended = false;
    let checks = 0;
    const check = async () => {
      checks += 1;
      if (checks === 3) {
        vi.setSystemTime(Date.now() + 60_000);
        vi.advanceTimersByTime(60_000);
        suspended = true;
      }
      return suspended && checks > 6 ? 'there' : undefined;
    };
    expect(await endOf(waitUntil(check, { idleMs: 10_000, missing: () => 'it' }))).toBe('there');
  });
});
