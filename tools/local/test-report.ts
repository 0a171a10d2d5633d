import { relative } from 'node:path';

/** As much as is read of vitest's JSON report. */
export interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    /** Path of the file. */
    readonly name: string;
    readonly status: string;
    /** Says why a file did not load. */
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      /** Milliseconds. */
      readonly duration?: number | null;
      readonly failureMessages?: readonly string[] | null;
    }[];
  }[];
}

export interface Count {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface Timed {
  readonly seconds: number;
  readonly test: string;
}

/** What a run came to. */
export interface Outcome {
  readonly count: Count;
  readonly times: readonly Timed[];
  /** What failed: file, test and reason. */
  readonly failures: readonly string[];
}

export const NOTHING: Outcome = { count: { passed: 0, failed: 0, skipped: 0 }, times: [], failures: [] };
/** A step that failed as a whole. @param what its name, for the list of failures */
export const failed = (what: string): Outcome => ({
  ...NOTHING,
  count: { ...NOTHING.count, failed: 1 },
  failures: [`${what}: see its own output above`],
});
export const SKIPPED: Outcome = { ...NOTHING, count: { ...NOTHING.count, skipped: 1 } };

/** Reads a report. A file that did not even load counts as one failure. */
export function outcomeOf(report: Report, root: string): Outcome {
  const notLoaded = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((one) => one.status === 'failed'),
  );
  return {
    count: {
      passed: report.numPassedTests,
      failed: report.numFailedTests + notLoaded.length,
      skipped: report.numPendingTests + report.numTodoTests,
    },
    times: report.testResults.flatMap(({ name, assertionResults }) =>
      assertionResults.map(({ duration, fullName }) => ({
        seconds: (duration ?? 0) / 1000,
        test: `${relative(root, name)}: ${fullName}`,
      })),
    ),
    failures: [
      ...notLoaded.map(({ name, message = '' }) => `${relative(root, name)}\n${firstLines(message)}`),
      ...report.testResults.flatMap(({ name, assertionResults }) =>
        assertionResults
          .filter(({ status }) => status === 'failed')
          .map(
            ({ fullName, failureMessages }) =>
              `${relative(root, name)}: ${fullName}\n${firstLines(failureMessages?.join('\n') ?? '')}`,
          ),
      ),
    ],
  };
}

const REASON_LINES = 12;

/** The whole reason stands far above, among everything that ran at the same time. */
const firstLines = (text: string): string =>
  text
    .split('\n')
    .slice(0, REASON_LINES)
    .map((line) => `    ${line}`)
    .join('\n');

/** Adds outcomes up. */
export function sum(outcomes: readonly Outcome[]): Outcome {
  const total = (of: keyof Count): number => outcomes.reduce((all, { count }) => all + count[of], 0);
  return {
    count: { passed: total('passed'), failed: total('failed'), skipped: total('skipped') },
    times: outcomes.flatMap(({ times }) => times),
    failures: outcomes.flatMap(({ failures }) => failures),
  };
}

const SHOWN = 10;
const WIDTH = 130;

/** Names the slowest tests, a line each. */
export const slowest = (times: readonly Timed[]): string =>
  times
    .toSorted((one, other) => other.seconds - one.seconds)
    .slice(0, SHOWN)
    .map(({ seconds, test }) => `  ${seconds.toFixed(1).padStart(6)} s  ${test.slice(0, WIDTH)}`)
    .join('\n');
