import { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, test } from 'vitest';
import { settingsFor } from '../../lib/settings.js';
import { addEnvironment, type Json, newApp, STACKS, stackOf } from '../support/environments.js';

const resourcesOf = (template: Json, type: string): readonly (readonly [string, Json])[] =>
  Object.entries<Json>(template.Resources).filter(([, { Type }]) => Type === type);

describe('an environment with webhooks', () => {
  const app = newApp();
  const environment = addEnvironment(app, 'dev', { webhooks: 'on' });
  let template: Json;
  beforeAll(() => {
    template = Template.fromStack(stackOf(environment, 'Webhooks')).toJSON();
  });

  test('has one stack more, with its routes behind the API', () => {
    expect(environment.node.children.filter(({ node }) => node.id === 'Webhooks')).toHaveLength(1);
    const paths = resourcesOf(
      Template.fromStack(stackOf(environment, 'Api')).toJSON(),
      'AWS::ApiGateway::Resource',
    ).map(([, { Properties }]) => Properties.PathPart);
    expect(paths).toEqual(expect.arrayContaining(['webhooks', '{webhookId}', 'deliveries', 'redelivery']));
  });

  test('raises a ticket for a disabled webhook, and none for a delivery that waits for its receiver', () => {
    const alarms = resourcesOf(template, 'AWS::CloudWatch::Alarm');
    const disabled = alarms.filter(([id]) => id.includes('WebhookDisabled'));
    expect(disabled.map(([, { Properties }]) => Properties)).toEqual([
      expect.objectContaining({
        MetricName: 'WebhooksDisabled',
        Threshold: 1,
        AlarmActions: [expect.anything()],
        AlarmDescription: expect.stringMatching(/^WebhookDisabled[\s\S]*ticket/),
      }),
    ]);
    const waiting = JSON.stringify(alarms).match(/"Value":"webhooks-[a-z]+"/g);
    expect(waiting).toContain('"Value":"webhooks-orders"');
    const oldest = alarms.filter(([, alarm]) => JSON.stringify(alarm).includes('InboxOldestPending'));
    expect(JSON.stringify(oldest)).not.toMatch(/webhooks-(deliveries|ordered)/);
  });

  test('lets only what sends or shows a webhook decrypt, and only two functions shred its key', () => {
    const allowed = (action: string) =>
      resourcesOf(template, 'AWS::IAM::Role')
        .filter(([, role]) => JSON.stringify(role).includes(`"${action}"`))
        .map(([id]) => id.replace(/(Function)?(Service)?Role.*$/, ''))
        .toSorted();
    // Whoever shows a webhook opens the address of its receiver.
    const shows = ['Enable', 'Get', 'List', 'Register', 'RotateSecret'];
    expect(allowed('kms:Decrypt')).toEqual([...shows, 'RunDeliveries', 'RunOrderedDeliveries'].toSorted());
    expect(allowed('kms:GenerateDataKey')).toEqual(['Register', 'RotateSecret']);
    const shreds = resourcesOf(template, 'AWS::IAM::Role')
      .filter(([, role]) => /PERSON#/.test(JSON.stringify(role)) && !JSON.stringify(role).includes('kms:'))
      .map(([id]) => id.replace(/(Function)?(Service)?Role.*$/, ''));
    expect(shreds.toSorted()).toEqual(['Delete', 'OnForgettings']);
  });
});

test('no environment has webhooks by itself, and nothing of them costs anything there', () => {
  for (const name of ['dev', 'prod'])
    expect(settingsFor(name, { issuer: 'https://a.example/' })).not.toHaveProperty('webhooks');
  const environment = addEnvironment(newApp(), 'dev', { webhooks: 'off' });
  const stacks = environment.node.children.map(({ node }) => node.id);
  expect(stacks).toEqual(expect.arrayContaining([...STACKS]));
  expect(stacks).not.toContain('Webhooks');
});

test('the setting is on or off', () => {
  expect(() => settingsFor('dev', { webhooks: 'yes' as 'on' })).toThrow("webhooks is 'yes': expected on or off");
});
