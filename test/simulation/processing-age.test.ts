import { CloudWatchClient, GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { expect, test } from 'vitest';
import { Metric } from '../../packages/kit/aws/metric-names.js';
import { awsApiOf } from '../../packages/simulator/support/clients.js';
import { Shop } from '../../tools/cost/shop.js';

// The metric is made by a filter in a template of a field that functions log: both have to name the same things.
test('the age of what consumers and inboxes have handled is a metric of each service', async () => {
  const shop = await Shop.open('ages', ['rita']);
  const from = new Date(shop.cloud.world.now);
  await shop.order('rita');
  const client = new CloudWatchClient(awsApiOf(shop.cloud, async () => undefined).config);
  const ask = async (service: string) => {
    const stat = {
      Metric: {
        Namespace: 'Orderly/prod',
        MetricName: Metric.PROCESSING_AGE,
        Dimensions: [{ Name: 'service', Value: service }],
      },
      Period: 3600,
      Stat: 'Maximum',
    };
    const { MetricDataResults = [] } = await client.send(
      new GetMetricDataCommand({
        StartTime: from,
        EndTime: new Date(shop.cloud.world.now + 60_000),
        MetricDataQueries: [{ Id: 'm0', MetricStat: stat }],
      }),
    );
    return MetricDataResults[0]?.Values ?? [];
  };

  // A consumer, one that saves through a lane, and an inbox.
  for (const service of ['catalog', 'accounts', 'rewards'])
    expect(Math.max(...(await ask(service))), service).toBeGreaterThan(0);
});
