import { LogFormatter, Logger, LogItem } from '@aws-lambda-powertools/logger';
import type { LogAttributes, UnformattedAttributes } from '@aws-lambda-powertools/logger/types';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { toFailureText } from './failure-texts.js';
import { dropRandomBytes } from './ids.js';

/**
 * Formats a line with what differs between lines. The context of Lambda (name, memory, cold start), which Powertools writes, is the
 * same in all lines of a log stream; Lambda needs `level` and `timestamp` for its filter ("Log-level filtering").
 */
class LineFormatter extends LogFormatter {
  formatAttributes(attributes: UnformattedAttributes, additional: LogAttributes): LogItem {
    const { logLevel: level, message, timestamp, serviceName: service } = attributes;
    const own = { level, message, timestamp: this.formatTimestamp(timestamp), service };
    return new LogItem({ attributes: own }).addAttributes(additional);
  }
}

/** Structured log. The POWERTOOLS_* variables set its level and service name. */
export const logger = new Logger({ logFormatter: new LineFormatter() });

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
export const countImmediately = (name: string): void => {
  metrics.singleMetric().addMetric(name, MetricUnit.Count, 1);
};

/** Writes a gauge of one consumer to the log at once. @param unit of the value */
export const recordGauge = (
  name: string,
  value: number,
  consumer: string,
  unit: 'Count' | 'Seconds' = 'Count',
): void => {
  const single = metrics.singleMetric();
  single.addDimension('consumer', consumer);
  single.addMetric(name, MetricUnit[unit], value);
};

/** Records a duration, in seconds. */
export const recordSeconds = (name: string, value: number): void => {
  metrics.addMetric(name, MetricUnit.Seconds, value);
};

/**
 * Logs what became of a request or of a message, with the metrics that were counted since the last line (EMF) in the same line.
 *
 * CloudWatch finds metrics in any JSON line with `_aws`, and leaves its other members to the log ("Embedding metrics within logs").
 * The line has the dimension anyway: `service`. Lines at INFO are always written, since a setting can only add those at DEBUG.
 */
export const logOutcome = (outcome: string, fields: Readonly<Record<string, unknown>> = {}): void => {
  logger.info(outcome, { ...fields, ...takeMetrics() });
};

/** Takes the metrics that were counted and not yet written, in embedded metric format without its dimension. */
function takeMetrics(): Readonly<Record<string, unknown>> {
  if (!metrics.hasStoredMetrics() || process.env.POWERTOOLS_METRICS_DISABLED === 'true') return {};
  const { service: _, ...taken } = metrics.serializeMetrics();
  metrics.clearMetrics();
  return taken;
}

/**
 * Ends an invocation: writes the metrics that no line has to its log (EMF), which would be reported with the next invocation otherwise, and drops the
 * random bytes that are left.
 */
export const publishMetrics = (): void => {
  dropRandomBytes();
  if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
};

/**
 * Describes an error for the log: its name, its stack frames, and of its text what may be shown (`failure-texts.ts`). Other
 * texts can contain personal data.
 */
export function describeError(error: unknown): ErrorDescription {
  const { shown } = toFailureText(error);
  return {
    name: nameOf(error),
    ...(shown === '' ? {} : { text: shown }),
    ...(error instanceof Error && error.cause !== undefined ? { cause: nameOf(error.cause) } : {}),
    stack: error instanceof Error ? extractFrames(error) : [],
  };
}

/**
 * Logs an error that ends the invocation, and returns the one to throw in its place. Lambda writes the whole text of what a
 * function throws into the log, and answers its caller with it.
 * @example
 * throw logAndSanitize('a sweep was not finished', error);
 */
export function logAndSanitize(message: string, error: unknown, fields: Readonly<Record<string, unknown>> = {}): Error {
  const described = describeError(error);
  logger.error(message, { ...fields, ...described });
  const { name, text = '', stack } = described;
  const shown = new Error(text);
  shown.stack = [`${name}: ${text}`, ...stack.map((frame) => `    ${frame}`)].join('\n');
  return Object.assign(shown, { name });
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);

/** Line of a stack that V8 writes ("Stack trace API"). */
const FRAME = /^ {4}at .*(?::\d+:\d+\)?|<anonymous>\)?|\(index \d+\)|native\)?)$/;

/** Returns the stack frames of an error. Before them, its stack has its message, whose lines may look like frames. */
function extractFrames({ message, stack = '' }: Error): readonly string[] {
  const at = stack.indexOf(message);
  return stack
    .slice(at < 0 ? 0 : at + message.length)
    .split('\n')
    .filter((line) => FRAME.test(line))
    .map((line) => line.trim());
}

export type ErrorDescription = {
  readonly name: string;
  /** Its code, and the texts that may be shown. Absent if there are none. */
  readonly text?: string;
  /** Name of the error's `cause`. */
  readonly cause?: string;
  readonly stack: readonly string[];
};
