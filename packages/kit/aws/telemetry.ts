import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';

/** Structured log. The POWERTOOLS_* variables set its level, service name and sampling. */
export const logger = new Logger();

const metrics = new Metrics();

/**
 * Adds to a count of this invocation.
 * @param name as `metric-names.ts`, or the service's `metrics.ts`, declares it
 */
export const count = (name: string, by = 1): void => {
  metrics.addMetric(name, MetricUnit.Count, by);
};

/**
 * Counts one event and writes it to the log before this function returns.
 *
 * Use it for a metric that an alarm watches if a commit follows. A metric that is counted with the rest of the
 * invocation is lost if the function crashes after that commit: the redelivered message is then a duplicate and counts
 * nothing.
 */
export const countAtOnce = (name: string): void => {
  metrics.singleMetric().addMetric(name, MetricUnit.Count, 1);
};

/** Writes a gauge of one consumer to the log at once. @param unit of the value */
export const gauge = (name: string, value: number, consumer: string, unit: 'Count' | 'Seconds' = 'Count'): void => {
  const single = metrics.singleMetric();
  single.addDimension('consumer', consumer);
  single.addMetric(name, MetricUnit[unit], value);
};

/** Records a duration, in seconds. */
export const seconds = (name: string, value: number): void => {
  metrics.addMetric(name, MetricUnit.Seconds, value);
};

/**
 * Writes the metrics of this invocation to its log (EMF). Otherwise they would be reported with the next invocation.
 */
export const publishMetrics = (): void => {
  if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
};

/**
 * Describes an error for the log: names and stack frames only. Messages of libraries' errors can contain personal data.
 */
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
  /** Name of the error's `cause`. */
  readonly cause?: string;
  readonly stack: readonly string[];
};
