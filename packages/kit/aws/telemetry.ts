import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';

/** Structured logs; level, service name and sampling come from the POWERTOOLS_* variables. */
export const logger = new Logger();

const metrics = new Metrics();

/** Adds to a count of this invocation. @param name as `metric-names.ts`, or the service's `metrics.ts`, declares it */
export const count = (name: string, by = 1): void => {
  metrics.addMetric(name, MetricUnit.Count, by);
};

/**
 * Counts one, in the log before this returns: for what an alarm waits for and a commit follows. Counted with the rest of
 * the invocation, it would be lost by a crash after that commit, and what is redelivered then is a duplicate.
 */
export const countAtOnce = (name: string): void => {
  metrics.singleMetric().addMetric(name, MetricUnit.Count, 1);
};

/** Notes one length of time, in seconds. */
export const seconds = (name: string, value: number): void => {
  metrics.addMetric(name, MetricUnit.Seconds, value);
};

/** Writes the metrics of this invocation into its log (EMF); without it they would slip into the next one's. */
export const publishMetrics = (): void => {
  if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
};

/** What an error may say in a log: names and places. Messages of errors that aren't ours can hold people's data. */
export const describeError = (error: unknown): ErrorDescription => ({
  name: error instanceof Error ? error.name : typeof error,
  ...(error instanceof Error && error.cause !== undefined ? { cause: describeError(error.cause).name } : {}),
  stack:
    error instanceof Error
      ? (error.stack ?? '')
          .split('\n')
          .filter((line) => line.startsWith('    at '))
          .map((line) => line.trim())
      : [],
});

export type ErrorDescription = {
  readonly name: string;
  /** Name of the error behind it. */
  readonly cause?: string;
  readonly stack: readonly string[];
};
