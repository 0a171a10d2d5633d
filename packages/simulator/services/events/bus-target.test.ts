import { describe, expect, test } from 'vitest';
import { checkAssembly } from '../../cloud/check-assembly.js';
import {
  allowStatement,
  arnOf,
  CLIENT,
  createCloud,
  functionResource,
  queuePolicy,
  resultsOf,
  writeAssembly,
} from '../../support/clouds.js';

const BUS_ARN = (name: string) => ({ 'Fn::GetAtt': [name, 'Arn'] });
const bus = (Name: string) => ({ Type: 'AWS::Events::EventBus', Properties: { Name } });
const rule = (EventBusName: string, target: object) => ({
  Type: 'AWS::Events::Rule',
  Properties: { EventBusName, EventPattern: { source: ['shop'] }, Targets: [{ Id: 'Target', ...target }] },
});
const role = (statement = allowStatement(['events:PutEvents'], '*')) => ({
  Type: 'AWS::IAM::Role',
  Properties: { Policies: [{ PolicyName: 'Put', PolicyDocument: { Statement: [statement] } }] },
});

const LOST_POLICY = {
  Type: 'AWS::SQS::QueuePolicy',
  Properties: {
    Queues: [{ Ref: 'Lost' }],
    PolicyDocument: {
      Statement: [
        {
          Effect: 'Allow',
          Principal: { Service: 'events.amazonaws.com' },
          Action: 'sqs:SendMessage',
          Resource: arnOf('Lost'),
        },
      ],
    },
  },
};

/** A cloud with a bus whose events go on to a second one, which has a queue; the second sends to a third. */
const chain = (more: object = {}, target: object = {}) =>
  createCloud({
    First: bus('first'),
    Second: bus('second'),
    Third: bus('third'),
    Role: role(),
    Queue: { Type: 'AWS::SQS::Queue', Properties: {} },
    Lost: { Type: 'AWS::SQS::Queue', Properties: {} },
    Policy: queuePolicy('events'),
    LostPolicy: LOST_POLICY,
    On: rule('first', {
      Arn: BUS_ARN('Second'),
      RoleArn: arnOf('Role'),
      DeadLetterConfig: { Arn: arnOf('Lost') },
      ...target,
    }),
    Further: rule('second', { Arn: BUS_ARN('Third'), RoleArn: arnOf('Role') }),
    Out: rule('second', { Arn: arnOf('Queue') }),
    ...more,
  });

async function putOnFirst(cloud: ReturnType<typeof chain>) {
  const id = cloud.events.put('first', { source: 'shop', detailType: 'Sold', detail: { order: 1 } });
  await cloud.world.settle();
  const taken = (queue: string) =>
    cloud
      .queue(`Shop/${queue}`)
      .listMessages()
      .map(({ body }) => JSON.parse(body));
  return { id, buses: cloud.events.accepted.map((one) => one.bus), taken };
}

/** User Guide, "Sending events between event buses in the same account and Region in Amazon EventBridge". */
test('a rule sends its events on to another bus as they are, and from there to no third one', async () => {
  const cloud = chain();
  const { id, buses, taken } = await putOnFirst(cloud);
  expect(buses).toEqual(['first', 'second']);
  expect(taken('Queue')).toMatchObject([{ id, source: 'shop', 'detail-type': 'Sold', detail: { order: 1 } }]);
  expect(cloud.world.trace.lines.join('\n')).toContain('Shop/Further: no third bus gets Sold');
});

test.each([
  ['the role may not put events', { Role: role(allowStatement(['events:PutRule'], '*')) }],
  [
    'the role may not put events of this source',
    { Role: role(allowStatement(['events:PutEvents'], '*', { StringEquals: { 'events:source': 'other' } })) },
  ],
  [
    'the receiving bus denies what rules send',
    {
      BusPolicy: {
        Type: 'AWS::Events::EventBusPolicy',
        Properties: {
          EventBusName: { Ref: 'Second' },
          StatementId: 'OwnOnly',
          Statement: {
            Effect: 'Deny',
            Principal: { AWS: '*' },
            Action: 'events:PutEvents',
            Resource: BUS_ARN('Second'),
            Condition: { StringEquals: { 'events:eventBusInvocation': 'true' } },
          },
        },
      },
    },
  ],
])('an event goes to the dead-letter queue of its target where %s', async (_, more) => {
  const { buses, taken } = await putOnFirst(chain(more));
  expect(buses).toEqual(['first']);
  expect(taken('Lost')).toMatchObject([{ detail: { order: 1 } }]);
});

test.each([
  ['has no role', { RoleArn: undefined }, 'as a target without RoleArn'],
  ['has an input of its own', { Input: '{}' }, 'as a target with another input than the event'],
  ['is of no stack', { Arn: 'arn:aws:events:eu-west-1:123456789012:event-bus/other' }, "isn't modelled"],
])('a bus as a target that %s is refused by name', (_, target, message) => {
  expect(() => chain(functionResource('Work'), target)).toThrow(message);
});

/** User Guide, "Sending and receiving events between AWS accounts in Amazon EventBridge". Decision 0337. */
describe('a bus of another account', () => {
  const ELSEWHERE = 'arn:aws:events:eu-west-1:999999999999:event-bus/second';

  test('takes what a rule sends, which no bus of the same name gets here', async () => {
    const { buses, taken } = await putOnFirst(chain({}, { Arn: ELSEWHERE }));
    expect(buses).toEqual(['first', ELSEWHERE]);
    expect([taken('Queue'), taken('Lost')]).toEqual([[], []]);
  });

  test('takes nothing if the role of the rule may not put events on it', async () => {
    const own = { Role: role(allowStatement(['events:PutEvents'], BUS_ARN('Second'))) };
    const { buses, taken } = await putOnFirst(chain(own, { Arn: ELSEWHERE }));
    expect(buses).toEqual(['first']);
    expect(taken('Lost')).toHaveLength(1);
  });

  test.each([
    ['takes the events of a function that may put them there', ELSEWHERE, 200, ['first', ELSEWHERE]],
    ['refuses a function that may put events on the own bus of this name only', BUS_ARN('Second'), 400, ['first']],
  ])('%s', async (_, resource, status, buses) => {
    const entry = { EventBusName: ELSEWHERE, Source: 'other', DetailType: 'Sold', Detail: '{}' };
    const code = `${CLIENT} exports.handler = async () => (await call('AWSEvents.PutEvents', { Entries: [${JSON.stringify(entry)}] })).status;`;
    const work = functionResource('Work', [allowStatement(['events:PutEvents'], resource)]);
    const cloud = createCloud({ First: bus('first'), Second: bus('second'), ...work }, { Work: code });
    cloud.events.put('first', { source: 'shop', detailType: 'Sold', detail: {} });
    expect(await resultsOf(cloud)).toEqual([{ kind: 'returned', value: status }]);
    expect(cloud.events.accepted.map((one) => one.bus)).toEqual(buses);
  });
});

test('a rule that starts a machine without a model is no obstacle beside the machine', () => {
  const States = { Rest: { Type: 'Task', Resource: 'arn:aws:states:::ecs:runTask', End: true } };
  const Machine = {
    Type: 'AWS::StepFunctions::StateMachine',
    Properties: { RoleArn: arnOf('Role'), DefinitionString: JSON.stringify({ StartAt: 'Rest', States }) },
  };
  const On = rule('default', { Arn: { Ref: 'Machine' }, RoleArn: arnOf('Role') });
  const obstacles = checkAssembly(writeAssembly({ Machine, On, Role: role() }));
  expect(obstacles.map(({ label }) => label)).toEqual(['Shop/Machine']);
});
