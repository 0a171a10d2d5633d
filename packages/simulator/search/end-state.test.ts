import { expect, test } from 'vitest';
import { FixedFaults } from '../engine/faults.js';
import { arnOf, createCloud, functionResource } from '../support/clouds.js';
import { listLosses } from './end-state.js';

const DELIVERIES = ['Shop/Tick delivery 1', 'Shop/Sold delivery 1'];

test('a tick that is never delivered is no lost message, and an event is one', async () => {
  const rule = (more: object) => ({
    Type: 'AWS::Events::Rule',
    Properties: { Targets: [{ Id: 'T', Arn: arnOf('Work') }], ...more },
  });
  const cloud = createCloud(
    {
      ...functionResource('Work'),
      Tick: rule({ ScheduleExpression: 'rate(1 minute)' }),
      Sold: rule({ EventPattern: { source: ['shop'] } }),
    },
    {},
    { faults: new FixedFaults(DELIVERIES.map((point) => ({ point, kind: 'undeliverable' }))) },
  );
  await cloud.world.pass(60_000);
  await cloud.world.settle();
  expect(cloud.faults.injected).toMatchObject([{ point: DELIVERIES[0] }]);
  expect(listLosses(cloud, new Set())).toEqual([]);
  cloud.events.put('default', { source: 'shop', detailType: 'Sold', detail: {} });
  await cloud.world.settle();
  expect(listLosses(cloud, new Set())).toEqual([expect.stringContaining('LOST')]);
});
