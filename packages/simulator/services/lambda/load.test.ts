import { describe, expect, test } from 'vitest';
import { Random } from '../../engine/random.js';
import {
  allowStatement,
  arnOf,
  CLIENT,
  createCloud,
  functionResource,
  QUEUE_RIGHTS,
  TABLE,
} from '../../support/clouds.js';
import { AWS_CALL_TIMES, drawCallTime, type Load, rampedConcurrency } from './load.js';

describe('the time of a call', () => {
  const times = Array.from({ length: 5_000 }, (_, at) => drawCallTime(AWS_CALL_TIMES, new Random(`call ${at}`))).sort(
    (one, other) => one - other,
  );

  test('the time of a call has the median and the 99th percentile that are asked for', () => {
    expect(times[2_500]).toBeCloseTo(AWS_CALL_TIMES.median, 0);
    expect(Math.abs((times[4_950] ?? 0) - AWS_CALL_TIMES.p99)).toBeLessThan(5);
  });
});

const READS = `${CLIENT}
exports.handler = async ({ times = 1 }) => {
  const began = Date.now();
  const get = () => call('DynamoDB_20120810.GetItem', { TableName: process.env.TABLE, Key: { pk: { S: 'a' } } });
  await Promise.all(Array.from({ length: times }, get));
  return Date.now() - began;
};`;

async function durationOf(times: number, load?: Load): Promise<number> {
  const rights = [allowStatement(['dynamodb:GetItem'], arnOf('Table'))];
  const cloud = createCloud(
    {
      Table: TABLE,
      ...functionResource('Work', rights, { MemorySize: 512, Environment: { Variables: { TABLE: { Ref: 'Table' } } } }),
    },
    { Work: READS },
    load ? { load } : {},
  );
  let took = Number.NaN;
  cloud.fn('Shop/Work').invoke({ times }, (result) => {
    took = result.kind === 'returned' ? Number(result.value) : Number.NaN;
  });
  await cloud.world.settle();
  return took;
}

describe('a load', () => {
  test('lets calls take as long as it says', async () => {
    const took = await durationOf(1, { calls: { median: 1_000, p99: 1_001 } });
    expect(Math.abs(took - 1_000)).toBeLessThan(5);
  });

  test('lets code take CPU time: calls at once wait for each other, and a part of a vCPU takes longer', async () => {
    const calls = { median: 100, p99: 100.1 };
    // 512 MB are 0.29 of a vCPU, so 20 ms are 69.
    expect(Math.abs((await durationOf(1, { calls, cpu: 20 })) - 169)).toBeLessThan(5);
    expect(Math.abs((await durationOf(10, { calls, cpu: 20 })) - 791)).toBeLessThan(10);
  });
});

describe('a queue', () => {
  const SLOW = 'exports.handler = () => new Promise((resolve) => setTimeout(resolve, 1000));';
  const mostAtOnce = async (load?: Load) => {
    const cloud = createCloud(
      {
        Queue: { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout: 600 } },
        ...functionResource('Work', [allowStatement(QUEUE_RIGHTS, arnOf('Queue'))]),
        Mapping: {
          Type: 'AWS::Lambda::EventSourceMapping',
          Properties: {
            EventSourceArn: arnOf('Queue'),
            FunctionName: { Ref: 'Work' },
            BatchSize: 1,
            ScalingConfig: { MaximumConcurrency: 50 },
          },
        },
      },
      { Work: SLOW },
      load ? { load } : {},
    );
    for (let number = 0; number < 60; number++) cloud.queue('Shop/Queue').send({ body: String(number) });
    await cloud.world.pass(900);
    return cloud.queue('Shop/Queue').handled.size;
  };

  test('a queue without a load is read by as many at once as its mapping allows', async () => {
    expect(await mostAtOnce()).toBe(50);
  });

  test('a queue under a load is read by five at first, and by 300 more each minute', async () => {
    expect(await mostAtOnce({})).toBe(5);
    expect([0, 200, 60_000].map(rampedConcurrency)).toEqual([5, 6, 305]);
  });

  test('a queue is read by as many as the load says', async () => {
    expect(await mostAtOnce({ queues: { 'Shop/Work': { concurrency: 2, batchSize: 1 } } })).toBe(2);
  });
});
