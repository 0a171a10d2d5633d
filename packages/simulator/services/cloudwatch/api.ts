import type { Assembly, Resource } from '../../assembly/assembly.js';
import type { AccountAndRegion } from '../../assembly/identity.js';
import type { EventLoop } from '../../engine/event-loop.js';
import { type Operations, paginate, toSeconds } from '../../wire/operation.js';
import type { EventSource } from '../lambda/event-source.js';
import type { LambdaFunction, LogLine } from '../lambda/model.js';
import { StreamMapping } from '../lambda/stream-mapping.js';
import type { Queue } from '../sqs/model.js';
import { embeddedSamples, type Sample } from './embedded-metrics.js';
import { filteredSamples } from './filtered-metrics.js';

/** Parts of an account that its alarms and metrics need. */
interface Account {
  readonly deployment: { readonly assembly: Assembly };
  readonly world: EventLoop;
  readonly queues: ReadonlyMap<string, Queue>;
  readonly functions: ReadonlyMap<string, LambdaFunction>;
  readonly sources: readonly EventSource[];
  readonly log: readonly LogLine[];
}

/** Metric of a query. Amazon CloudWatch API Reference, "MetricStat". */
interface MetricStat {
  readonly Metric: {
    readonly Namespace?: string;
    readonly MetricName?: string;
    readonly Dimensions?: readonly { readonly Name: string; readonly Value: string }[];
  };
  readonly Period: number;
  readonly Stat?: string;
}

interface MetricDataQuery {
  readonly Id: string;
  readonly Label?: string;
  readonly MetricStat?: MetricStat;
}

const MINUTE = 60_000;
const PAGE = 50;
const STATE = 'INSUFFICIENT_DATA';

/** Alarms and metrics. Amazon CloudWatch API Reference, "Actions". */
export const cloudwatchApi = (account: Account): Operations => ({ ...alarms(account), ...metrics(account) });

/**
 * Alarms of the templates. Amazon CloudWatch API Reference, "DescribeAlarms". There are no metrics here, so no alarm
 * ever has the data that it needs.
 */
function alarms({ deployment: { assembly } }: Account): Operations {
  const list = (kind: AlarmType) =>
    assembly
      .findByType(`AWS::CloudWatch::${kind === 'MetricAlarm' ? 'Alarm' : kind}`)
      .map((alarm) => ({ kind, ...described(alarm, assembly.home) }));
  const all = [...list('MetricAlarm'), ...list('CompositeAlarm')];
  return {
    DescribeAlarms: ({
      AlarmNames,
      AlarmNamePrefix = '',
      AlarmTypes = ['MetricAlarm'],
      StateValue = STATE,
      NextToken,
      MaxRecords = PAGE,
    }) => {
      const found = all.filter(
        ({ kind, AlarmName }) =>
          StateValue === STATE &&
          (AlarmTypes as readonly string[]).includes(kind) &&
          AlarmName.startsWith(String(AlarmNamePrefix)) &&
          (AlarmNames === undefined || (AlarmNames as readonly string[]).includes(AlarmName)),
      );
      const { page, next } = paginate(found, NextToken, Number(MaxRecords));
      const ofKind = (wanted: AlarmType) =>
        page.filter(({ kind }) => kind === wanted).map(({ kind: _, ...alarm }) => alarm);
      const alarms = { MetricAlarms: ofKind('MetricAlarm'), CompositeAlarms: ofKind('CompositeAlarm') };
      return { ...alarms, ...(next !== undefined && { NextToken: next }) };
    },
  };
}

type AlarmType = 'MetricAlarm' | 'CompositeAlarm';

function described({ ref, properties: { AlarmName = ref, Tags, ...properties } }: Resource, home: AccountAndRegion) {
  const name = String(AlarmName);
  return {
    AlarmName: name,
    AlarmArn: home.arn('cloudwatch', `alarm:${name}`),
    ActionsEnabled: true,
    StateValue: STATE,
    StateReason: 'Unchecked: Initial alarm creation',
    ...properties,
  };
}

/**
 * Metrics of AWS that the models know. Amazon CloudWatch API Reference, "GetMetricData". A queue's and a stream's metric is
 * its value at this moment: no history of it is kept. A metric of an application is what its functions have logged in the embedded
 * metric format, or what a metric filter makes of their lines, as far back as the account remembers its log. Everything else has no data, as a metric that nobody has sent.
 */
function metrics(cloud: Account): Operations {
  return {
    GetMetricData: ({ MetricDataQueries = [], StartTime, EndTime }) => {
      const [from, to] = [parseTime(StartTime, 0), parseTime(EndTime, Number.POSITIVE_INFINITY)];
      return {
        MetricDataResults: (MetricDataQueries as readonly MetricDataQuery[]).map(({ Id, Label, MetricStat: stat }) => {
          const samples = stat ? collectSamples(cloud, stat).filter(({ at }) => at + MINUTE > from && at < to) : [];
          const values = inPeriods(samples, (stat?.Period ?? 60) * 1000, isSum(stat));
          return {
            Id,
            Label: Label ?? stat?.Metric.MetricName ?? Id,
            Timestamps: values.map(({ at }) => toSeconds(at)),
            Values: values.map(({ value }) => value),
            StatusCode: 'Complete',
          };
        }),
        Messages: [],
      };
    },
  };
}

/** @param time seconds since 1970, as JSON has it, or ISO 8601, as Query has it */
function parseTime(time: unknown, otherwise: number): number {
  if (time === undefined) return otherwise;
  return typeof time === 'number' ? time * 1000 : new Date(String(time)).getTime();
}

/** Whether values are added up. Calls of a function always are, whatever statistic is asked for: each has the value 1. */
const isSum = (stat: MetricStat | undefined): boolean =>
  stat?.Metric.Namespace === 'AWS/Lambda'
    ? stat.Metric.MetricName === 'Invocations' || stat.Metric.MetricName === 'Errors'
    : stat?.Stat === 'Sum' && stat.Metric.Namespace !== 'AWS/SQS';

/** Returns one value for each period, newest first: the sum of its samples, or else the highest one. */
function inPeriods(samples: readonly Sample[], period: number, adds: boolean): readonly Sample[] {
  const values = new Map<number, number>();
  for (const { at, value } of samples) {
    const begins = Math.floor(at / period) * period;
    const before = values.get(begins);
    if (before === undefined) values.set(begins, value);
    else values.set(begins, adds ? before + value : Math.max(before, value));
  }
  return [...values].map(([at, value]) => ({ at, value })).toSorted((one, other) => other.at - one.at);
}

function collectSamples(cloud: Account, { Metric }: MetricStat): readonly Sample[] {
  const { Namespace, MetricName, Dimensions = [] } = Metric;
  if (Namespace !== undefined && !Namespace.startsWith('AWS/')) {
    const metric = { namespace: Namespace, name: MetricName ?? '', dimensions: Dimensions };
    const filtered = filteredSamples({ ...cloud, assembly: cloud.deployment.assembly }, metric);
    return [...embeddedSamples(cloud.log, metric), ...filtered];
  }
  const [dimension, ...others] = Dimensions;
  if (Namespace === 'AWS/Lambda' && Dimensions.length === 0) {
    return [...cloud.functions.values()].flatMap((fn) => callsOf(fn, MetricName) ?? []);
  }
  if (!dimension || others.length > 0) return [];
  const at = Math.floor(cloud.world.now / MINUTE) * MINUTE;
  const now = (value: number | undefined): readonly Sample[] => (value === undefined ? [] : [{ at, value }]);
  if (Namespace === 'AWS/SQS' && dimension.Name === 'QueueName') {
    const queue = [...cloud.queues.values()].find(({ name }) => name === dimension.Value);
    return queue ? now(valueOfQueue(cloud, queue, MetricName)) : [];
  }
  if (Namespace === 'AWS/Lambda' && dimension.Name === 'FunctionName') {
    const fn = [...cloud.functions.values()].find(({ resource }) => resource.ref === dimension.Value);
    if (!fn) return [];
    const calls = callsOf(fn, MetricName);
    if (calls) return calls;
    if (MetricName === 'IteratorAge') return now(iteratorAge(cloud, fn.resource.ref));
  }
  return [];
}

/**
 * Calls of a function by the minute. Without a dimension, the metric is that of all functions of the account (AWS Lambda Developer
 * Guide, "Viewing metrics for Lambda functions", dimension "Across All Functions").
 */
function callsOf({ invokedAt, failedAt }: LambdaFunction, name: string | undefined): readonly Sample[] | undefined {
  if (name === 'Invocations') return [...invokedAt].map(([at, value]) => ({ at, value }));
  // A minute with calls has a value, also if none of them failed.
  return name === 'Errors' ? [...invokedAt.keys()].map((at) => ({ at, value: failedAt.get(at) ?? 0 })) : undefined;
}

/** Amazon SQS Developer Guide, "Available CloudWatch metrics for Amazon SQS". The age is in seconds. */
function valueOfQueue({ world }: Account, queue: Queue, name: string | undefined): number | undefined {
  const { visible, inFlight, delayed } = queue.counts;
  switch (name) {
    case 'ApproximateAgeOfOldestMessage':
      return Math.max(0, ...queue.listMessages().map(({ sentAt }) => Math.floor(toSeconds(world.now - sentAt))));
    case 'ApproximateNumberOfMessagesVisible':
      return visible;
    case 'ApproximateNumberOfMessagesNotVisible':
      return inFlight;
    case 'ApproximateNumberOfMessagesDelayed':
      return delayed;
    default:
      return undefined;
  }
}

/** Age of the oldest record of a stream that a function has not worked off, in milliseconds. */
function iteratorAge({ sources }: Account, fn: string): number | undefined {
  const ages = sources.flatMap((source) =>
    source instanceof StreamMapping && source.fn.resource.ref === fn ? [source.iteratorAge] : [],
  );
  return ages.length === 0 ? undefined : Math.max(...ages);
}
