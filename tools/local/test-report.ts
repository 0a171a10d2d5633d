import { relative } from 'node:path';

/** Part of vitest's JSON report that is read. */
export interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    /** Path of the file. */
    readonly name: string;
    readonly status: string;
    /** Reason why a file did not load. */
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      /** Duration in milliseconds. */
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

/** Result of a run. */
export interface Outcome {
  readonly count: Count;
  readonly times: readonly Timed[];
  /** Failures, each with file, test and reason. */
  readonly failures: readonly string[];
}

export const NOTHING: Outcome = { count: { passed: 0, failed: 0, skipped: 0 }, times: [], failures: [] };
/**
 * Returns the outcome of a step that failed as a whole.
 * @param what name of the step, for the list of failures
 */
export const failed = (what: string): Outcome => ({
  ...NOTHING,
  count: { ...NOTHING.count, failed: 1 },
  failures: [`${what}: see its own output above`],
});
export const SKIPPED: Outcome = { ...NOTHING, count: { ...NOTHING.count, skipped: 1 } };

/** Reads a report. A file that did not load counts as one failure. */
export function readOutcome(report: Report, root: string): Outcome {
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

/** Shortens a reason. The complete one is far above, in the output of everything that ran at the same time. */
const firstLines = (text: string): string =>
  text
    .split('\n')
    .slice(0, REASON_LINES)
    .map((line) => `    ${line}`)
    .join('\n');

/** Adds up outcomes. */
export function addOutcomes(outcomes: readonly Outcome[]): Outcome {
  const total = (of: keyof Count): number => outcomes.reduce((all, { count }) => all + count[of], 0);
  return {
    count: { passed: total('passed'), failed: total('failed'), skipped: total('skipped') },
    times: outcomes.flatMap(({ times }) => times),
    failures: outcomes.flatMap(({ failures }) => failures),
  };
}

const SHOWN = 10;
const WIDTH = 130;

/** Lists the slowest tests, one per line. */
export const slowest = (times: readonly Timed[]): string =>
  times
    .toSorted((one, other) => other.seconds - one.seconds)
    .slice(0, SHOWN)
    .map(({ seconds, test }) => `  ${seconds.toFixed(1).padStart(6)} s  ${test.slice(0, WIDTH)}`)
    .join('\n');
