import { expect, test } from 'vitest';
import type { Json } from '../../assembly/intrinsics.js';
import { type FaultKind, FixedFaults } from '../../engine/faults.js';
import { allowStatement, arnOf, createCloud, functionResource } from '../../support/clouds.js';
import { machineResource } from '../../support/machines.js';
import { listMessages } from '../../support/pipes.js';

const Out = { Type: 'AWS::SQS::Queue' };
const Dead = { Type: 'AWS::SQS::Queue' };
const role = (actions: readonly string[] = ['*']) => ({
  Role: { Type: 'AWS::IAM::Role' },
  Policy: {
    Type: 'AWS::IAM::Policy',
    Properties: { Roles: [{ Ref: 'Role' }], PolicyDocument: { Statement: [allowStatement(actions, '*')] } },
  },
});
const schedule = (
  ScheduleExpression: string,
  target: { [name: string]: Json },
  more: { [name: string]: Json } = {},
) => ({
  Schedule: {
    Type: 'AWS::Scheduler::Schedule',
    Properties: {
      Name: 'tick',
      ScheduleExpression,
      FlexibleTimeWindow: { Mode: 'OFF' },
      Target: { RoleArn: arnOf('Role'), Input: '{"a":1}', ...target },
      ...more,
    },
  },
});
const TO_QUEUE = { Arn: arnOf('Out') };
const HOUR = 3_600_000;

async function pass(
  resources: Parameters<typeof createCloud>[0],
  ms: number,
  options: Parameters<typeof createCloud>[2] = {},
) {
  const cloud = createCloud(
    resources,
    { Work: 'exports.handler = async (event) => console.log(JSON.stringify(event));' },
    options,
  );
  await cloud.world.pass(ms);
  return cloud;
}

test('a rate comes at once and then again, each within its minute', async () => {
  const cloud = await pass({ Out, ...role(), ...schedule('rate(1 hour)', TO_QUEUE) }, 2 * HOUR + 60_000);
  expect(listMessages(cloud, 'Out')).toEqual(Array(3).fill({ a: 1 }));
  const offsets = cloud
    .queue('Shop/Out')
    .save()
    .messages.map(({ sentAt }) => (sentAt - cloud.world.begins) % HOUR);
  expect(Math.max(...offsets)).toBeLessThan(60_000);
});

test('the end of a history waits for a schedule that comes once, and not for others', async () => {
  const cloud = createCloud({ Out, ...role(), ...schedule('at(2026-02-01T00:00:00)', TO_QUEUE) });
  await cloud.world.settle();
  expect(cloud.world.now).toBeGreaterThanOrEqual(Date.UTC(2026, 1, 1));
  expect(listMessages(cloud, 'Out')).toEqual([{ a: 1 }]);
  const endless = createCloud({ Out, ...role(), ...schedule('cron(0 * * * ? *)', TO_QUEUE) });
  await endless.world.settle();
  expect(endless.world.now).toBe(endless.world.begins);
});

test('a wait of days has one tick an hour of a schedule that comes each minute, and afterwards each tick comes', async () => {
  const cloud = createCloud({ Out, ...role(), ...schedule('rate(1 minute)', TO_QUEUE) });
  cloud.world.after(24.5 * HOUR, () => undefined);
  await cloud.world.settle();
  const count = listMessages(cloud, 'Out').length;
  expect(count).toBeGreaterThan(60 + 20);
  expect(count).toBeLessThan(60 + 27);
  await cloud.world.pass(HOUR / 4);
  expect(listMessages(cloud, 'Out').length - count).toBeGreaterThan(12);
});

test('schedules end, and may be disabled', async () => {
  const some = await pass(
    { Out, ...role(), ...schedule('rate(1 hour)', TO_QUEUE, { EndDate: '2026-01-05T01:30:00Z' }) },
    5 * HOUR,
  );
  expect(listMessages(some, 'Out')).toHaveLength(2);
  const none = await pass({ Out, ...role(), ...schedule('rate(1 hour)', TO_QUEUE, { State: 'DISABLED' }) }, 5 * HOUR);
  expect(listMessages(none, 'Out')).toEqual([]);
});

test('the last ticks before the end of a schedule come also while a wait spaces them', async () => {
  const ends = schedule('rate(10 minutes)', TO_QUEUE, { EndDate: '2026-01-05T01:50:00Z' });
  const every = await pass({ Out, ...role(), ...ends }, 5 * HOUR);
  const spaced = createCloud({ Out, ...role(), ...ends });
  spaced.world.after(5 * HOUR, () => undefined);
  await spaced.world.settle();
  expect(listMessages(spaced, 'Out')).toHaveLength(listMessages(every, 'Out').length);
});

test('functions, state machines, topics, buses and streams are targets', async () => {
  const once = 'at(2026-01-05T01:00:00)';
  const fn = await pass(
    { ...role(), ...functionResource('Work'), ...schedule(once, { Arn: arnOf('Work') }) },
    2 * HOUR,
  );
  expect(fn.log.map(({ text }) => text)).toEqual(['{"a":1}']);
  const machine = await pass(
    { ...role(), ...machineResource({ Done: { Type: 'Succeed' } }), ...schedule(once, { Arn: { Ref: 'Machine' } }) },
    2 * HOUR,
  );
  expect(machine.machines.executions.map(({ input }) => input)).toEqual(['{"a":1}']);
  const Bus = { Type: 'AWS::Events::EventBus', Properties: { Name: 'shop' } };
  const EventBridgeParameters = { DetailType: 'Tick', Source: 'clock' };
  const bus = await pass({ Bus, ...role(), ...schedule(once, { Arn: arnOf('Bus'), EventBridgeParameters }) }, 2 * HOUR);
  expect(bus.events.accepted.map(({ event }) => event)).toMatchObject([
    { source: 'clock', 'detail-type': 'Tick', detail: { a: 1 } },
  ]);
  const Stream = { Type: 'AWS::Kinesis::Stream' };
  const KinesisParameters = { PartitionKey: 'tick' };
  const stream = await pass(
    { Stream, ...role(), ...schedule(once, { Arn: arnOf('Stream'), KinesisParameters }) },
    2 * HOUR,
  );
  expect(stream.kinesis.list().map(({ taken }) => taken)).toEqual([1]);
});

test('input names the schedule and its time', async () => {
  const Input =
    '{"at":"<aws.scheduler.scheduled-time>","by":"<aws.scheduler.schedule-arn>","try":"<aws.scheduler.attempt-number>"}';
  const cloud = await pass(
    { Out, ...role(), ...schedule('at(2026-01-05T01:00:00)', { ...TO_QUEUE, Input }) },
    2 * HOUR,
  );
  const by = 'arn:aws:scheduler:eu-west-1:123456789012:schedule/default/tick';
  expect(listMessages(cloud, 'Out')).toEqual([{ at: '2026-01-05T01:00:00Z', by, try: '1' }]);
});

test('what cannot be delivered is retried, and then goes to the dead-letter queue', async () => {
  const RetryPolicy = { MaximumRetryAttempts: 2, MaximumEventAgeInSeconds: 3600 };
  const target = { ...TO_QUEUE, RetryPolicy, DeadLetterConfig: { Arn: arnOf('Dead') } };
  const resources = { Out, Dead, ...role(), ...schedule('at(2026-01-05T01:00:00)', target) };
  const point = 'Shop/Schedule delivery 1';
  const after = async (kind: FaultKind) => {
    const cloud = await pass(resources, 4 * HOUR, { faults: new FixedFaults([{ point, kind }]) });
    return [listMessages(cloud, 'Out').length, listMessages(cloud, 'Dead').length];
  };
  expect(await after('undeliverable')).toEqual([0, 1]);
  expect(await after('delivered-twice')).toEqual([2, 0]);
  const denied = await pass({ ...resources, ...role(['sqs:GetQueueUrl']) }, 4 * HOUR);
  expect([listMessages(denied, 'Out'), listMessages(denied, 'Dead')]).toEqual([[], []]);
});

test('a target that is down for a minute gets the invocation later', async () => {
  const faults = new FixedFaults([{ point: 'Shop/Schedule delivery 1', kind: 'undeliverable-at-first' }]);
  const cloud = await pass({ Out, ...role(), ...schedule('at(2026-01-05T01:00:00)', TO_QUEUE) }, 4 * HOUR, { faults });
  expect(listMessages(cloud, 'Out')).toEqual([{ a: 1 }]);
});

test('what has no model is named', () => {
  const universal = { Arn: 'arn:aws:scheduler:::aws-sdk:ec2:startInstances' };
  expect(() => createCloud({ ...role(), ...schedule('rate(1 hour)', universal) })).toThrow(
    'the target arn:aws:scheduler:::aws-sdk:ec2:startInstances; functions',
  );
  expect(() => createCloud({ Out, ...role(), ...schedule('cron(0 12 ? * MON#1 *)', TO_QUEUE) })).toThrow(
    'the schedule cron(0 12 ? * MON#1 *)',
  );
});
