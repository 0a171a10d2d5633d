import { expect, test } from 'vitest';
import { allowStatement, CLIENT, createCloud, functionResource } from '../support/clouds.js';

const QUEUE = { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'shop-orders' } };
const OTHER = { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'other' } };
const CODE = `${CLIENT}
exports.handler = async ([target, input]) => call(target, input);`;

/** Returns the answer of a service to a function with these permissions. */
async function asked(actions: readonly string[], target: string, input: object): Promise<unknown> {
  const statements = actions.length === 0 ? [] : [allowStatement(actions, '*')];
  const cloud = createCloud({ ...functionResource('Look', statements), Queue: QUEUE, Other: OTHER }, { Look: CODE });
  let answer: unknown;
  cloud.fn('Shop/Look').invoke([target, input], (result) => {
    answer = result.kind === 'returned' ? result.value : result;
  });
  await cloud.world.settle();
  return answer;
}

const CASES = [
  [
    'sqs:ListQueues',
    'AmazonSQS.ListQueues',
    { QueueNamePrefix: 'shop-' },
    { QueueUrls: ['https://sqs.eu-west-1.amazonaws.com/123456789012/shop-orders'] },
  ],
  [
    'cloudwatch:DescribeAlarms',
    'GraniteServiceVersion20100801.DescribeAlarms',
    {},
    { MetricAlarms: [], CompositeAlarms: [] },
  ],
  [
    'cloudwatch:GetMetricData',
    'GraniteServiceVersion20100801.GetMetricData',
    { MetricDataQueries: [] },
    { MetricDataResults: [] },
  ],
] as const;

test.each(CASES)('a function with the right %s is answered', async (action, target, input, body) => {
  expect(await asked([action], target, input)).toMatchObject({ status: 200, body });
});

test.each(CASES)('a function without the right %s is refused', async (action, target, input) => {
  expect(await asked([], target, input)).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining(`is not authorized to perform: ${action} on resource: *`) },
  });
});
