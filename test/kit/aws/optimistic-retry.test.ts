import { describe, expect, test } from 'vitest';
import { retryOnConflict } from '../../../packages/kit/aws/optimistic-retry.js';
import { Throttled, WriteConflict } from '../../../packages/kit/aws/write-conflict.js';

/** Returns the number of attempts and the outcome. */
async function triedOf(outcomeOf: (attempt: number) => Error | undefined) {
  let tries = 0;
  const ended = await retryOnConflict(async () => {
    tries += 1;
    const error = outcomeOf(tries);
    if (error) throw error;
    return 'won';
  }).catch((error: Error) => error.name);
  return [tries, ended];
}

describe('a write with possible conflicts', () => {
  test('a write without a conflict is tried once', async () =>
    expect(await triedOf(() => undefined)).toEqual([1, 'won']));
  test('a write is retried after a conflict', async () =>
    expect(await triedOf((attempt) => (attempt < 3 ? new WriteConflict() : undefined))).toEqual([3, 'won']));
  test('a write is given up after five conflicts, with the last error', async () =>
    expect(await triedOf((attempt) => (attempt < 5 ? new WriteConflict() : new Throttled()))).toEqual([
      5,
      'Throttled',
    ]));
  test('a write is not retried after another error', async () =>
    expect(await triedOf(() => new TypeError())).toEqual([1, 'TypeError']));
});
