import { describe, expect, test } from 'vitest';
import { matches } from '../../packages/simulator/patterns/matches.js';
import { type Json, keyed, referenced, statements, synthesized } from '../support/environments.js';

const prod = synthesized('prod', { hotSkus: 'TEA-1,TEA-2', hotCustomers: 'acme' });
const [mapping, ...others] = prod
  .resources('Inventory', 'AWS::Lambda::EventSourceMapping')
  .filter(({ id }) => id.startsWith('CommandsLane'));

test('the writer may decide, return requests and read the stream, and may load nothing', () => {
  const own = statements(prod).filter(({ policy }) => policy.startsWith('CommandsLaneWriterRole'));
  const items = own.filter(({ condition }) => condition !== undefined);
  expect(items.map(({ actions, condition }) => [actions, condition])).toEqual([
    [['dynamodb:PutItem'], keyed('inventory-commands@*')],
    [['dynamodb:PutItem'], keyed('Reservation#*')],
    [['dynamodb:UpdateItem'], keyed('StockItem#*')],
  ]);
  expect(own.filter(({ condition }) => condition === undefined).flatMap(({ actions }) => actions)).toEqual([
    'logs:CreateLogStream',
    'logs:PutLogEvents',
    'sqs:SendMessage',
    'dynamodb:DescribeStream',
    'dynamodb:GetRecords',
    'dynamodb:GetShardIterator',
    'dynamodb:ListStreams',
    's3:PutObject',
    's3:ListBucket',
  ]);
});

test('the consumer may store requests of its own lane, and knows which keys are hot', () => {
  const storing = statements(prod).filter(({ actions }) => actions.includes('dynamodb:BatchWriteItem'));
  expect(storing.map(({ policy, condition }) => [policy.replace(/Role.*/, ''), condition])).toEqual([
    ['OnCommands', keyed('LANE#inventory-commands#*')],
    ...['OnCommands', 'OnOrderEnds', 'OnSettlements'].map((consumer) => [consumer, keyed('LANE#accounts#*')]),
  ]);
  const consumer = prod.resources('Inventory', 'AWS::Lambda::Function').find(({ id }) => id.startsWith('OnCommands'));
  expect(consumer?.properties.Environment.Variables).toMatchObject({
    LANE_HOT_KEYS: '["TEA-1","TEA-2"]',
    LANE_CONFLICTS_PER_SECOND: '10',
  });
});

test('one writer works for a key, in order, and what it gives up is saved', () => {
  expect(others).toEqual([]);
  expect(mapping?.properties).toMatchObject({
    ParallelizationFactor: 1,
    StartingPosition: 'TRIM_HORIZON',
    BisectBatchOnFunctionError: true,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    MaximumRetryAttempts: 60,
    MaximumRecordAgeInSeconds: 22 * 3600,
  });
  expect(referenced(mapping?.properties.DestinationConfig.OnFailure.Destination)).toMatch(/FailedBatches/);
});

test('it receives requests of its lane that are stored or stored again, and nothing else', () => {
  const patterns = mapping?.properties.FilterCriteria.Filters.map(({ Pattern }: Json) => JSON.parse(Pattern));
  const received = (eventName: string, pk: string, sk: string): boolean =>
    patterns.some((pattern: Json) =>
      matches(pattern, { eventName, dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } } } }),
    );
  const own = ['LANE#inventory-commands#TEA-1', 'REQUEST#inventory-commands@0#m1'] as const;
  expect(received('INSERT', ...own)).toBe(true);
  expect(received('MODIFY', ...own)).toBe(true);
  expect(received('REMOVE', ...own)).toBe(false);
  expect(received('INSERT', 'LANE#another#TEA-1', 'REQUEST#another@0#m1')).toBe(false);
  expect(received('INSERT', 'Reservation#o1', 'COMMIT#0000000001')).toBe(false);
});

describe('a lane of several consumers', () => {
  const consumers = ['accounts-commands', 'accounts-orders', 'accounts-payments'];
  const functions = prod.resources('Accounts', 'AWS::Lambda::Function');

  test('a shared lane is the same for all consumers, and its writer knows the queue of each', () => {
    for (const id of ['OnCommands', 'OnOrderEnds', 'OnSettlements']) {
      expect(functions.find((one) => one.id.startsWith(id))?.properties.Environment.Variables).toMatchObject({
        LANE: 'accounts',
        LANE_HOT_KEYS: '["acme"]',
        LANE_CONFLICTS_PER_SECOND: '10',
      });
    }
    const writer = functions.find(({ id }) => id.startsWith('AccountsLaneWriter'));
    const queues = JSON.stringify(writer?.properties.Environment.Variables.LANE_QUEUES);
    for (const consumer of consumers) expect(queues).toContain(consumer);
  });

  test('a shared lane has a writer that may load and decide, record and return requests for each consumer', () => {
    const own = statements(prod).filter(({ policy }) => policy.startsWith('AccountsLaneWriterRole'));
    const items = own.filter(({ condition }) => condition !== undefined);
    expect(items.map(({ actions, condition }) => [actions, condition])).toEqual([
      [['dynamodb:PutItem'], keyed(...consumers.map((consumer) => `${consumer}@*`))],
      [
        ['dynamodb:BatchGetItem', 'dynamodb:ConditionCheckItem', 'dynamodb:PutItem', 'dynamodb:Query'],
        keyed('Account#*'),
      ],
    ]);
    const sending = own.find(({ actions }) => actions.includes('sqs:SendMessage'));
    expect(sending?.resources).toHaveLength(consumers.length);
  });
});
