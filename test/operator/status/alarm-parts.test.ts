import type { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { expect, test } from 'vitest';
import { listParts, nameParts } from '../../../packages/operator/status/alarm-parts.js';
import type { ActiveAlarm, DescribedAlarm } from '../../../packages/operator/status/metrics.js';

const part = (Id: string, Label: string) => ({
  Id,
  Label,
  MetricStat: { Metric: { Namespace: 'Test', MetricName: Id }, Period: 300, Stat: 'Maximum' },
});
const behind: DescribedAlarm = {
  AlarmName: 'behind',
  Threshold: 3600,
  Metrics: [
    part('m0', 'ClosingQueue'),
    part('m1', 'timers'),
    { Id: 'all', Expression: 'MAX([FILL(m0, 0), FILL(m1, 0) * 6])' },
  ],
};
const active: readonly ActiveAlarm[] = [{ name: 'behind', heading: 'QueueBehind', description: '' }];

/** A client that answers each query with the value of its metric. */
const answering = (values: Readonly<Record<string, number>>) =>
  ({
    send: async ({
      input,
    }: {
      input: { MetricDataQueries: { Id: string; MetricStat: { Metric: { MetricName: string } } }[] };
    }) => ({
      MetricDataResults: input.MetricDataQueries.map(({ Id, MetricStat }) => ({
        Id,
        Values: [values[MetricStat.Metric.MetricName]],
      })),
    }),
  }) as unknown as CloudWatchClient;
const now = '2026-11-29T12:00:00.000Z';

test('the parts of an alarm have its threshold in their own unit', () => {
  expect(listParts(behind).map(({ label, limit }) => [label, limit])).toEqual([
    ['ClosingQueue', 3600],
    ['timers', 600],
  ]);
  expect(listParts({ AlarmName: 'slow', Threshold: 3 })).toEqual([]);
});

test('an alarm that is on names the parts that have raised it, and no other', async () => {
  const named = (m0: number, m1: number) => nameParts(answering({ m0, m1 }), active, { described: [behind], now });
  expect(await named(10, 600)).toMatchObject([{ name: 'behind', parts: ['timers'] }]);
  expect(await named(3600, 599)).toMatchObject([{ name: 'behind', parts: ['ClosingQueue'] }]);
  // It is over by now, and CloudWatch hasn't evaluated it yet.
  expect(await named(0, 0)).toEqual(active);
});
