import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { type ErrorLine, parseErrorLine, RETRY_MESSAGES } from '../../../packages/operator/status/error-lines.js';
import { judgeFunction } from '../../../packages/operator/status/failing.js';
import type { FunctionKind } from '../../../packages/operator/status/status-facts.js';

const description = { service: 'halls', entry: 'halls/on-booking', name: 'fn', consumer: 'bookings' };
const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 12, minute)).toISOString();

/** @param counts calls and failed calls of a minute, the newest first; the first is of 12:09 */
const judged = (
  counts: readonly (readonly [number, number])[],
  { lines = [], kind = 'consumer' }: { lines?: readonly ErrorLine[]; kind?: FunctionKind } = {},
) =>
  judgeFunction({
    description,
    kind,
    minutes: counts.map(([calls, failed], place) => ({ minute: at(9 - place), calls, failed })),
    lines,
    isRetry: ({ message }) => message === 'retrying',
    oldestSeconds: 100,
    triedForSeconds: 540,
  });

describe('whether a function fails in each of its calls', () => {
  test('counts the calls in a row that failed, back to the minute of the last success', () =>
    expect(
      judged([
        [6, 6],
        [3, 3],
        [2, 1],
        [4, 4],
      ]),
    ).toMatchObject({ calls: 15, failed: 14, failingSince: at(8), inARow: 9 }));

  test('a success after the errors ends it', () =>
    expect(
      judged([
        [2, 1],
        [3, 3],
      ]),
    ).not.toHaveProperty('failingSince'));

  test('one failed call of a consumer is enough, since its message comes again', () =>
    expect(judged([[1, 1]])).toMatchObject({ failingSince: at(9), inARow: 1 }));

  test('nobody repeats a request for sure, so an endpoint fails from the third call on', () => {
    expect(judged([[2, 2]], { kind: 'endpoint' })).not.toHaveProperty('failingSince');
    expect(judged([[3, 3]], { kind: 'endpoint' })).toMatchObject({ inARow: 3 });
  });

  test('a message that was put off counts as its call, in the minute of its line', () => {
    const retry = (minute: number): ErrorLine => ({ at: at(minute), fn: 'fn', message: 'retrying', name: 'Conflict' });
    const lines = [retry(8), retry(9)];
    expect(
      judged(
        [
          [1, 0],
          [1, 0],
          [1, 0],
        ],
        { lines },
      ),
    ).toMatchObject({ failed: 0, retried: 2, failingSince: at(8) });
    expect(
      judged(
        [
          [2, 0],
          [1, 0],
        ],
        { lines },
      ),
    ).not.toHaveProperty('failingSince');
  });

  test('names the newest error, and when the oldest message is given up', () =>
    expect(
      judged([[1, 1]], {
        lines: [
          { at: at(1), fn: 'fn', name: 'first' },
          { at: at(2), fn: 'fn', name: 'last', frame: 'at a (b.ts:1:1)' },
        ],
      }),
    ).toMatchObject({
      lastError: { at: at(2), name: 'last', frame: 'at a (b.ts:1:1)' },
      oldestSeconds: 100,
      givesUpInSeconds: 440,
    }));
});

test('of an error that a function has logged and thrown, its own line is shown', () => {
  const own = { at: at(2), fn: 'fn', message: 'publish failed', name: 'Throttled', text: 'Rate exceeded' };
  const thrown = { at: at(2), fn: 'fn', name: 'Throttled' };
  expect(judged([[1, 1]], { lines: [own, thrown] }).lastError).toEqual({
    at: at(2),
    message: 'publish failed',
    name: 'Throttled',
    text: 'Rate exceeded',
  });
  const later = { ...thrown, at: at(3) };
  expect(judged([[1, 1]], { lines: [own, later] }).lastError).toEqual({ at: at(3), name: 'Throttled' });
});

describe('lines of a log about errors', () => {
  const parsed = (line: object | string) =>
    parseErrorLine({
      text: typeof line === 'string' ? line : JSON.stringify(line),
      fn: 'shop-dev-Halls-OnBooking',
      at: at(0),
    }).map(({ at: _, fn, ...line }) => {
      expect(fn).toBe('shop-dev-Halls-OnBooking');
      return line;
    });

  test.each<[string, object | string, readonly object[]]>([
    [
      'what the kit logs of an error',
      {
        level: 'ERROR',
        message: 'publish failed',
        name: 'ThrottlingException',
        text: 'Rate',
        stack: ['at a (b.js:1:1)'],
      },
      [{ message: 'publish failed', name: 'ThrottlingException', text: 'Rate', frame: 'at a (b.js:1:1)' }],
    ],
    [
      'a message that is put off',
      { level: 'WARN', message: 'retrying', name: 'Conflict', stack: [] },
      [{ message: 'retrying', name: 'Conflict' }],
    ],
    ['another warning', { level: 'WARN', message: 'a lease was not renewed', name: 'Conflict' }, []],
    ['a line that only names an error', { level: 'INFO', message: 'applied', name: 'ERROR' }, []],
    [
      'an exit',
      { type: 'platform.report', record: { status: 'error', errorType: 'Runtime.ExitError' } },
      [{ name: 'Runtime.ExitError' }],
    ],
    ['a timeout', { type: 'platform.report', record: { status: 'timeout' } }, [{ name: 'timeout' }]],
    ['a call that ended well', { type: 'platform.report', record: { status: 'success' } }, []],
    [
      'an uncaught error, whose text may be about a person',
      { level: 'ERROR', message: { errorType: 'TypeError', errorMessage: 'alice', stackTrace: ['at a (b.js:1:1)'] } },
      [{ name: 'TypeError', frame: 'at a (b.js:1:1)' }],
    ],
    [
      'the same in a log of texts',
      'Invoke Error \t{"errorType":"TypeError","errorMessage":"alice","stack":["TypeError: alice","    at a (b.js:1:1)"]}',
      [{ name: 'TypeError', frame: 'at a (b.js:1:1)' }],
    ],
    ['a line that was cut off', '{"level":"ERROR","message":"pub', []],
  ])('%s', (_, line, expected) => expect(parsed(line)).toEqual(expected));

  test('the words for what is tried again are those of the kit', () => {
    for (const message of RETRY_MESSAGES)
      expect(
        execFileSync('git', ['grep', '-lF', `'${message}'`, '--', 'packages/kit'], { encoding: 'utf8' }),
        message,
      ).toContain('.ts');
  });
});
