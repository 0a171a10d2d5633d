import { expect, test } from 'vitest';
import { allowStatement, arnOf, createCloud, functionResource } from '../../support/clouds.js';

const CODE = { Work: "exports.handler = async () => { throw new Error('no'); };" };

/** A function that fails, whose dead-letter queue it may send to, or not. */
function failing(statements: Parameters<typeof functionResource>[1]) {
  const cloud = createCloud(
    {
      ...functionResource('Work', statements, { DeadLetterConfig: { TargetArn: arnOf('Saved') } }),
      Saved: { Type: 'AWS::SQS::Queue', Properties: {} },
    },
    CODE,
  );
  return { cloud, saved: [...cloud.queues.values()][0] };
}

test('an event that fails three times goes to the dead-letter queue of its function as it is', async () => {
  const { cloud, saved } = failing([allowStatement(['sqs:SendMessage'], arnOf('Saved'))]);
  cloud.asynchronous.invokeAsync(cloud.fn('Shop/Work').resource.arn, { key: 'a' });
  await cloud.world.settle();
  expect(cloud.fn('Shop/Work').invocations).toBe(3);
  expect(saved?.listMessages().map(({ body }) => JSON.parse(body))).toEqual([{ key: 'a' }]);
});

test('a dead-letter queue that the role of a function may not send to gets nothing, and the trace says so', async () => {
  const { cloud, saved } = failing([]);
  cloud.asynchronous.invokeAsync(cloud.fn('Shop/Work').resource.arn, { key: 'a' });
  await cloud.world.settle();
  expect(saved?.listMessages()).toEqual([]);
  expect(cloud.world.trace.lines.some((line) => line.includes('LOST'))).toBe(true);
});
