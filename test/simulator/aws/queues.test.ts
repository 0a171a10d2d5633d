import { expect, test } from 'vitest';
import { ChosenFaults, type FaultKind } from './faults.js';
import { allow, arnOf, cloudOf, fn, QUEUE_RIGHTS } from './support.js';

const LOG_BODIES = `exports.handler = async ({ Records }) => {
  for (const { body, attributes } of Records) console.log(body + ' ' + attributes.ApproximateReceiveCount);
`;

function shop({ code = `${LOG_BODIES}};`, mapping = {}, queue = {}, rights = QUEUE_RIGHTS, fault = '' } = {}) {
  const [point = '', kind = ''] = fault.split(': ');
  const cloud = cloudOf(
    {
      Dead: { Type: 'AWS::SQS::Queue', Properties: { MessageRetentionPeriod: 1_209_600 } },
      Queue: {
        Type: 'AWS::SQS::Queue',
        Properties: {
          VisibilityTimeout: 60,
          RedrivePolicy: { deadLetterTargetArn: arnOf('Dead'), maxReceiveCount: 3 },
          ...queue,
        },
      },
      ...fn('Work', [allow(rights, arnOf('Queue'))]),
      Mapping: {
        Type: 'AWS::Lambda::EventSourceMapping',
        Properties: { EventSourceArn: arnOf('Queue'), FunctionName: { Ref: 'Work' }, ...mapping },
      },
    },
    { Work: code },
    { faults: new ChosenFaults(fault === '' ? [] : [{ point, kind: kind as FaultKind }]) },
  );
  return {
    cloud,
    queue: cloud.queue('Shop/Queue'),
    dead: cloud.queue('Shop/Dead'),
    said: () => cloud.log.map(({ text }) => text),
  };
}

test('a message is handled and deleted', async () => {
  const { cloud, queue, said } = shop();
  queue.send({ body: 'a' });
  await cloud.world.settle();
  expect(said()).toEqual(['a 1']);
  expect(queue.all()).toEqual([]);
});

test('a message whose function fails comes again after its visibility timeout, and at last goes to the dead letters', async () => {
  const { cloud, queue, dead, said } = shop({ code: `${LOG_BODIES} throw new Error('no'); };` });
  const begun = cloud.world.now;
  queue.send({ body: 'a' });
  await cloud.world.settle();
  expect(said()).toEqual(['a 1', 'a 2', 'a 3']);
  expect(cloud.world.now - begun).toBeGreaterThanOrEqual(180_000);
  expect(dead.all().map(({ body, sentAt }) => [body, sentAt])).toEqual([['a', begun]]);
});

const FAILS_B = `${LOG_BODIES}
  return { batchItemFailures: Records.filter(({ body }) => body === 'b').map(({ messageId }) => ({ itemIdentifier: messageId })) };
};`;

test('with partial answers only the failed message comes again', async () => {
  const { cloud, queue, dead } = shop({
    code: FAILS_B,
    mapping: { FunctionResponseTypes: ['ReportBatchItemFailures'] },
  });
  for (const body of ['a', 'b', 'c']) queue.send({ body });
  await cloud.world.settle();
  expect(dead.all().map(({ body }) => body)).toEqual(['b']);
});

test('without them, what the answer says is not looked at', async () => {
  const { cloud, queue, dead } = shop({ code: FAILS_B });
  for (const body of ['a', 'b', 'c']) queue.send({ body });
  await cloud.world.settle();
  expect(dead.all()).toEqual([]);
});

test('a partial answer that names an unknown message fails its whole batch', async () => {
  const code = "exports.handler = async () => ({ batchItemFailures: [{ itemIdentifier: 'unknown' }] });";
  const { cloud, queue, dead } = shop({ code, mapping: { FunctionResponseTypes: ['ReportBatchItemFailures'] } });
  queue.send({ body: 'a' });
  await cloud.world.settle();
  expect(dead.all()).toHaveLength(1);
});

test('a duplicate comes after the message was deleted', async () => {
  const { cloud, queue, said } = shop({ fault: 'Shop/Queue message 1: late-duplicate' });
  queue.send({ body: 'a' });
  await cloud.world.settle();
  expect(said()).toEqual(['a 1', 'a 1']);
});

test('what is older than its retention is gone', async () => {
  const { cloud, queue } = shop({ rights: [], queue: { MessageRetentionPeriod: 60 } });
  queue.send({ body: 'a' });
  await cloud.world.pass(61_000);
  expect(queue.all()).toEqual([]);
  expect(queue.fates.map(({ fate }) => fate)).toEqual(['expired']);
});

test('without the right to receive, the mapping stands still and says so', async () => {
  const { cloud, queue, said } = shop({ rights: ['sqs:DeleteMessage'] });
  queue.send({ body: 'a' });
  await cloud.world.settle();
  expect(said()).toEqual([]);
  expect(cloud.world.trace.lines.some((line) => line.includes('may not sqs:ReceiveMessage'))).toBe(true);
});

test('a message that becomes visible while it is handled is told', async () => {
  const code = 'exports.handler = () => new Promise((resolve) => setTimeout(resolve, 5000));';
  const { cloud, queue } = shop({ code, queue: { VisibilityTimeout: 2 } });
  queue.send({ body: 'a' });
  await cloud.world.settle();
  expect(cloud.world.trace.lines.filter((line) => line.includes('OVERLAP'))).not.toEqual([]);
});

test('never more invocations at once than the mapping allows', async () => {
  const code = 'exports.handler = () => new Promise((resolve) => setTimeout(resolve, 1000));';
  const { cloud, queue } = shop({ code, mapping: { BatchSize: 1, ScalingConfig: { MaximumConcurrency: 2 } } });
  for (let number = 0; number < 6; number++) queue.send({ body: String(number) });
  const begun = cloud.world.now;
  await cloud.world.until(() => queue.all().length === 0);
  expect(cloud.world.now - begun).toBeGreaterThanOrEqual(3_000);
});
