import { expect, test } from 'vitest';
import { FixedFaults } from '../engine/faults.js';
import { allowStatement, arnOf, createCloud, functionResource, QUEUE_RIGHTS } from '../support/clouds.js';
import { listLosses } from './end-state.js';

const DELIVERIES = ['Shop/Tick delivery 1', 'Shop/Each delivery 1', 'Shop/Sold delivery 1'];

test('a tick that is never delivered is no lost message, and an event is one', async () => {
  const rule = (more: object) => ({
    Type: 'AWS::Events::Rule',
    Properties: { Targets: [{ Id: 'T', Arn: arnOf('Work') }], ...more },
  });
  const schedule = (ScheduleExpression: string) => ({
    Type: 'AWS::Scheduler::Schedule',
    Properties: {
      ScheduleExpression,
      FlexibleTimeWindow: { Mode: 'OFF' },
      Target: { RoleArn: arnOf('WorkRole'), Arn: arnOf('Work') },
    },
  });
  const cloud = createCloud(
    {
      ...functionResource('Work', [allowStatement(['lambda:InvokeFunction'], '*')]),
      Each: schedule('rate(1 minute)'),
      Tick: rule({ ScheduleExpression: 'rate(1 minute)' }),
      Sold: rule({ EventPattern: { source: ['shop'] } }),
    },
    {},
    { faults: new FixedFaults(DELIVERIES.map((point) => ({ point, kind: 'undeliverable' }))) },
  );
  await cloud.world.pass(60_000);
  await cloud.world.settle();
  expect(cloud.faults.injected.map(({ point }) => point).sort()).toEqual([
    'Shop/Each delivery 1',
    'Shop/Tick delivery 1',
  ]);
  expect(listLosses(cloud, new Set())).toEqual([]);
  cloud.events.put('default', { source: 'shop', detailType: 'Sold', detail: {} });
  await cloud.world.settle();
  expect(listLosses(cloud, new Set())).toEqual([expect.stringContaining('LOST')]);
});

test.each([
  ['Work', ['a message of Shop/Queue expired']],
  ['nobody', []],
])('a message that expires in a queue that %s reads', async (reader, losses) => {
  const mapping = {
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: { EventSourceArn: arnOf('Queue'), FunctionName: { Ref: 'Work' } },
  };
  const cloud = createCloud(
    {
      ...functionResource('Work', [allowStatement(QUEUE_RIGHTS, arnOf('Queue'))]),
      Queue: { Type: 'AWS::SQS::Queue' },
      ...(reader === 'Work' && { Mapping: mapping }),
    },
    { Work: `exports.handler = async () => { throw new Error('poison'); };` },
  );
  cloud.queue('Shop/Queue').send({ body: '{}' });
  await cloud.world.pass(5 * 86_400_000);
  cloud.queue('Shop/Queue').listMessages();
  await cloud.world.settle();
  expect(listLosses(cloud, new Set())).toEqual(losses);
});
