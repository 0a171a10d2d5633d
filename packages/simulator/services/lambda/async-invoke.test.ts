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

const DESTINATIONS = {
  Next: ['lambda:InvokeFunction', arnOf('Next'), 'Next'],
  Topic: ['sns:Publish', { Ref: 'Topic' }, 'Topic'],
  Bus: ['events:PutEvents', arnOf('Bus'), 'Bus'],
} as const;

/** Plays one invocation whose outcome goes to a function, a topic or a bus; topics and buses remember what they got. */
async function recorded(to: keyof typeof DESTINATIONS, code: string, isAllowed = true) {
  const [action, Destination] = DESTINATIONS[to];
  const cloud = createCloud(
    {
      ...functionResource('Work', isAllowed ? [allowStatement([action], Destination)] : []),
      ...functionResource('Next'),
      Topic: { Type: 'AWS::SNS::Topic' },
      Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: 'shop' } },
      Config: {
        Type: 'AWS::Lambda::EventInvokeConfig',
        Properties: {
          FunctionName: { Ref: 'Work' },
          Qualifier: '$LATEST',
          DestinationConfig: { OnSuccess: { Destination }, OnFailure: { Destination } },
        },
      },
    },
    {
      Work: code,
      Next: 'exports.handler = async ({ requestContext, responsePayload }) => console.log(requestContext.condition, responsePayload);',
    },
  );
  const published: string[] = [];
  const publish = cloud.topics.publish.bind(cloud.topics);
  cloud.topics.publish = (arn, message) => {
    published.push(JSON.parse(message.text).requestContext.condition);
    return publish(arn, message);
  };
  cloud.asynchronous.invokeAsync(cloud.fn('Shop/Work').resource.arn, { key: 'a' });
  await cloud.world.settle();
  const events = cloud.events.accepted.map(({ event }) => event['detail-type']);
  return { lines: cloud.log.filter(({ fn }) => fn === 'Shop/Next').map(({ text }) => text), published, events };
}

test('what came of an invocation goes to a function, a topic or a bus', async () => {
  const [works, fails] = ['exports.handler = async () => 7;', CODE.Work];
  expect((await recorded('Next', works)).lines).toEqual(['Success 7']);
  expect((await recorded('Next', fails)).lines).toEqual(['RetriesExhausted undefined']);
  expect((await recorded('Topic', works)).published).toEqual(['Success']);
  expect((await recorded('Bus', works)).events).toEqual(['Lambda Function Invocation Result - Success']);
  expect((await recorded('Bus', fails)).events).toEqual(['Lambda Function Invocation Result - Failure']);
});

test('a destination that the role of a function may not reach gets nothing', async () => {
  const nothing = { lines: [], published: [], events: [] };
  for (const to of ['Next', 'Topic', 'Bus'] as const)
    expect(await recorded(to, 'exports.handler = async () => 7;', false)).toEqual(nothing);
});
