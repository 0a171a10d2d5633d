import { expect, test } from 'vitest';
import { readExpression } from './schedule-expression.js';

/** Returns the next times of a schedule, from a moment on. */
function listTimes(expression: string, zone: string, from: string, most = 3): readonly string[] {
  const times = readExpression(expression, zone, Date.parse(from));
  const found: string[] = [];
  for (let at = times.next(Date.parse(from)); at !== undefined && found.length < most; at = times.next(at + 1))
    found.push(new Date(at).toISOString().slice(0, 16));
  return found;
}

test.each([
  ['rate(5 minutes)', 'UTC', '2026-01-05T00:00Z', ['2026-01-05T00:00', '2026-01-05T00:05', '2026-01-05T00:10']],
  ['at(2026-07-01T09:30:00)', 'UTC', '2026-01-05T00:00Z', ['2026-07-01T09:30']],
  ['at(2026-07-01T09:30:00)', 'Europe/Berlin', '2026-01-05T00:00Z', ['2026-07-01T07:30']],
  ['at(2025-07-01T09:30:00)', 'UTC', '2026-01-05T00:00Z', []],
  ['cron(15 10 * * ? *)', 'UTC', '2026-01-05T11:00Z', ['2026-01-06T10:15', '2026-01-07T10:15', '2026-01-08T10:15']],
  [
    'cron(0/30 8-9 ? * MON-FRI *)',
    'UTC',
    '2026-01-09T09:00Z',
    ['2026-01-09T09:00', '2026-01-09T09:30', '2026-01-12T08:00'],
  ],
  ['cron(0 0 L * ? *)', 'UTC', '2026-01-05T00:00Z', ['2026-01-31T00:00', '2026-02-28T00:00', '2026-03-31T00:00']],
  [
    'cron(0 12 1,15 JAN-FEB ? 2027)',
    'UTC',
    '2026-01-05T00:00Z',
    ['2027-01-01T12:00', '2027-01-15T12:00', '2027-02-01T12:00'],
  ],
  // Clocks in New York go forward at 2:00 on 8 March 2026, and back on 1 November.
  [
    'cron(30 2 * * ? *)',
    'America/New_York',
    '2026-03-07T00:00Z',
    ['2026-03-07T07:30', '2026-03-09T06:30', '2026-03-10T06:30'],
  ],
  [
    'cron(30 1 * * ? *)',
    'America/New_York',
    '2026-11-01T00:00Z',
    ['2026-11-01T05:30', '2026-11-02T06:30', '2026-11-03T06:30'],
  ],
])('%s in %s', (expression, zone, from, expected) => expect(listTimes(expression, zone, from)).toEqual(expected));

test.each([
  'rate(0 minutes)',
  'every(5 minutes)',
  'at(tomorrow)',
  'cron(0 12 * *)',
  'cron(0 12 ? * MON#1 *)',
  'cron(0 12 15W * ? *)',
])('%s is refused by its name', (expression) =>
  expect(() => readExpression(expression, 'UTC', 0)).toThrow(`the schedule ${expression}`),
);

test('a time zone that nobody knows is named', () =>
  expect(() => readExpression('at(2026-07-01T09:30:00)', 'Mars/Olympus', 0)).toThrow('the time zone Mars/Olympus'));
