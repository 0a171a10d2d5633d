import { expect, test } from 'vitest';
import { addOutcomes, failed, type Report, readOutcome, slowest } from '../../tools/local/test-report.js';

const report: Report = {
  numPassedTests: 3,
  numFailedTests: 1,
  numPendingTests: 1,
  numTodoTests: 1,
  testResults: [
    {
      name: '/root/test/one.test.ts',
      status: 'failed',
      assertionResults: [
        { status: 'failed', fullName: 'fails', duration: 1200, failureMessages: ['Error: 1 is not 2\n    at here'] },
        { status: 'passed', fullName: 'passes', duration: 3400 },
      ],
    },
  ],
};

test('adds up passed, failed and skipped tests', () => {
  const outcome = readOutcome(report, '/root');
  expect(addOutcomes([outcome, outcome]).count).toEqual({ passed: 6, failed: 2, skipped: 4 });
});

test('counts a file that did not load as a failure', () => {
  const notLoaded = {
    name: '/root/test/two.test.ts',
    status: 'failed',
    message: 'no such module',
    assertionResults: [],
  };
  const outcome = readOutcome({ ...report, testResults: [notLoaded] }, '/root');
  expect(outcome.count.failed).toBe(2);
  expect(outcome.failures).toEqual(['test/two.test.ts\n    no such module']);
});

test('lists failures with file and reason at the end of the output', () => {
  expect(addOutcomes([readOutcome(report, '/root'), failed('lint')]).failures).toEqual([
    'test/one.test.ts: fails\n    Error: 1 is not 2\n        at here',
    'lint: see its own output above',
  ]);
});

test('lists the slowest tests first, with their file', () => {
  expect(slowest(readOutcome(report, '/root').times)).toBe(
    '     3.4 s  test/one.test.ts: passes\n     1.2 s  test/one.test.ts: fails',
  );
});

test('lists only ten of many tests', () => {
  const times = Array.from({ length: 30 }, (_, seconds) => ({ seconds, test: String(seconds) }));
  expect(slowest(times).split('\n')).toHaveLength(10);
});
