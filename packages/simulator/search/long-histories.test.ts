import { expect, test } from 'vitest';
import { loadDeployment } from '../cloud/cloud.js';
import { allowStatement, arnOf, CLIENT, functionResource, TABLE, writeAssembly } from '../support/clouds.js';
import { makeOracle } from './oracle.js';
import { playWithFaults } from './scenario.js';
import { SINGLES } from './singles.js';

/** Sends a message that nobody reads, and writes an item. */
const SENDS = `${CLIENT}
exports.handler = async () => {
  await call('AmazonSQS.SendMessage', { QueueUrl: process.env.QUEUE, MessageBody: 'nothing is due' });
  await call('DynamoDB_20120810.PutItem', { TableName: process.env.TABLE, Item: { pk: { S: 'tick ' + Date.now() } } });
};`;

const may = (name: string, service: string, source: string) => ({
  Type: 'AWS::Lambda::Permission',
  Properties: {
    Action: 'lambda:InvokeFunction',
    FunctionName: arnOf(name),
    Principal: `${service}.amazonaws.com`,
    SourceArn: source === 'Topic' ? { Ref: 'Topic' } : arnOf(source),
  },
});

/** An app whose topic has a subscription without a dead-letter queue, and that has a rule with a schedule. */
function makeApp(schedule: string, tick: string) {
  const Variables = { TABLE: { Ref: 'Table' }, QUEUE: { Ref: 'Failed' } };
  const rights = [
    allowStatement(['sqs:SendMessage'], arnOf('Failed')),
    allowStatement(['dynamodb:PutItem'], arnOf('Table')),
  ];
  return loadDeployment(
    writeAssembly(
      {
        Table: TABLE,
        Failed: { Type: 'AWS::SQS::Queue' },
        Topic: { Type: 'AWS::SNS::Topic' },
        ...functionResource('Work'),
        ...functionResource('Tick', rights, { Environment: { Variables } }),
        Subscription: {
          Type: 'AWS::SNS::Subscription',
          Properties: { TopicArn: { Ref: 'Topic' }, Protocol: 'lambda', Endpoint: arnOf('Work') },
        },
        Rule: {
          Type: 'AWS::Events::Rule',
          Properties: { ScheduleExpression: schedule, Targets: [{ Id: 'T', Arn: arnOf('Tick') }] },
        },
        MayWork: may('Work', 'sns', 'Topic'),
        MayTick: may('Tick', 'events', 'Rule'),
      },
      { Work: 'exports.handler = async () => undefined;', Tick: tick },
    ),
  );
}

/** Writes the same item each time. */
const LEASES = `${CLIENT}
exports.handler = () => call('DynamoDB_20120810.PutItem', { TableName: process.env.TABLE, Item: { pk: { S: 'lease' } } });`;

test.each([
  ['rate(1 minute)', SENDS],
  ['cron(0 12 15 * ? *)', LEASES],
])(
  'the 23 days of an undeliverable notification lose it, and what the schedule %s does adds nothing',
  async (schedule, tick) => {
    const deployment = makeApp(schedule, tick);
    const publish = { name: 'publish Shop/Topic', step: { publish: 'Shop/Topic', message: 'sold' } };
    const { scenario } = await makeOracle(deployment, [publish]);
    const { violations, faults } = await playWithFaults(deployment, scenario, SINGLES, [
      { point: 'Shop/Subscription delivery 1', kind: 'undeliverable' },
    ]);
    expect(faults).toHaveLength(1);
    expect(violations).toEqual([
      {
        invariant: 'no message is lost silently',
        detail: expect.stringMatching(/^\S+ Shop\/Subscription delivery 1 given up and LOST: .*$/),
      },
    ]);
  },
);
