import type { LogLine } from '../lambda/model.js';

/** Value of a metric at `at`, in milliseconds since 1970: of the minute that begins then, or of one line of a log. */
export interface Sample {
  readonly at: number;
  readonly value: number;
}

/** A metric that is made of an application's log, as a query names it. */
export interface LoggedMetric {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: readonly { readonly Name: string; readonly Value: string }[];
}

/** Line in the embedded metric format. Amazon CloudWatch User Guide, "Specification: Embedded metric format". */
interface EmbeddedLine {
  readonly _aws: {
    readonly Timestamp: number;
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string }[];
    }[];
  };
  readonly [member: string]: unknown;
}

/**
 * Returns the values of a metric that functions have logged. A metric is its namespace, its name and exactly its dimensions: a
 * set of dimensions of which a query names only some is another metric.
 */
export const embeddedSamples = (log: readonly LogLine[], metric: LoggedMetric): readonly Sample[] =>
  log.flatMap(({ text }) => {
    if (!text.includes('"_aws"') || !text.includes(`"${metric.name}"`)) return [];
    const line = parseLine(text);
    if (!line?._aws.CloudWatchMetrics.some((directive) => declares(directive, line, metric))) return [];
    const values = [line[metric.name]].flat().filter((value): value is number => typeof value === 'number');
    return values.map((value) => ({ at: line._aws.Timestamp, value }));
  });

function parseLine(text: string): EmbeddedLine | undefined {
  try {
    return JSON.parse(text) as EmbeddedLine;
  } catch {
    return undefined; // a line that was cut off, or one that only quotes the format
  }
}

const declares = (
  { Namespace, Dimensions, Metrics }: EmbeddedLine['_aws']['CloudWatchMetrics'][number],
  line: EmbeddedLine,
  { namespace, name, dimensions }: LoggedMetric,
): boolean =>
  Namespace === namespace &&
  Metrics.some((one) => one.Name === name) &&
  Dimensions.some(
    (set) =>
      set.length === dimensions.length &&
      dimensions.every(({ Name, Value }) => set.includes(Name) && line[Name] === Value),
  );
