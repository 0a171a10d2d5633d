import type { MapEdge } from '@orderly/console';
import { describe, expect, test } from 'vitest';
import { apiMethod, apiResource, createApi } from '../support/apis.js';
import { allowStatement, arnOf, createCloud, functionResource, QUEUE_RIGHTS, TABLE } from '../support/clouds.js';
import { mapOf } from './page-map.js';
import { countMap } from './page-map-counts.js';
import { eventFacts, referenceOf } from './page-reference.js';

const BUS = { Type: 'AWS::Events::EventBus', Properties: { Name: 'bus' } };
const onlyAs = (source: string) => ({ StringEquals: { 'events:source': source } });
const CLOUD = createCloud({
  Table: TABLE,
  Other: TABLE,
  Bus: BUS,
  Dead: { Type: 'AWS::SQS::Queue' },
  Queue: {
    Type: 'AWS::SQS::Queue',
    Properties: { RedrivePolicy: { deadLetterTargetArn: arnOf('Dead'), maxReceiveCount: 3 } },
  },
  QueueMay: {
    Type: 'AWS::SQS::QueuePolicy',
    Properties: {
      Queues: [{ Ref: 'Queue' }],
      PolicyDocument: {
        Statement: [{ ...(allowStatement(['sqs:SendMessage'], arnOf('Queue')) as object), Principal: '*' }],
      },
    },
  },
  Rule: {
    Type: 'AWS::Events::Rule',
    Properties: {
      EventBusName: { Ref: 'Bus' },
      EventPattern: { source: ['shop'], 'detail-type': ['Placed', 'Cancelled'] },
      Targets: [{ Id: 'queue', Arn: arnOf('Queue') }],
    },
  },
  ForeignRule: {
    Type: 'AWS::Events::Rule',
    Properties: {
      EventBusName: { Ref: 'Bus' },
      EventPattern: { source: [{ 'anything-but': ['shop'] }] },
      Targets: [{ Id: 'dead', Arn: arnOf('Dead') }],
    },
  },
  Hourly: {
    Type: 'AWS::Events::Rule',
    Properties: { ScheduleExpression: 'rate(1 hour)', Targets: [{ Id: 'fn', Arn: arnOf('Writes') }] },
  },
  Mapping: {
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: { EventSourceArn: arnOf('Queue'), FunctionName: { Ref: 'Reads' } },
  },
  ...functionResource('Reads', [
    allowStatement(QUEUE_RIGHTS, arnOf('Queue')),
    allowStatement(['dynamodb:GetItem'], arnOf('Table')),
  ]),
  ...functionResource(
    'Writes',
    [
      allowStatement(['dynamodb:GetItem', 'dynamodb:PutItem'], arnOf('Table')),
      allowStatement(['events:PutEvents'], arnOf('Bus'), onlyAs('shop')),
      allowStatement(['events:PutEvents'], arnOf('Bus'), onlyAs('store')),
    ],
    {
      Environment: {
        Variables: { CARDS: 'https://cards.example.com/v1', SELF: 'https://sqs.eu-west-1.amazonaws.com/1/q' },
      },
    },
  ),
  ...functionResource('Administers', [allowStatement(['dynamodb:*'], '*')], {
    Environment: { Variables: { TABLES: { 'Fn::Join': ['', ['["', { Ref: 'Other' }, '"]']] } } },
  }),
});
const MAP = mapOf(CLOUD);
const textOf = ({ from, to, kind }: MapEdge): string => `${from} ${kind} ${to}`.replaceAll('Shop/', '');
const edgesOf = (kinds: readonly MapEdge['kind'][]): readonly string[] =>
  MAP.edges.filter(({ kind }) => kinds.includes(kind)).map(textOf);

describe('the map of what is deployed', () => {
  test('it has the resources by their kinds, and the stack as their service', () => {
    expect(MAP.services).toEqual([{ id: 'Shop', name: 'Shop' }]);
    expect(MAP.nodes.map(({ id }) => id.replace('Shop/', '')).sort()).toEqual(
      [
        'table:Table',
        'table:Other',
        'bus:Bus',
        'queue:Dead',
        'queue:Queue',
        'function:Reads',
        'function:Writes',
        'function:Administers',
        'schedule:Hourly',
        'provider:cards.example.com',
      ].sort(),
    );
  });

  test('messages go by rules, schedules and mappings, and what fails to the dead-letter queue', () => {
    expect(edgesOf(['delivers', 'consumes', 'fails'])).toEqual([
      'bus:Bus delivers queue:Queue',
      'bus:Bus delivers queue:Dead',
      'queue:Queue consumes function:Reads',
      'queue:Queue fails queue:Dead',
    ]);
    expect(edgesOf(['calls'])).toEqual([
      'schedule:Hourly calls function:Writes',
      'function:Writes calls provider:cards.example.com',
    ]);
    expect(MAP.nodes.find(({ id }) => id === 'queue:Shop/Dead')?.isDeadLetter).toBe(true);
  });

  test('a rule says which sources and types it names, and none that it describes in another way', () => {
    const [rule, foreign] = MAP.edges.flatMap(({ rules = [] }) => rules);
    expect(rule).toEqual({ label: 'Shop/Rule', sources: ['shop'], types: ['Placed', 'Cancelled'] });
    expect(foreign).toEqual({ label: 'Shop/ForeignRule', sources: [], types: [] });
  });

  test('a function reads and writes what its role names, and of a right to everything what its variables name', () => {
    expect(edgesOf(['reads', 'writes'])).toEqual([
      'function:Reads reads table:Table',
      'function:Writes writes table:Table',
      'function:Administers writes table:Other',
    ]);
  });

  test('a publisher may name the sources of each statement', () => {
    expect(MAP.edges.find(({ kind }) => kind === 'publishes')?.sources).toEqual(['shop', 'store']);
  });

  test('a host outside is on the map when a function has called it', () => {
    const cloud = createCloud({ ...functionResource('Pays') });
    cloud.thirdParties.callers.set('bank.example.com', new Set(['Shop/Pays']));
    expect(mapOf(cloud).edges.map(textOf)).toEqual(['function:Pays calls provider:bank.example.com']);
  });
});

test('counts tell what waits, what is in flight, and what lies in dead-letter queues', () => {
  const cloud = createCloud({
    Dead: { Type: 'AWS::SQS::Queue' },
    Idle: { Type: 'AWS::SQS::Queue' },
    Queue: {
      Type: 'AWS::SQS::Queue',
      Properties: { RedrivePolicy: { deadLetterTargetArn: arnOf('Dead'), maxReceiveCount: 3 } },
    },
    ...functionResource('Fails'),
  });
  for (const body of ['a', 'b', 'c']) cloud.queue('Shop/Queue').send({ body });
  cloud.queue('Shop/Queue').receive(1);
  cloud.queue('Shop/Dead').send({ body: 'd' });
  cloud.fn('Shop/Fails').failedAt.set(cloud.world.now - 4 * 60_000, 2);
  cloud.fn('Shop/Fails').failedAt.set(cloud.world.now - 6 * 60_000, 5);
  expect(countMap(cloud).counts).toEqual({
    'queue:Shop/Queue': { pending: 2, inFlight: 1, errors: 0 },
    'queue:Shop/Dead': { pending: 1, inFlight: 0, errors: 1 },
    'function:Shop/Fails': { pending: 0, inFlight: 0, errors: 2 },
  });
});

test('an invocation is in flight until it ends, however it ends', async () => {
  const cloud = createCloud(functionResource('Works'), {
    Works: 'exports.handler = async () => { throw new Error(); };',
  });
  cloud.fn('Shop/Works').invoke({}, () => undefined);
  expect(countMap(cloud).counts).toEqual({ 'function:Shop/Works': { pending: 0, inFlight: 1, errors: 0 } });
  await cloud.world.settle();
  expect(countMap(cloud).counts).toEqual({ 'function:Shop/Works': { pending: 0, inFlight: 0, errors: 1 } });
});

test('a request to a route is in flight until it is answered, and an answer of 500 or more is an error', async () => {
  const cloud = createApi(
    { Orders: apiResource('orders'), Get: apiMethod('Orders', 'GET') },
    { Echo: 'exports.handler = async () => 1;' },
  );
  const [api] = cloud.apis;
  api?.request({ method: 'GET', path: '/orders', headers: {} }, () => undefined);
  const route = `route:${api?.label} GET /orders`;
  expect(countMap(cloud).counts[route]).toEqual({ pending: 0, inFlight: 1, errors: 0 });
  await cloud.world.settle();
  expect(countMap(cloud).counts[route]).toEqual({ pending: 0, inFlight: 0, errors: 1 });
});

describe('the reference of what is deployed', () => {
  test('events are those that rules wait for and those that a bus has taken', () => {
    CLOUD.events.put('bus', { source: 'store', detailType: 'Stocked', detail: { id: 1 } });
    expect(referenceOf(CLOUD, []).events).toEqual([
      { source: 'shop', type: 'Cancelled' },
      { source: 'shop', type: 'Placed' },
      { source: 'store', type: 'Stocked' },
    ]);
  });

  test('an event has its producers, its consumers and the last one', () => {
    CLOUD.events.put('bus', { source: 'shop', detailType: 'Placed', detail: { id: 1 } }, 'Shop/Writes');
    CLOUD.events.put('bus', { source: 'shop', detailType: 'Placed', detail: { id: 2 } }, 'Shop/Writes');
    expect(eventFacts(CLOUD, 'shop', 'Placed')).toMatchObject({
      producers: ['Shop/Writes'],
      consumers: [{ rule: 'Shop/Rule', target: 'Shop/Queue', function: 'Shop/Reads' }],
      last: { event: { detail: { id: 2 } } },
    });
  });

  test('a rule that names no source gets an event if the newest one fits', () => {
    CLOUD.events.put('bus', { source: 'store', detailType: 'Stocked', detail: {} });
    expect(eventFacts(CLOUD, 'store', 'Stocked').consumers).toEqual([
      { rule: 'Shop/ForeignRule', target: 'Shop/Dead' },
    ]);
    expect(eventFacts(CLOUD, 'other', 'Unseen')).toEqual({ producers: [], consumers: [] });
  });
});
