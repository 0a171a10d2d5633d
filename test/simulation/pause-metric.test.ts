import { CloudWatchClient, GetMetricDataCommand, type MetricDataQuery } from '@aws-sdk/client-cloudwatch';
import { expect, test } from 'vitest';
import { notePause } from '../../packages/operator/consumers/pauses.js';
import type { Service } from '../../packages/operator/deployment/services.js';
import { Cloud } from '../../packages/simulator/cloud/cloud.js';
import { awsApiOf } from '../../packages/simulator/support/clients.js';
import { loadSharedDeployment } from '../support/simulation/app-code.js';
import { prodAssembly } from '../support/simulation/assembly.js';
import { createDocumentClient } from '../support/simulation/operator.js';
import { Orderly } from '../support/simulation/orderly.js';
import { MINUTE } from './scenarios/shop.js';

/** Returns the metric that an alarm of the templates watches, as a query names it. */
function metricOf(cloud: Cloud, alarm: string): Partial<MetricDataQuery> {
  const found = cloud.deployment.assembly
    .findByType('AWS::CloudWatch::Alarm')
    .find(({ label }) => label.includes(alarm));
  if (!found) throw new Error(`there is no alarm ${alarm}`);
  const { Namespace, MetricName, Dimensions, Statistic, Period } = found.properties as Record<string, never>;
  return { MetricStat: { Metric: { Namespace, MetricName, Dimensions }, Stat: Statistic, Period } };
}

/** Reads the metric as the alarm does, in the hour before a time. */
async function readPaused(client: CloudWatchClient, cloud: Cloud): Promise<readonly number[]> {
  const { now } = cloud.world;
  const { MetricDataResults } = await client.send(
    new GetMetricDataCommand({
      MetricDataQueries: [{ Id: 'paused', ...metricOf(cloud, 'PauseForgotten') }],
      StartTime: new Date(now - 60 * MINUTE),
      EndTime: new Date(now + MINUTE),
    }),
  );
  return MetricDataResults?.[0]?.Values ?? [];
}

const PAUSE = { consumer: 'baskets-orders', by: 'olga', reason: '-', mappings: [] };

/** Returns the service whose consumer is paused. */
function pausedService({ services }: Orderly): Service {
  const service = services.find(({ name }) => name === 'baskets');
  if (!service) throw new Error('there are no baskets');
  return service;
}

test('the metric of a pause that the audit writes can be read, as the alarm reads it', async () => {
  const cloud = new Cloud(loadSharedDeployment(prodAssembly()), { seed: 'pause' });
  const orderly = new Orderly(cloud);
  const { world, events } = cloud;
  const since = new Date(world.now).toISOString();
  await notePause(createDocumentClient(cloud), pausedService(orderly), { ...PAUSE, since });
  events.schedules.nextWorkAt = (rule) => (rule.startsWith('Audit/') ? world.now : undefined);
  events.schedules.replan();
  await world.pass(11 * MINUTE);
  const values = await readPaused(new CloudWatchClient(awsApiOf(cloud, async () => undefined).config), cloud);
  expect(values.length).toBeGreaterThan(0);
  expect(Math.max(...values)).toBeGreaterThanOrEqual(5 * 60);
});
