import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  computeExpiry,
  type DedupeWindow,
  findOutlivedWindow,
  smallestWindow,
  windowAt,
} from '../../../packages/kit/aws/dedupe-window.js';
import { Env } from '../../../packages/kit/aws/environment.js';
import { readDedupeWindow } from '../../../packages/kit/aws/read-environment.js';
import { findTooOld } from '../../../packages/kit/failures/failure-kinds.js';

const DAY = 86_400;
const day = (number: number): string => new Date(number * DAY * 1000).toISOString();
/** 35 days, from day 100 on 60, from day 200 on 40. */
const CHANGED: DedupeWindow = [
  { from: day(0), seconds: 35 * DAY },
  { from: day(100), seconds: 60 * DAY },
  { from: day(200), seconds: 40 * DAY },
];

describe('a deduplication window', () => {
  test('a window that never changed is a number of seconds', () => {
    expect(windowAt(35 * DAY, day(1))).toBe(35 * DAY);
    expect(smallestWindow(35 * DAY, { from: day(1), to: day(9) })).toBe(35 * DAY);
    expect(computeExpiry(35 * DAY, 10 * DAY)).toBe(45 * DAY);
  });

  test.each([
    [-1, 35],
    [99.99, 35],
    [100, 60],
    [199.99, 60],
    [200, 40],
    [900, 40],
  ])('a window on day %d has %d days, and a record of that day keeps them', (on, days) => {
    expect(windowAt(CHANGED, day(on))).toBe(days * DAY);
    expect(computeExpiry(CHANGED, on * DAY)).toBe((on + days) * DAY);
  });

  test.each([
    [90, 99, 35],
    [90, 100, 35],
    [100, 199, 60],
    [150, 200, 40],
    [90, 900, 35],
    [200, 900, 40],
    // A message from the future.
    [210, 190, 40],
  ])('a window from day %d to day %d is the smallest of those then in force, %d days', (from, to, days) => {
    expect(smallestWindow(CHANGED, { from: day(from), to: day(to) })).toBe(days * DAY);
  });

  test.each(['', '0', '-1', '1.5', '{}', '[]', '[{"from":"soon","seconds":1}]', '[{"from":"2026-01-01"}]'])(
    '%j is not a window',
    (value) => {
      vi.stubEnv(Env.DEDUPE_WINDOW_SECONDS, value);
      expect(readDedupeWindow).toThrow(/DEDUPE_WINDOW_SECONDS/);
    },
  );

  test('a window is read as it was set', () => {
    for (const window of [35 * DAY, CHANGED]) {
      vi.stubEnv(Env.DEDUPE_WINDOW_SECONDS, JSON.stringify(window));
      expect(readDedupeWindow()).toEqual(window);
    }
  });
  afterEach(() => void vi.unstubAllEnvs());
});

describe('the age gate', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const at = (number: number): void => void vi.setSystemTime(number * DAY * 1000);
  const passes = (time: number): boolean => findTooOld({ time: day(time) }, CHANGED) === undefined;

  test('counts from the first deployment of its consumer, for what is older than that', () => {
    const isRecognised = (time: number, now: number, since?: number): boolean =>
      findOutlivedWindow(35 * DAY, {
        time: day(time),
        now: day(now),
        since: since === undefined ? since : day(since),
      }) === undefined;
    expect(isRecognised(1, 400)).toBe(false);
    expect(isRecognised(1, 400, 400)).toBe(true);
    expect(isRecognised(1, 434, 400)).toBe(true);
    expect(isRecognised(1, 434.01, 400)).toBe(false);
    // What comes later counts from its own time.
    expect(isRecognised(420, 440, 400)).toBe(true);
    expect(isRecognised(420, 455, 400)).toBe(false);
  });

  test('stays where it was for messages from before a longer window', () => {
    at(133);
    expect(passes(99)).toBe(true);
    at(134);
    expect(passes(99)).toBe(false);
    // Records of the day of the change may still be of the shorter window.
    at(136);
    expect(passes(100.99)).toBe(false);
    expect(passes(101.01)).toBe(true);
    at(160);
    expect(passes(101.01)).toBe(true);
    at(161);
    expect(passes(101.01)).toBe(false);
  });

  test('closes at once with a shorter window', () => {
    at(199.9);
    expect(passes(150)).toBe(true);
    at(200);
    expect(passes(150)).toBe(false);
    expect(passes(161)).toBe(true);
  });

  test('says which window it took', () => {
    at(140);
    expect(findTooOld({ time: day(99) }, CHANGED)?.message).toBe(`${41 * DAY} s old, recognised for ${35 * DAY} s`);
  });

  /** Numbers from 0 to 1, the same in each run (mulberry32). */
  const numbers = (seed: number) => (): number => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };

  test('lets no message pass whose record may have expired, whatever was changed, by clocks that differ', () => {
    const next = numbers(7);
    const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
    let passed = 0;
    let closed = 0;
    for (let round = 0; round < 5_000; round++) {
      let from = 0;
      const window = Array.from({ length: between(1, 4) }, () => {
        from += between(1, 60 * DAY);
        return { from: new Date(from * 1000).toISOString(), seconds: between(23, 90) * DAY };
      });
      const time = between(0, 200 * DAY);
      // A function of the release before, or one whose clock is slow, takes the window of up to an hour ago.
      const written = time + between(0, next() < 0.5 ? 5 : 100 * DAY);
      const seenAs = written - between(0, 3_600);
      const expires = Math.max(written, time) + windowAt(window, new Date(seenAs * 1000).toISOString());
      const now = expires + between(-50 * DAY, 50 * DAY);
      if (now < written) continue;
      vi.setSystemTime(now * 1000);
      if (findTooOld({ time: new Date(time * 1000).toISOString() }, window)) closed++;
      else {
        passed++;
        if (now >= expires) expect.fail(JSON.stringify({ window, time, written, expires, now }));
      }
    }
    expect(passed).toBeGreaterThan(500);
    expect(closed).toBeGreaterThan(500);
  });
});
