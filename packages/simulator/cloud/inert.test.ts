import { expect, test } from 'vitest';
import { arnOf, createCloud, functionResource } from '../support/clouds.js';

const TOPIC = { Type: 'AWS::SNS::Topic', Properties: { TopicName: 'alerts' } };
const subscription = (Protocol: string) => ({
  Type: 'AWS::SNS::Subscription',
  Properties: { TopicArn: { Ref: 'Topic' }, Protocol, Endpoint: 'somewhere' },
});
const ruleTo = (Arn: ReturnType<typeof arnOf>) => ({
  Type: 'AWS::Events::Rule',
  Properties: { EventPattern: { source: ['shop'] }, Targets: [{ Id: 'Target', Arn }] },
});

test('a topic of people is inert, and its rule says in the trace that they get a message', async () => {
  const cloud = createCloud({ Topic: TOPIC, Subscription: subscription('email'), Rule: ruleTo({ Ref: 'Topic' }) });
  cloud.events.put('default', { source: 'shop', detailType: 'Sold', detail: {} });
  await cloud.world.settle();
  expect(cloud.world.trace.lines.join('\n')).toContain('Shop/Rule tells people of Sold');
});

test.each(['firehose', 'application'])('a subscription without a model is refused by name: %s', (protocol) => {
  const refused = `(Shop/Subscription): a subscription by '${protocol}' isn't modelled`;
  expect(() => createCloud({ Topic: TOPIC, Subscription: subscription(protocol) })).toThrow(refused);
  const inline = { ...TOPIC, Properties: { Subscription: [{ Protocol: protocol, Endpoint: 'x' }] } };
  expect(() => createCloud({ Topic: inline })).toThrow(`AWS::SNS::Topic (Shop/Topic): a subscription by`);
});

test('a log group is for people too, as long as no function subscribes to it', () => {
  const logs = { Type: 'AWS::Logs::LogGroup', Properties: { LogGroupName: '/aws/events/all' } };
  const arn = 'arn:aws:logs:eu-west-1:123456789012:log-group:/aws/events/all';
  expect(() => createCloud({ Logs: logs, Rule: ruleTo(arn) })).not.toThrow();
  const filter = {
    Type: 'AWS::Logs::SubscriptionFilter',
    Properties: { LogGroupName: { Ref: 'Logs' }, DestinationArn: arnOf('Work'), FilterPattern: '' },
  };
  const read = { Logs: logs, Rule: ruleTo(arn), Filter: filter, ...functionResource('Work') };
  expect(() => createCloud(read)).toThrow('(Shop/Rule): the target arn:aws:logs');
});

test('an endpoint of a pager subscribes to alarms, and to no rule', () => {
  const pager = { Topic: TOPIC, Subscription: subscription('https') };
  expect(() => createCloud(pager)).not.toThrow();
  expect(() => createCloud({ ...pager, Rule: ruleTo({ Ref: 'Topic' }) })).toThrow(
    'AWS::Events::Rule (Shop/Rule): its target',
  );
});

test.each([
  [
    'a rule',
    { Rule: ruleTo('arn:aws:states:eu-west-1:123456789012:stateMachine:Order') },
    'Shop/Rule): the target arn:aws:states',
  ],
  [
    'a function',
    {
      Config: {
        Type: 'AWS::Lambda::EventInvokeConfig',
        Properties: { FunctionName: 'Work', DestinationConfig: { OnFailure: { Destination: 'arn:aws:sns:::alerts' } } },
      },
    },
    'AWS::Lambda::EventInvokeConfig (Shop/Config): the destination arn:aws:sns:::alerts is no queue',
  ],
  [
    'a dead-letter topic',
    functionResource('Work', [], { DeadLetterConfig: { TargetArn: 'arn:aws:sns:::alerts' } }),
    'AWS::Lambda::Function (Shop/Work): the destination arn:aws:sns:::alerts is no queue',
  ],
  [
    'a deployment that makes a stage',
    { Deployed: { Type: 'AWS::ApiGateway::Deployment', Properties: { RestApiId: 'x', StageName: 'v1' } } },
    'AWS::ApiGateway::Deployment (Shop/Deployed): StageName',
  ],
  [
    'a bucket with a key of its own',
    {
      Bucket: {
        Type: 'AWS::S3::Bucket',
        Properties: {
          BucketEncryption: {
            ServerSideEncryptionConfiguration: [
              { ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: 'key' } },
            ],
          },
        },
      },
    },
    'ServerSideEncryptionByDefault.KMSMasterKeyID',
  ],
])('a target without a receiver, or with an effect, is refused by name: %s', (_, resources, message) => {
  expect(() => createCloud(resources)).toThrow(message);
});

test('a host name of one’s own in front of an API is inert, with the names that a record takes from it', () => {
  const properties = { DomainName: 'api.example.org', SecurityPolicy: 'TLS_1_2' };
  const cloud = createCloud({
    Host: { Type: 'AWS::ApiGateway::DomainName', Properties: properties },
    Mapping: { Type: 'AWS::ApiGateway::BasePathMapping', Properties: { DomainName: { Ref: 'Host' }, BasePath: 'v1' } },
    Record: {
      Type: 'AWS::Route53::RecordSet',
      Properties: { AliasTarget: { DNSName: { 'Fn::GetAtt': ['Host', 'RegionalDomainName'] } } },
    },
  });
  const [record] = cloud.deployment.assembly.findByType('AWS::Route53::RecordSet');
  expect(record?.properties).toEqual({
    AliasTarget: { DNSName: 'd-api.example.org.execute-api.eu-west-1.amazonaws.com' },
  });
});

test('what describes mail is inert, and a call that sends mail is not modelled', async () => {
  const described = {
    Template: { Type: 'AWS::SES::Template', Properties: { Template: { TemplateName: 'sold', SubjectPart: 'Sold' } } },
    Identity: { Type: 'AWS::SES::EmailIdentity', Properties: { EmailIdentity: 'shop.example' } },
    Sent: { Type: 'AWS::SES::ConfigurationSet', Properties: {} },
  };
  const sends = `const { request } = require('https');
    exports.handler = () => new Promise((resolve) =>
      request({ method: 'POST', host: 'email.eu-west-1.amazonaws.com', path: '/v2/email/outbound-emails' }, resolve).end());`;
  const cloud = createCloud({ ...described, ...functionResource('Work') }, { Work: sends });
  cloud.fn('Shop/Work').invoke({}, () => undefined);
  await expect(cloud.world.settle()).rejects.toThrow(
    'POST https://email.eu-west-1.amazonaws.com/v2/email/outbound-emails',
  );
  const tells = { Type: 'AWS::SES::ConfigurationSetEventDestination', Properties: {} };
  expect(() => createCloud({ ...described, Tells: tells })).toThrow('AWS::SES::ConfigurationSetEventDestination');
});
