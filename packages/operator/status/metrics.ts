import {
  type CloudWatchClient,
  type Dimension,
  GetMetricDataCommand,
  type MetricDataQuery,
  paginateDescribeAlarms,
} from '@aws-sdk/client-cloudwatch';

/** Metrics that a status reads, each of one queue or function. */
export interface MetricsRequest {
  /** Names of queues whose oldest messages are asked for. */
  readonly queues: readonly string[];
  /** Names of functions that read a stream. */
  readonly relays: readonly string[];
  /** Names of functions that a schedule invokes. */
  readonly sweepers: readonly string[];
}

/** Newest reading of a relay, by its metric. */
export interface RelayReading {
  /** Minute of the metric, ISO 8601. */
  readonly minute: string;
  /** Largest age of the records that it read in that minute, in seconds. */
  readonly lagSeconds: number;
}

/** The newest value of each metric, by the name of its queue or function; absent if there is none. */
export interface ReadMetrics {
  /** Age of the oldest message, in seconds. */
  readonly oldest: ReadonlyMap<string, number>;
  /** Readings of the relays, by function. */
  readonly lag: ReadonlyMap<string, RelayReading>;
  /** Minute of the newest invocation, ISO 8601. */
  readonly tick: ReadonlyMap<string, string>;
}

/** Limit of GetMetricData. */
const MAX_QUERIES = 500;
/** Period of the metrics, in seconds. */
export const PERIOD = 60;
/** Time that is looked back: CloudWatch has a minute's values a few minutes later. */
export const LOOKBACK_SECONDS = 900;

type Kind = keyof ReadMetrics;
const KINDS: Readonly<Record<Kind, { namespace: string; metric: string; dimension: string; stat: string }>> = {
  oldest: {
    namespace: 'AWS/SQS',
    metric: 'ApproximateAgeOfOldestMessage',
    dimension: 'QueueName',
    stat: 'Maximum',
  },
  lag: { namespace: 'AWS/Lambda', metric: 'IteratorAge', dimension: 'FunctionName', stat: 'Maximum' },
  tick: { namespace: 'AWS/Lambda', metric: 'Invocations', dimension: 'FunctionName', stat: 'Sum' },
};

/**
 * Reads the newest values of the last 15 minutes. A call costs a hundredth of a cent for ten metrics.
 * @param now ISO 8601
 */
export async function readMetrics(client: CloudWatchClient, asked: MetricsRequest, now: string): Promise<ReadMetrics> {
  const wanted = [
    ...asked.queues.map((name) => ({ kind: 'oldest' as const, name })),
    ...asked.relays.map((name) => ({ kind: 'lag' as const, name })),
    ...asked.sweepers.map((name) => ({ kind: 'tick' as const, name })),
  ];
  const found = {
    oldest: new Map<string, number>(),
    lag: new Map<string, RelayReading>(),
    tick: new Map<string, string>(),
  };
  const end = Date.parse(now);
  for (let from = 0; from < wanted.length; from += MAX_QUERIES) {
    const part = wanted.slice(from, from + MAX_QUERIES);
    const { MetricDataResults = [] } = await client.send(
      new GetMetricDataCommand({
        StartTime: new Date(end - LOOKBACK_SECONDS * 1000),
        EndTime: new Date(end + PERIOD * 1000),
        ScanBy: 'TimestampDescending',
        MetricDataQueries: part.map(({ kind, name }, at) => buildQuery(kind, name, `m${at}`)),
      }),
    );
    for (const { Id = '', Values = [], Timestamps = [] } of MetricDataResults) {
      const one = part[Number(Id.slice(1))];
      // A minute in which a function was not invoked has no value, or zero.
      const place = one?.kind === 'tick' ? Values.findIndex((value) => value > 0) : 0;
      const [value, time] = [Values[place], Timestamps[place]];
      if (!one || value === undefined || time === undefined) continue;
      const minute = time.toISOString();
      if (one.kind === 'tick') found.tick.set(one.name, minute);
      else if (one.kind === 'lag') found.lag.set(one.name, { minute, lagSeconds: value / 1000 });
      else found.oldest.set(one.name, value);
    }
  }
  return found;
}

function buildQuery(kind: Kind, name: string, id: string): MetricDataQuery {
  const { namespace, metric, dimension, stat } = KINDS[kind];
  const Dimensions: Dimension[] = [{ Name: dimension, Value: name }];
  return {
    Id: id,
    MetricStat: { Metric: { Namespace: namespace, MetricName: metric, Dimensions }, Period: PERIOD, Stat: stat },
  };
}

/** An alarm that is on. */
export interface ActiveAlarm {
  readonly name: string;
  /** First word of its description, which is its heading in the runbook: `RelayBehind`. */
  readonly heading: string;
  readonly description: string;
  /** `page`: it needs somebody at once. `ticket`: it waits for working hours. Absent if its description names none. */
  readonly severity?: 'page' | 'ticket';
  /** Parts whose metrics have raised it, such as the functions that fail. */
  readonly parts?: readonly string[];
  /** Time at which it went on, ISO 8601. */
  readonly since?: string;
}

export interface Alarms {
  readonly total: number;
  readonly active: readonly ActiveAlarm[];
}

/** An alarm as CloudWatch describes it. */
export interface DescribedAlarm {
  readonly AlarmName?: string | undefined;
  readonly AlarmDescription?: string | undefined;
  readonly StateValue?: string | undefined;
  readonly StateUpdatedTimestamp?: Date | undefined;
  readonly ActionsEnabled?: boolean | undefined;
  readonly AlarmActions?: readonly string[] | undefined;
  readonly Threshold?: number | undefined;
  readonly Metrics?: readonly MetricDataQuery[] | undefined;
}

/** Reads all alarms of some stacks. @param prefix of the stacks' names @param stacks last parts of their names */
export async function describeAlarms(
  client: CloudWatchClient,
  { prefix, stacks }: { readonly prefix: string; readonly stacks: readonly string[] },
): Promise<readonly DescribedAlarm[]> {
  const all: DescribedAlarm[] = [];
  const asked = { AlarmNamePrefix: prefix, AlarmTypes: ['MetricAlarm' as const, 'CompositeAlarm' as const] };
  for await (const { MetricAlarms = [], CompositeAlarms = [] } of paginateDescribeAlarms({ client }, asked)) {
    all.push(...[...MetricAlarms, ...CompositeAlarms].filter(({ AlarmName = '' }) => belongsToStacks(AlarmName)));
  }
  return all;

  function belongsToStacks(name: string): boolean {
    const [stack = ''] = name.slice(prefix.length).split('-');
    return name.startsWith(prefix) && stacks.includes(stack);
  }
}

function severityOf(description: string): Pick<ActiveAlarm, 'severity'> {
  const [, severity] = / Severity: (page|ticket)\./.exec(description) ?? [];
  return severity === 'page' || severity === 'ticket' ? { severity } : {};
}

/** Returns which of the alarms are on, by name. */
export function toAlarms(described: readonly DescribedAlarm[]): Alarms {
  const active = described
    .filter(({ StateValue }) => StateValue === 'ALARM')
    .map(({ AlarmName: name = '', AlarmDescription: description = '', StateUpdatedTimestamp: since }) => ({
      name,
      heading: /^\w+(?=:)/.exec(description)?.[0] ?? name,
      description,
      ...severityOf(description),
      ...(since && { since: since.toISOString() }),
    }))
    .toSorted((one, other) => one.name.localeCompare(other.name));
  return { total: described.length, active };
}
