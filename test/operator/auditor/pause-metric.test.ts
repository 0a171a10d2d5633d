import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AuditorEnv } from '../../../packages/operator/auditor/contract.js';
import { functionEnvironment } from '../../support/function-environment.js';

functionEnvironment({
  [AuditorEnv.TABLE]: 'audit',
  [AuditorEnv.STACKS]: JSON.stringify(['shop-dev-Trips']),
  [AuditorEnv.BEHIND_SECONDS]: '900',
  [AuditorEnv.RESENDS]: '1',
  [AuditorEnv.PAGES]: '10',
  [AuditorEnv.PAGE_SIZE]: '100',
  POWERTOOLS_METRICS_DISABLED: 'false',
  AWS_REGION: 'eu-west-1',
});
// Another file of this worker may have loaded the function with an environment of its own.
vi.resetModules();
const { documentClient } = await import('../../../packages/kit/aws/dynamodb.js');
const { inProcessDynamoDb } = await import('../../support/in-process-dynamodb.js');
const { forgetPause, notePause } = await import('../../../packages/operator/consumers/pauses.js');
const { handler } = await import('../../../packages/operator/auditor/auditor.lambda.js');

const NOW = Date.parse('2026-12-05T12:00:00.000Z');
const TRIPS = { table: 'trips' };
const OUTPUTS = {
  ServiceName: 'trips',
  TableName: 'trips',
  RecordsName: 'records',
  RelayName: 'relay',
  FeedShards: JSON.stringify([{ from: '1970-01-01T00:00:00.000Z', shards: 1 }]),
  Consumers: '[]',
};

let lines: Record<string, unknown>[];
beforeEach(() => {
  lines = [];
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  inProcessDynamoDb(
    { audit: ['pk', 'sk'], trips: ['pk', 'sk'], records: ['pk'] },
    { trips: { feed: ['feedPk', 'feedSk'] } },
  );
  vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(JSON.parse(line)));
  const Outputs = Object.entries(OUTPUTS).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue }));
  vi.spyOn(CloudFormationClient.prototype, 'send').mockImplementation((async () => ({
    Stacks: [{ Outputs }],
  })) as never);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Runs the audit at its next tick. @returns what its log has of the metric of the alarms */
async function measured(timeLeft = 200_000): Promise<unknown> {
  vi.setSystemTime(Date.now() + 300_000);
  lines = [];
  await handler({}, { getRemainingTimeInMillis: () => timeLeft } as never).catch(() => undefined);
  const [line, ...more] = lines.filter((one) => 'ConsumerPaused' in one);
  expect(more).toEqual([]);
  expect(line?._aws).toMatchObject({
    CloudWatchMetrics: [
      { Dimensions: [['service']], Metrics: expect.arrayContaining([{ Name: 'ConsumerPaused', Unit: 'Seconds' }]) },
    ],
  });
  return line?.ConsumerPaused;
}

test('each run of the audit writes for how long a consumer is paused, and 0 after the pause', async () => {
  expect(await measured()).toBe(0);
  const since = new Date(NOW - 24 * 3_600_000).toISOString();
  await notePause(documentClient, TRIPS, { consumer: 'seats', since, by: 'olga', reason: '-', mappings: [] });
  expect(await measured()).toBe(24 * 3_600 + 600);
  await forgetPause(documentClient, TRIPS, 'seats');
  expect(await measured()).toBe(0);
});

test('a run that fails, or that finds another run at work, writes it, too', async () => {
  const since = new Date(NOW).toISOString();
  await notePause(documentClient, TRIPS, { consumer: 'seats', since, by: 'olga', reason: '-', mappings: [] });
  await measured(900_000);
  // The lease of the run before holds for a quarter of an hour.
  expect(await measured()).toBe(600);
  inProcessDynamoDb({ trips: ['pk', 'sk'] });
  await notePause(documentClient, TRIPS, { consumer: 'seats', since, by: 'olga', reason: '-', mappings: [] });
  expect(await measured()).toBe(900);
});
