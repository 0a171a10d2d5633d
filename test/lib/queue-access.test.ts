import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { developmentSettings, type EnvironmentSettings } from '../../packages/kit/base/settings.js';
import { stackProps } from '../../packages/kit/base/stack-props.js';
import { subscribeToAll } from '../../packages/kit/messages/subscriptions.js';
import { Service } from '../../packages/kit/service/service.construct.js';
import { type Json, noCode } from '../support/environments.js';

const event = { version: 1, data: z.object({ title: z.string() }) };
const publishers = ['a', 'b', 'c', 'd', 'e', 'f'].map((service) => ({ service, events: { Happened: event } }));

/** A service with an inbox that subscribes to six publishers, which are twelve rules. */
function synthesize(own: Pick<EnvironmentSettings, 'queuePolicies'>): Template {
  const settings = developmentSettings({
    app: { name: 'desk', roles: ['agent'] },
    auth: { issuer: 'https://login.example.com', audience: 'desk' },
    ...own,
  });
  const stack = new Stack(new App(), 'Desk', stackProps(settings, 'Desk', 'all of it'));
  const common = { settings, bundles: noCode, bus: new EventBus(stack, 'Bus'), alarmTopic: new Topic(stack, 'Topic') };
  const desk = new Service(stack, 'Desk', { ...common, name: 'desk' });
  desk.addInbox('Calls', { name: 'calls', entry: 'answer-call', subscribesTo: publishers.map(subscribeToAll) });
  return Template.fromStack(stack);
}

const of = (template: Template, type: string) => Object.entries<Json>(template.findResources(type));
const statementsOf = ({ Properties }: Json): readonly Json[] => Properties.PolicyDocument.Statement;

const WITHOUT_TLS = {
  Effect: 'Deny',
  Action: 'sqs:*',
  Principal: { AWS: '*' },
  Condition: { Bool: { 'aws:SecureTransport': 'false' } },
};
const byRules = (rules: readonly string[]) => ({
  Effect: 'Allow',
  Action: 'sqs:SendMessage',
  Principal: { Service: 'events.amazonaws.com' },
  Condition: { ArnEquals: { 'aws:SourceArn': rules.map((id) => ({ 'Fn::GetAtt': [id, 'Arn'] })) } },
});

test('the queues of a service share a policy: only its rules that send may send, and only over TLS', () => {
  const template = synthesize({});
  const [policy, ...others] = of(template, 'AWS::SQS::QueuePolicy').map(([, one]) => one);
  expect(others).toEqual([]);
  const queues = of(template, 'AWS::SQS::Queue').map(([id]) => id);
  expect(queues).toHaveLength(5);
  expect(policy.Properties.Queues.map(({ Ref }: Json) => Ref).toSorted()).toEqual(queues.toSorted());
  // The tick of the sweeper goes to no queue.
  const rules = of(template, 'AWS::Events::Rule').filter(
    ([, { Properties }]) => Properties.ScheduleExpression === undefined,
  );
  expect(rules).toHaveLength(13);
  const [deny, allow, ...more] = statementsOf(policy);
  expect(more).toEqual([]);
  expect(deny).toEqual({ ...WITHOUT_TLS, Resource: '*' });
  const senders = allow?.Condition.ArnEquals['aws:SourceArn'].map((arn: Json) => arn['Fn::GetAtt'][0]);
  expect(senders.toSorted()).toEqual(rules.map(([id]) => id).toSorted());
  expect(allow).toEqual({ ...byRules(senders), Resource: '*' });
});

test('with a policy for each queue, only the rules that send to a queue are in its policy, in one condition', () => {
  const template = synthesize({ queuePolicies: 'queue' });
  const policies = of(template, 'AWS::SQS::QueuePolicy').map(([, policy]) => policy);
  expect(policies).toHaveLength(5);
  const rules = of(template, 'AWS::Events::Rule');
  for (const policy of policies) {
    const [{ Ref: queue }] = policy.Properties.Queues;
    const Resource = { 'Fn::GetAtt': [queue, 'Arn'] };
    const sending = rules.flatMap(([id, rule]) =>
      JSON.stringify(rule.Properties.Targets).includes(queue) ? [id] : [],
    );
    const expected = sending.length === 0 ? [] : [{ ...byRules(sending), Resource }];
    expect(statementsOf(policy)).toEqual([{ ...WITHOUT_TLS, Resource }, ...expected]);
  }
});

test('no policy of a queue is deleted, because its deletion would clear the one that has taken its place', () => {
  for (const queuePolicies of ['service', 'queue'] as const) {
    for (const [, { DeletionPolicy }] of of(synthesize({ queuePolicies }), 'AWS::SQS::QueuePolicy'))
      expect(DeletionPolicy).toBe('Retain');
  }
});
