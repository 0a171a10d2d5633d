import { expect, test } from 'vitest';
import type { Json } from '../../assembly/intrinsics.js';
import { arnOf, createCloud, functionResource, queuePolicy } from '../../support/clouds.js';

/** The example of Amazon EventBridge User Guide, "Amazon EventBridge input transformation". */
const DETAIL = {
  'instance-id': 'i-0123456789',
  state: 'RUNNING',
  said: 'a "quoted" word',
  tags: ['one', { two: 2 }],
};
const PATHS = {
  instance: '$.detail.instance-id',
  state: '$.detail.state',
  said: '$.detail.said',
  tags: '$.detail.tags',
  second: '$.detail.tags[1].two',
  none: '$.detail.none',
};

const target = (id: string, arn: Json, InputTemplate: string) => ({
  Id: id,
  Arn: arn,
  InputTransformer: { InputPathsMap: PATHS, InputTemplate },
});
const rule = (...Targets: readonly { [name: string]: Json }[]) => ({
  Type: 'AWS::Events::Rule',
  Properties: { Name: 'told', EventPattern: { source: ['a'] }, Targets: [...Targets] },
});

async function sent(template: string): Promise<readonly string[]> {
  const cloud = createCloud({
    Queue: { Type: 'AWS::SQS::Queue' },
    Rule: rule(target('queue', arnOf('Queue'), template)),
    Policy: queuePolicy('events'),
  });
  cloud.events.put('default', { source: 'a', detailType: 'Told', detail: DETAIL });
  await cloud.world.settle();
  return cloud
    .queue('Shop/Queue')
    .listMessages()
    .map(({ body }) => body);
}

test.each([
  ['"<instance> is in state <state>"', '"i-0123456789 is in state RUNNING"'],
  ['{"instance": <instance>, "state": <state>}', '{"instance": "i-0123456789", "state": "RUNNING"}'],
  [
    '{"instance": <instance>, "status": "instance \\"<instance>\\" is in <state>"}',
    '{"instance": "i-0123456789", "status": "instance \\"i-0123456789\\" is in RUNNING"}',
  ],
  ['{"tags": <tags>, "second": <second>}', '{"tags": ["one",{"two":2}], "second": 2}'],
  ['{"said": "<said>", "none": <none>}', '{"said": "a \\"quoted\\" word", "none": ""}'],
  [
    '{"rule": "<aws.events.rule-name>", "by": <aws.events.rule-arn>}',
    expect.stringMatching(/"rule": ".*told", "by": "arn:aws:events:/),
  ],
  ['{"whole": <aws.events.event.json>}', expect.stringContaining('"detail":{"instance-id"')],
  ['{"around": <aws.events.event>}', expect.not.stringContaining('instance-id')],
  ['<state> without marks', '"RUNNING" without marks'],
])('the template %s becomes %s', async (template, body) => {
  expect(await sent(template)).toEqual([body]);
});

test('a function gets the value of what the template becomes', async () => {
  const source = 'exports.handler = async (event) => console.log(JSON.stringify(event));';
  const cloud = createCloud(
    {
      ...functionResource('Work'),
      Rule: rule(target('work', arnOf('Work'), '{"instance": <instance>}')),
      Permission: {
        Type: 'AWS::Lambda::Permission',
        Properties: {
          FunctionName: { Ref: 'Work' },
          Action: 'lambda:InvokeFunction',
          Principal: 'events.amazonaws.com',
        },
      },
    },
    { Work: source },
  );
  cloud.events.put('default', { source: 'a', detailType: 'Told', detail: DETAIL });
  await cloud.world.settle();
  expect(cloud.log.map(({ text }) => text)).toEqual(['{"instance":"i-0123456789"}']);
});

test.each([
  ['"<other>"', 'the variable <other> of an input template'],
  ['"<aws.events.other>"', 'the variable <aws.events.other> of an input template'],
])('the template %s is an obstacle that names its variable', async (template, message) => {
  await expect(sent(template)).rejects.toThrow(message);
});
