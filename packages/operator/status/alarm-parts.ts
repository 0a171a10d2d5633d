import { type CloudWatchClient, GetMetricDataCommand, type MetricDataQuery } from '@aws-sdk/client-cloudwatch';
import { type ActiveAlarm, type DescribedAlarm, LOOKBACK_SECONDS } from './metrics.js';

/** Most metrics that are asked for: 50 alarms of ten metrics. Limit of GetMetricData. */
const MAX_QUERIES = 500;

/** Part of an alarm: one of the metrics that it combines. */
interface AlarmPart {
  readonly alarm: string;
  readonly label: string;
  /** Smallest value, in the metric's own unit, that raises the alarm. */
  readonly limit: number;
  readonly query: MetricDataQuery;
}

/** Names the parts of alarms whose metrics have raised them, within the last 15 minutes. @param now ISO 8601 */
export async function nameParts(
  client: CloudWatchClient,
  active: readonly ActiveAlarm[],
  { described, now }: { readonly described: readonly DescribedAlarm[]; readonly now: string },
): Promise<readonly ActiveAlarm[]> {
  const parts = described
    .filter(({ AlarmName }) => active.some(({ name }) => name === AlarmName))
    .flatMap(listParts)
    .slice(0, MAX_QUERIES);
  if (parts.length === 0) return active;
  const end = Date.parse(now);
  const { MetricDataResults = [] } = await client.send(
    new GetMetricDataCommand({
      StartTime: new Date(end - LOOKBACK_SECONDS * 1000),
      EndTime: new Date(end),
      MetricDataQueries: parts.map(({ query }, at) => ({ ...query, Id: `m${at}`, ReturnData: true })),
    }),
  );
  const raised = new Map<string, string[]>();
  for (const { Id = '', Values = [] } of MetricDataResults) {
    const part = parts[Number(Id.slice(1))];
    if (part && Values.some((value) => value >= part.limit))
      raised.set(part.alarm, [...(raised.get(part.alarm) ?? []), part.label]);
  }
  return active.map((one) => ({ ...one, ...(raised.has(one.name) && { parts: raised.get(one.name) ?? [] }) }));
}

/** Returns the parts of an alarm. An expression is `MAX([FILL(m0, 0), FILL(m1, 0) * 6])`, or the same with `SUM`. */
export function listParts({ AlarmName = '', Threshold = 1, Metrics = [] }: DescribedAlarm): readonly AlarmPart[] {
  const expression = Metrics.map((one) => one.Expression ?? '').join(' ');
  return Metrics.flatMap((one) => {
    const { Id = '', Label = Id, MetricStat } = one;
    if (!MetricStat) return [];
    const [, operator, scale] = new RegExp(`FILL\\(${Id}, 0\\) ([*/]) ([\\d.]+)`).exec(expression) ?? [];
    const factor = operator === '*' ? Number(scale) : operator === '/' ? 1 / Number(scale) : 1;
    return [{ alarm: AlarmName, label: Label, limit: Threshold / factor, query: { Id, MetricStat } }];
  });
}
