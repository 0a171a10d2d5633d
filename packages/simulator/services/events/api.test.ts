import {
  CreateEventBusCommand,
  DeleteEventBusCommand,
  DeleteRuleCommand,
  DescribeEventBusCommand,
  DescribeRuleCommand,
  DisableRuleCommand,
  EnableRuleCommand,
  EventBridgeClient,
  InvalidEventPatternException,
  ListEventBusesCommand,
  ListRuleNamesByTargetCommand,
  ListRulesCommand,
  ListTargetsByRuleCommand,
  PutEventsCommand,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
  ResourceNotFoundException,
  TestEventPatternCommand,
} from '@aws-sdk/client-eventbridge';
import { CreateQueueCommand, SetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { awsApiOf } from '../../support/clients.js';
import { allowStatement, arnOf, createCloud } from '../../support/clouds.js';

const EventBusName = 'shop';
const pattern = { source: ['shop'], 'detail-type': ['Sold'] };

function shop(policy: object = {}) {
  const cloud = createCloud({
    Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: EventBusName } },
    Queue: { Type: 'AWS::SQS::Queue' },
    Rights: {
      Type: 'AWS::SQS::QueuePolicy',
      Properties: {
        Queues: [{ Ref: 'Queue' }],
        PolicyDocument: { Statement: [allowStatement(['sqs:SendMessage'], arnOf('Queue'))] },
      },
    },
    Rule: {
      Type: 'AWS::Events::Rule',
      Properties: {
        Name: 'sold',
        EventBusName: { Ref: 'Bus' },
        EventPattern: pattern,
        Targets: [{ Id: 'queue', Arn: arnOf('Queue') }],
      },
    },
    ...policy,
  });
  const { config } = awsApiOf(cloud);
  const events = new EventBridgeClient(config);
  const put = (more: object = {}) =>
    events.send(
      new PutEventsCommand({ Entries: [{ EventBusName, Source: 'shop', DetailType: 'Sold', Detail: '{}', ...more }] }),
    );
  const queue = cloud.queue('Shop/Queue');
  return { cloud, config, events, put, queue };
}

test('events are put entry by entry, and reach the targets of their rules', async () => {
  const { put, queue, cloud } = shop();
  const { FailedEntryCount, Entries } = await put();
  expect([FailedEntryCount, Entries?.[0]?.EventId]).toEqual([0, cloud.events.accepted[0]?.event.id]);
  expect(queue.listMessages().map(({ body }) => JSON.parse(body).source)).toEqual(['shop']);
  expect(await put({ Detail: '{' })).toMatchObject({
    FailedEntryCount: 1,
    Entries: [{ ErrorCode: 'MalformedDetail' }],
  });
});

test("an event that the bus's policy denies is denied", async () => {
  const Statement = {
    Effect: 'Deny',
    Principal: '*',
    Action: 'events:PutEvents',
    Resource: arnOf('Bus'),
    Condition: { StringEquals: { 'events:source': 'other' } },
  };
  const Properties = { EventBusName: { Ref: 'Bus' }, StatementId: 'own', Statement };
  const { put, cloud } = shop({ Policy: { Type: 'AWS::Events::EventBusPolicy', Properties } });
  await expect(put({ Source: 'other' })).rejects.toMatchObject({ name: 'AccessDeniedException' });
  await put();
  expect(cloud.events.accepted).toHaveLength(1);
});

test('buses, rules and targets are listed and described', async () => {
  const { events, queue } = shop();
  const { EventBuses = [] } = await events.send(new ListEventBusesCommand({}));
  expect(EventBuses.map(({ Name }) => Name)).toEqual(['default', EventBusName]);
  const { Arn } = await events.send(new DescribeEventBusCommand({ Name: EventBusName }));
  expect(Arn).toBe(EventBuses[1]?.Arn);
  const rule = { Name: 'sold', EventBusName, State: 'ENABLED', EventPattern: JSON.stringify(pattern) };
  expect((await events.send(new ListRulesCommand({ EventBusName }))).Rules).toMatchObject([rule]);
  expect((await events.send(new ListRulesCommand({}))).Rules).toEqual([]);
  expect(await events.send(new DescribeRuleCommand({ Name: 'sold', EventBusName: Arn }))).toMatchObject(rule);
  const { Targets } = await events.send(new ListTargetsByRuleCommand({ Rule: 'sold', EventBusName }));
  expect(Targets).toEqual([{ Id: 'queue', Arn: queue.resource.arn }]);
  const named = await events.send(new ListRuleNamesByTargetCommand({ TargetArn: queue.resource.arn, EventBusName }));
  expect(named.RuleNames).toEqual(['sold']);
  await expect(events.send(new DescribeRuleCommand({ Name: 'none' }))).rejects.toThrow(ResourceNotFoundException);
});

test('a disabled rule matches nothing until it is enabled', async () => {
  const { events, put, queue } = shop();
  await events.send(new DisableRuleCommand({ Name: 'sold', EventBusName }));
  await put();
  expect(queue.listMessages()).toHaveLength(0);
  const { State } = await events.send(new DescribeRuleCommand({ Name: 'sold', EventBusName }));
  expect(State).toBe('DISABLED');
  await events.send(new EnableRuleCommand({ Name: 'sold', EventBusName }));
  await put();
  expect(queue.listMessages()).toHaveLength(1);
});

test('a rule of no stack leads events to a queue whose policy allows it, until it is deleted', async () => {
  const { events, put, config, cloud } = shop();
  const sqs = new SQSClient(config);
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'mine' }));
  const mine = cloud.queue('mine');
  const Arn = mine.resource.arn;
  await events.send(new PutRuleCommand({ Name: 'mine', EventBusName, EventPattern: JSON.stringify(pattern) }));
  await events.send(new PutTargetsCommand({ Rule: 'mine', EventBusName, Targets: [{ Id: 'mine', Arn }] }));
  await put();
  expect(mine.listMessages()).toHaveLength(0);
  const Statement = [
    { ...(allowStatement(['sqs:SendMessage'], Arn) as object), Principal: { Service: 'events.amazonaws.com' } },
  ];
  const Policy = JSON.stringify({ Version: '2012-10-17', Statement });
  await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }));
  await put();
  expect(mine.listMessages()).toHaveLength(1);
  const own = { Name: 'mine', EventBusName };
  await expect(events.send(new DeleteRuleCommand(own))).rejects.toThrow('it has targets');
  await events.send(new RemoveTargetsCommand({ Rule: 'mine', EventBusName, Ids: ['mine'] }));
  await put();
  expect(mine.listMessages()).toHaveLength(1);
  await events.send(new DeleteRuleCommand(own));
  await expect(events.send(new DescribeRuleCommand(own))).rejects.toThrow(ResourceNotFoundException);
});

test('a target that no model has is refused in words', async () => {
  const { events } = shop();
  const Targets = [{ Id: 'stream', Arn: 'arn:aws:kinesis:eu-west-1:123456789012:stream/a' }];
  const put = events.send(new PutTargetsCommand({ Rule: 'sold', EventBusName, Targets }));
  await expect(put).rejects.toThrow("The simulator doesn't model this: the target arn:aws:kinesis");
});

test('a rule that is put again keeps its targets, and follows its new pattern', async () => {
  const { events, put, queue } = shop();
  const EventPattern = JSON.stringify({ source: ['other'] });
  await events.send(new PutRuleCommand({ Name: 'sold', EventBusName, EventPattern }));
  await put();
  await put({ Source: 'other' });
  expect(queue.listMessages().map(({ body }) => JSON.parse(body).source)).toEqual(['other']);
});

test('a rule with a rate ticks, and ticks no more once it is removed', async () => {
  const { events, cloud } = shop();
  const bus = { Name: 'ticks' };
  await events.send(new PutRuleCommand({ ...bus, ScheduleExpression: 'rate(1 minute)' }));
  const Targets = [{ Id: 'queue', Arn: cloud.queue('Shop/Queue').resource.arn }];
  await events.send(new PutTargetsCommand({ Rule: 'ticks', Targets }));
  await cloud.world.pass(3 * 60_000 + 10_000);
  const ticks = cloud.queue('Shop/Queue').listMessages().length;
  expect(ticks).toBeGreaterThanOrEqual(3);
  await events.send(new RemoveTargetsCommand({ Rule: 'ticks', Ids: ['queue'] }));
  await events.send(new DeleteRuleCommand(bus));
  const deliveries = () => cloud.world.trace.lines.filter((line) => line.includes('ticks delivery')).length;
  const before = deliveries();
  await cloud.world.pass(3 * 60_000);
  expect(cloud.queue('Shop/Queue').listMessages()).toHaveLength(ticks);
  expect(deliveries()).toBe(before);
});

test('a bus is created and deleted', async () => {
  const { events } = shop();
  const { EventBusArn } = await events.send(new CreateEventBusCommand({ Name: 'mine' }));
  expect((await events.send(new DescribeEventBusCommand({ Name: 'mine' }))).Arn).toBe(EventBusArn);
  await events.send(new DeleteEventBusCommand({ Name: 'mine' }));
  await expect(events.send(new DescribeEventBusCommand({ Name: 'mine' }))).rejects.toThrow(ResourceNotFoundException);
});

test('a pattern is tested against an event', async () => {
  const { events } = shop();
  const test = (EventPattern: string) =>
    events.send(new TestEventPatternCommand({ EventPattern, Event: JSON.stringify({ source: 'shop' }) }));
  expect((await test('{"source":["shop"]}')).Result).toBe(true);
  expect((await test('{"source":["other"]}')).Result).toBe(false);
  await expect(test('[]')).rejects.toThrow(InvalidEventPatternException);
});
