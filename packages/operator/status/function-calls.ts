import { type CloudWatchClient, GetMetricDataCommand, type MetricDataQuery } from '@aws-sdk/client-cloudwatch';
import { PERIOD } from './metrics.js';

/** Calls of a function that began in one minute. */
export interface CallMinute {
  /** ISO 8601. */
  readonly minute: string;
  readonly calls: number;
  /** Those that ended with an error, a timeout or an exit. */
  readonly failed: number;
}

/** Time that is looked back, in seconds: CloudWatch has a minute's values up to three minutes later. */
export const CALLS_LOOKBACK_SECONDS = 600;

/** Limit of GetMetricData. */
const MAX_QUERIES = 500;

/** A metric whose values are added up by the minute. */
interface Counted {
  readonly namespace: string;
  readonly metric: string;
  /** @default the metric of all functions of the account */
  readonly dimension?: { readonly Name: string; readonly Value: string };
}

/**
 * Reads the calls of those functions of which some failed in the last ten minutes. One metric is asked for first, that of all functions of
 * the account: as long as nothing fails, that is all, since each metric has its price.
 * @param names physical names
 * @param now ISO 8601
 * @returns by name, the newest minute first
 */
export async function readFailedCalls(
  client: CloudWatchClient,
  names: readonly string[],
  now: string,
): Promise<ReadonlyMap<string, readonly CallMinute[]>> {
  const [anywhere] = await readCounts(client, [{ namespace: 'AWS/Lambda', metric: 'Errors' }], now);
  if (!isPositive(anywhere)) return new Map();
  const errors = await readCounts(client, names.map(metricOf('Errors')), now);
  return readCalls(
    client,
    names.filter((_, at) => isPositive(errors[at])),
    now,
  );
}

/** Reads the calls of some functions in the last ten minutes. @returns by name, the newest minute first */
export async function readCalls(
  client: CloudWatchClient,
  names: readonly string[],
  now: string,
): Promise<ReadonlyMap<string, readonly CallMinute[]>> {
  const counts = await readCounts(
    client,
    [...names.map(metricOf('Invocations')), ...names.map(metricOf('Errors'))],
    now,
  );
  return new Map(
    names.map((name, at) => {
      const failed = counts[names.length + at];
      const minutes = [...(counts[at] ?? [])]
        .filter(([, calls]) => calls > 0)
        .map(([minute, calls]) => ({ minute, calls, failed: failed?.get(minute) ?? 0 }));
      return [name, minutes.toSorted((one, other) => other.minute.localeCompare(one.minute))] as const;
    }),
  );
}

/** Returns which services have counted something in the last ten minutes. @param namespace of the application's metrics */
export async function findServicesThatCounted(
  client: CloudWatchClient,
  {
    namespace,
    metric,
    services,
  }: { readonly namespace: string; readonly metric: string; readonly services: readonly string[] },
  now: string,
): Promise<readonly string[]> {
  const asked = services.map((Value) => ({ namespace, metric, dimension: { Name: 'service', Value } }));
  const counts = await readCounts(client, asked, now);
  return services.filter((_, at) => isPositive(counts[at]));
}

const metricOf =
  (metric: string) =>
  (name: string): Counted => ({ namespace: 'AWS/Lambda', metric, dimension: { Name: 'FunctionName', Value: name } });

const isPositive = (counts: ReadonlyMap<string, number> | undefined): boolean =>
  [...(counts ?? [])].some(([, count]) => count > 0);

/** @returns for each metric its sums by the minute */
async function readCounts(
  client: CloudWatchClient,
  asked: readonly Counted[],
  now: string,
): Promise<readonly ReadonlyMap<string, number>[]> {
  const found: ReadonlyMap<string, number>[] = [];
  const end = Date.parse(now);
  for (let from = 0; from < asked.length; from += MAX_QUERIES) {
    const part = asked.slice(from, from + MAX_QUERIES);
    const { MetricDataResults = [] } = await client.send(
      new GetMetricDataCommand({
        StartTime: new Date(end - CALLS_LOOKBACK_SECONDS * 1000),
        EndTime: new Date(end + PERIOD * 1000),
        ScanBy: 'TimestampDescending',
        MetricDataQueries: part.map((one, at) => toQuery(one, `m${at}`)),
      }),
    );
    const byId = new Map(MetricDataResults.map((result) => [result.Id, result]));
    for (const at of part.keys()) {
      const { Values = [], Timestamps = [] } = byId.get(`m${at}`) ?? {};
      found.push(new Map(Values.map((value, place) => [Timestamps[place]?.toISOString() ?? '', value])));
    }
  }
  return found;
}

const toQuery = ({ namespace, metric, dimension }: Counted, Id: string): MetricDataQuery => ({
  Id,
  MetricStat: {
    Metric: { Namespace: namespace, MetricName: metric, ...(dimension && { Dimensions: [dimension] }) },
    Period: PERIOD,
    Stat: 'Sum',
  },
});
