import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { expect, test } from 'vitest';
import { MAX_METRICS, ServiceAlarms } from '../../packages/kit/base/service-alarms.construct.js';
import { type Json, metricsOf } from '../support/environments.js';
import { HotelStack } from './fixtures/hotel-app.js';

const resources = Object.values<Json>(Template.fromStack(new HotelStack()).toJSON().Resources);
const ofType = (type: string): readonly Json[] => resources.filter(({ Type }) => Type === type);

/** Limits for an app of twelve functions of its own, in five services and one stack. */
const MOST = { resources: 299, alarms: 44 };

test('an app of twelve functions has few resources and alarms, and each of its functions a role of its own', () => {
  expect(resources.length).toBeLessThanOrEqual(MOST.resources);
  expect(
    ofType('AWS::CloudWatch::Alarm').length + ofType('AWS::CloudWatch::CompositeAlarm').length,
  ).toBeLessThanOrEqual(MOST.alarms);
  const roles = ofType('AWS::Lambda::Function').map(({ Properties }) => Properties.Role['Fn::GetAtt'][0]);
  expect(roles).toHaveLength(39);
  expect(new Set(roles).size).toBe(roles.length);
  expect(ofType('AWS::IAM::Policy')).toEqual([]);
});

test('a service with more parts than one alarm can watch gets another alarm of the same name', () => {
  const app = new App();
  const stack = new Stack(app, 'Stack');
  const alarms = new ServiceAlarms(stack, new Topic(stack, 'Topic'));
  for (let at = 0; at <= MAX_METRICS; at++) {
    const metric = new Metric({ namespace: 'Test', metricName: `M${at}`, statistic: 'sum' });
    alarms.watch('FunctionFailing', { metric, label: `part ${at}` });
    // The same metric again is no part more.
    alarms.watch('FunctionFailing', { metric, label: 'again' });
  }
  const made = Object.values<Json>(Template.fromStack(stack).findResources('AWS::CloudWatch::Alarm'));
  expect(made.map(({ Properties }) => metricsOf(Properties).length)).toEqual([MAX_METRICS, 1]);
  expect(new Set(made.map(({ Properties }) => Properties.AlarmDescription)).size).toBe(1);
});
