import { FORECAST_SPANS } from '@orderly/console';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Cloud } from '../cloud/cloud.js';
import { arnOf, createCloud, functionResource, TABLE } from '../support/clouds.js';
import { forecast } from './page-forecast.js';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const TTL = { TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true } };

let cloud: Cloud;
beforeEach(() => {
  cloud = createCloud(
    {
      Table: { ...TABLE, Properties: { ...TABLE.Properties, ...TTL } },
      Queue: { Type: 'AWS::SQS::Queue', Properties: { MessageRetentionPeriod: 86_400, VisibilityTimeout: 120 } },
      Hourly: {
        Type: 'AWS::Events::Rule',
        Properties: { ScheduleExpression: 'rate(1 hour)', Targets: [{ Id: 'work', Arn: arnOf('Work') }] },
      },
      ...functionResource('Work'),
    },
    { Work: 'exports.handler = async () => 1;' },
  );
});
const queue = () => [...cloud.queues.values()][0] ?? expect.fail('no queue');
const expire = (pk: string, at: number | string): void => {
  const [table = ''] = cloud.dynamodb.tables();
  cloud.dynamodb.load(
    table,
    [{ pk: { S: pk }, expiresAt: typeof at === 'number' ? { N: String(at) } : { S: at } }],
    '0',
  );
};

describe('a forecast', () => {
  test('counts each kind within a minute, an hour, a day and 36 days', () => {
    expect(FORECAST_SPANS).toEqual([MINUTE, 60 * MINUTE, DAY, 36 * DAY]);
    const { now } = cloud.world;
    queue().send({ body: 'a' }, now, 0);
    queue().receive(1);
    expire('soon', now / 1000 + 30);
    expire('in 35 days', now / 1000 + 35 * 86_400);
    expire('in a year', now / 1000 + 365 * 86_400);
    const timers = [
      { owner: 'orders', at: now + 2 * MINUTE },
      { owner: 'orders', at: now + 3 * MINUTE },
    ];
    expect(forecast(cloud, timers)).toMatchObject({
      now,
      counts: {
        timer: [0, 2, 2, 2],
        schedule: [expect.any(Number), 1, 1, 1],
        visible: [0, 1, 1, 1],
        expiry: [1, 1, 1, 2],
        retention: [0, 0, 1, 1],
      },
    });
  });

  test('names the soonest of each kind and place first, without schedules', () => {
    const { now } = cloud.world;
    queue().send({ body: 'a' }, now, 0);
    const timers = [5, 4].map((minutes) => ({ owner: 'orders', at: now + minutes * MINUTE }));
    expect(forecast(cloud, timers).next).toEqual([
      { kind: 'timer', owner: 'orders', at: now + 4 * MINUTE, count: 2 },
      { kind: 'retention', owner: 'Shop/Queue', at: now + DAY, count: 1 },
    ]);
  });

  test('leaves out what a function handles right now, and an attribute that is no time', () => {
    queue().send({ body: 'a' }, cloud.world.now, 0);
    const [message] = queue().receive(1);
    queue().handled.add(message?.id ?? '');
    expire('never', 'tomorrow');
    const { counts } = forecast(cloud);
    expect(counts.visible).toBeUndefined();
    expect(counts.expiry).toBeUndefined();
  });
});
