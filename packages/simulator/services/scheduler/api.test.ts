import { expect, test } from 'vitest';
import type { Cloud } from '../../cloud/cloud.js';
import { allowStatement, createCloud, functionResource } from '../../support/clouds.js';
import { listMessages } from '../../support/pipes.js';

const RIGHTS = ['scheduler:*', 'iam:PassRole', 'sqs:SendMessage'];
const account = (rights: readonly string[] = RIGHTS) =>
  createCloud({ Out: { Type: 'AWS::SQS::Queue' }, ...functionResource('Work', [allowStatement(rights, '*')]) });
const Target = {
  Arn: 'arn:aws:sqs:eu-west-1:123456789012:Shop-Out',
  RoleArn: 'arn:aws:iam::123456789012:role/Shop-WorkRole',
  Input: '{"order":1}',
};
const late = {
  Name: 'late',
  ScheduleExpression: 'at(2026-01-05T01:00:00)',
  FlexibleTimeWindow: { Mode: 'OFF' },
  Target,
};

/** Asks as the function does. @returns the answer, or the code of its error */
function ask(cloud: Cloud, operation: string, input: object): unknown {
  const request = { service: 'scheduler', protocol: 'rest-json', operation, input: { ...input } } as const;
  const answer = cloud.services.perform(request, { fn: cloud.fn('Shop/Work') });
  if (typeof answer === 'function' || 'raw' in answer) return undefined;
  return 'error' in answer ? answer.error.code : answer.output;
}

test('a function schedules a timeout, which comes once', async () => {
  const cloud = account();
  expect(ask(cloud, 'CreateSchedule', { ...late, ActionAfterCompletion: 'DELETE' })).toEqual({
    ScheduleArn: 'arn:aws:scheduler:eu-west-1:123456789012:schedule/default/late',
  });
  await cloud.world.settle();
  expect(listMessages(cloud, 'Out')).toEqual([{ order: 1 }]);
  expect(ask(cloud, 'GetSchedule', { Name: 'late' })).toBe('ResourceNotFoundException');
});

test('a schedule that is deleted does not come', async () => {
  const cloud = account();
  ask(cloud, 'CreateSchedule', late);
  expect(ask(cloud, 'DeleteSchedule', { Name: 'late', groupName: 'default' })).toEqual({});
  expect(ask(cloud, 'DeleteSchedule', { Name: 'late' })).toBe('ResourceNotFoundException');
  await cloud.world.settle();
  expect(listMessages(cloud, 'Out')).toEqual([]);
});

test('a name is taken once; the same request may come again', () => {
  const cloud = account();
  const ClientToken = 'one';
  ask(cloud, 'CreateSchedule', { ...late, ClientToken });
  expect(ask(cloud, 'CreateSchedule', { ...late, ClientToken })).toHaveProperty('ScheduleArn');
  expect(ask(cloud, 'CreateSchedule', { ...late, ClientToken: 'two' })).toBe('ConflictException');
  expect(ask(cloud, 'CreateSchedule', { ...late, GroupName: 'other', ClientToken: 'two' })).toHaveProperty(
    'ScheduleArn',
  );
});

test('an update replaces the time, and the earlier one does not come', async () => {
  const cloud = account();
  ask(cloud, 'CreateSchedule', late);
  ask(cloud, 'UpdateSchedule', { ...late, ScheduleExpression: 'at(2026-01-07T00:00:00)' });
  await cloud.world.pass(86_400_000);
  expect(listMessages(cloud, 'Out')).toEqual([]);
  await cloud.world.pass(2 * 86_400_000);
  expect(listMessages(cloud, 'Out')).toEqual([{ order: 1 }]);
});

test('a function needs the right to the schedule, and the right to pass the role on', () => {
  expect(ask(account(['scheduler:CreateSchedule']), 'CreateSchedule', late)).toBe('AccessDeniedException');
  expect(ask(account(['iam:PassRole']), 'CreateSchedule', late)).toBe('AccessDeniedException');
});
