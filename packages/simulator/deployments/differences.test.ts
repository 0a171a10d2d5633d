import { expect, test } from 'vitest';
import type { Json } from '../assembly/intrinsics.js';
import { exportOf, stackOf } from '../support/deployments.js';
import { differencesOf } from './differences.js';

const topic = (properties: Record<string, Json> = {}) => ({ Type: 'AWS::SNS::Topic', Properties: properties });
const queue = { Type: 'AWS::SQS::Queue', Properties: {} };
const OUT = { outputs: { Out: exportOf('Alarms', { Ref: 'Topic' }) } };
const user = stackOf('Api', { Copy: topic({ DisplayName: { 'Fn::ImportValue': 'Alarms' } }) });

test('what AWS would replace, delete or keep without a stack is said in a line each', () => {
  const kept = { ...queue, DeletionPolicy: 'Retain' };
  const before = stackOf('Orders', {
    Topic: topic({ TopicName: 'one', DisplayName: 'One' }),
    Inbox: queue,
    Kept: kept,
  });
  const after = stackOf('Orders', { Topic: topic({ TopicName: 'two', DisplayName: 'Two' }), New: queue });
  expect(differencesOf([before], [after]).toSorted()).toEqual([
    expect.stringMatching(
      /^AWS would delete Orders\/Inbox \(AWS::SQS::Queue\), with the messages in it: if its consumer has another name now, it is another consumer/,
    ),
    'AWS would keep Orders/Kept (AWS::SQS::Queue) without a stack',
    'AWS would replace Orders/Topic (AWS::SNS::Topic): another TopicName',
  ]);
  expect(differencesOf([before], [before])).toEqual([]);
});

test('a queue that goes without another one takes its messages along, and nothing is guessed about a name', () =>
  expect(differencesOf([stackOf('Orders', { Inbox: queue })], [stackOf('Orders', {})])).toEqual([
    'AWS would delete Orders/Inbox (AWS::SQS::Queue), with the messages in it',
  ]));

test('what AWS would refuse is said with its reason', () => {
  const [before, after] = [stackOf('Platform', { Topic: topic() }, OUT), stackOf('Platform', { Topic: topic() })];
  expect(differencesOf([before, user], [after, user])).toEqual([
    'AWS would refuse Platform: Export Alarms cannot be deleted as it is in use by Api',
  ]);
});
