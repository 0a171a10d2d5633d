import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { arnOf, createCloud, functionResource } from '../../support/clouds.js';
import { SubscriptionRefused } from './subscriptions.js';

const LOGS = `exports.handler = async (lines) => { for (const line of lines) console.log(line); };`;
const TAKES = `exports.handler = async ({ awslogs }) => console.log('took ' + awslogs.data);`;

const subscription = (name: string, more: object = {}) => ({
  [name]: {
    Type: 'AWS::Logs::SubscriptionFilter',
    Properties: {
      DestinationArn: arnOf('Take'),
      FilterPattern: '{ $.kind = "span" }',
      LogGroupName: { Ref: 'Lines' },
      ...more,
    },
  },
});

const permission = (Principal: string, SourceArn: string) => ({
  Permission: {
    Type: 'AWS::Lambda::Permission',
    Properties: { Action: 'lambda:InvokeFunction', FunctionName: arnOf('Take'), Principal, SourceArn },
  },
});
const OF_LOGS = permission('logs.amazonaws.com', 'arn:aws:logs:*:*:log-group:*');

const RESOURCES = {
  Lines: { Type: 'AWS::Logs::LogGroup', Properties: {} },
  ...functionResource('Work', [], { LoggingConfig: { LogGroup: { Ref: 'Lines' } } }),
  ...functionResource('Take'),
};

async function deliver(resources: object, ...lines: readonly string[]) {
  const cloud = createCloud({ ...RESOURCES, ...resources } as typeof RESOURCES, { Work: LOGS, Take: TAKES });
  cloud.fn('Shop/Work').invoke(lines, () => undefined);
  await cloud.world.settle();
  const taken = cloud.log.flatMap(({ fn, text }) => (fn === 'Shop/Take' ? [text.replace(/^took /, '')] : []));
  return { cloud, taken: taken.map((data) => JSON.parse(gunzipSync(Buffer.from(data, 'base64')).toString())) };
}

test('lines that match a filter arrive at a function, compressed and together', async () => {
  const [one, two] = [JSON.stringify({ kind: 'span', n: 1 }), JSON.stringify({ kind: 'span', n: 2 })];
  const { taken } = await deliver(
    { ...subscription('Spans'), ...OF_LOGS },
    one,
    'plain "kind" = "span"',
    two,
    '{"kind":"log"}',
  );
  expect(taken).toHaveLength(1);
  expect(taken[0]).toMatchObject({ messageType: 'DATA_MESSAGE', subscriptionFilters: ['Shop-Spans'] });
  expect(taken[0].logEvents.map(({ message }: { message: string }) => message)).toEqual([one, two]);
});

test.each([
  ['no permission', {}],
  ['a permission of another service', permission('events.amazonaws.com', 'arn:aws:logs:*:*:log-group:*')],
  ['a permission for another group', permission('logs.amazonaws.com', 'arn:aws:logs:*:*:log-group:other:*')],
])('with %s, lines are lost, and the trace says so', async (_, given) => {
  const { cloud, taken } = await deliver({ ...subscription('Spans'), ...given }, '{"kind":"span"}');
  expect(taken).toEqual([]);
  expect(cloud.world.trace.lines.join('\n')).toContain('Shop/Spans: 1 lines are LOST');
});

test('a third filter of a group, and a destination that is no function, are refused', () => {
  const three = { ...subscription('A'), ...subscription('B'), ...subscription('C') };
  expect(() => createCloud({ ...RESOURCES, ...three } as typeof RESOURCES)).toThrow(SubscriptionRefused);
  const stream = subscription('A', { DestinationArn: 'arn:aws:kinesis:eu-west-1:123456789012:stream/lines' });
  expect(() => createCloud({ ...RESOURCES, ...stream } as typeof RESOURCES)).toThrow('is no function of this assembly');
});
