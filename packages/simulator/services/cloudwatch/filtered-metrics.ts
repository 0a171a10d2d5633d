import type { Assembly } from '../../assembly/assembly.js';
import type { LambdaFunction, LogLine } from '../lambda/model.js';
import { parseFilterPattern, readMember } from '../logs/filter-pattern.js';
import type { LoggedMetric, Sample } from './embedded-metrics.js';

/** Amazon CloudWatch Logs API Reference, "MetricTransformation". */
interface Transformation {
  readonly MetricNamespace: string;
  readonly MetricName: string;
  readonly MetricValue: string;
  readonly Dimensions?: readonly { readonly Key: string; readonly Value: string }[];
}

interface Logged {
  readonly assembly: Assembly;
  readonly functions: ReadonlyMap<string, LambdaFunction>;
  readonly log: readonly LogLine[];
}

/**
 * Returns the values of a metric that metric filters make of the lines of log groups, also of lines that functions wrote before the
 * question. Amazon CloudWatch Logs User Guide, "Creating metrics from log events using filters", "Publishing dimensions with metrics".
 */
export function filteredSamples({ assembly, functions, log }: Logged, metric: LoggedMetric): readonly Sample[] {
  return assembly.findByType('AWS::Logs::MetricFilter').flatMap(({ properties }) => {
    const transformations = (properties.MetricTransformations ?? []) as unknown as readonly Transformation[];
    const making = transformations.filter(
      ({ MetricNamespace, MetricName }) => MetricNamespace === metric.namespace && MetricName === metric.name,
    );
    if (making.length === 0) return [];
    const group = String(properties.LogGroupName);
    const writers = new Set([...functions.values()].filter((fn) => fn.logGroup === group).map(({ label }) => label));
    const fits = parseFilterPattern(String(properties.FilterPattern ?? ''));
    const lines = log.filter(({ fn, text }) => writers.has(fn) && fits(text));
    return making.flatMap((one) => lines.flatMap((line) => toSample(one, line, metric)));
  });
}

/** Returns the value that one line gives, unless it is about other dimensions or is no number. */
function toSample(
  { MetricValue, Dimensions = [] }: Transformation,
  { at, text }: LogLine,
  { dimensions }: LoggedMetric,
): readonly Sample[] {
  const has = ({ Name, Value }: LoggedMetric['dimensions'][number]): boolean =>
    Dimensions.some((own) => own.Key === Name && readValue(text, own.Value) === Value);
  if (dimensions.length !== Dimensions.length || !dimensions.every(has)) return [];
  const value = Number(readValue(text, MetricValue));
  return Number.isNaN(value) ? [] : [{ at, value }];
}

/** @param selector `$.name` for a member of the line; anything else is the value itself */
const readValue = (text: string, selector: string): unknown =>
  selector.startsWith('$.') ? readMember(text, selector.slice(2)) : selector;
