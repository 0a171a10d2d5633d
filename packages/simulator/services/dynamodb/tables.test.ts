import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../support/dynamodb/random.js';
import { refusal } from '../../support/dynamodb/refusals.js';
import { model, TABLE } from '../../support/dynamodb/tables.js';
import type { Operation } from './model.js';
import { DynamoDbModel } from './model.js';
import type { Item, WireObject } from './wire.js';

const NOW = Date.UTC(2026, 0, 1);
const key = (...names: readonly string[]) =>
  names.map((AttributeName, at) => ({ AttributeName, KeyType: at === 0 ? 'HASH' : 'RANGE' }));
const texts = (...names: readonly string[]) => names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' }));
const index = (IndexName: string, ...names: readonly string[]) => ({
  IndexName,
  KeySchema: key(...names),
  Projection: { ProjectionType: 'ALL' },
});
const ORDERS = {
  TableName: 'orders',
  KeySchema: key('pk', 'sk'),
  AttributeDefinitions: texts('pk', 'sk'),
  BillingMode: 'PAY_PER_REQUEST',
};

function empty() {
  const clock = { now: NOW };
  const db = new DynamoDbModel({ now: () => clock.now, random: seededRandom(1), indexDelay: () => 0 });
  const call = (operation: Operation, input: WireObject = {}) =>
    db.call(operation, { ...(operation.startsWith('List') ? {} : { TableName: 'orders' }), ...input }).output;
  const table = (): WireObject => call('DescribeTable').Table as WireObject;
  return { db, clock, call, table };
}

function withOrders(more: WireObject = {}) {
  const made = empty();
  made.call('CreateTable', { ...ORDERS, ...more });
  return made;
}

const item = (pk: string, more: Item = {}): Item => ({ pk: { S: pk }, sk: { S: '1' }, ...more });

describe('a table that a client created', () => {
  test('a created table is there at once, and is described like one of a template', () => {
    const { db, call, table } = empty();
    const { TableDescription } = call('CreateTable', ORDERS);
    expect(TableDescription).toMatchObject({ TableName: 'orders', TableStatus: 'CREATING' });
    call('PutItem', { Item: item('a') });
    expect(table()).toMatchObject({
      TableStatus: 'ACTIVE',
      KeySchema: ORDERS.KeySchema,
      AttributeDefinitions: ORDERS.AttributeDefinitions,
      CreationDateTime: NOW / 1000,
      ItemCount: 1,
      TableSizeBytes: 6,
      TableArn: 'arn:aws:dynamodb:eu-west-1:123456789012:table/orders',
      BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
      DeletionProtectionEnabled: false,
    });
    const { TableName: _, ...Properties } = ORDERS;
    db.createTable('templated', { Type: 'AWS::DynamoDB::Table', Properties });
    const { Table } = call('DescribeTable', { TableName: 'templated' }) as { Table: WireObject };
    expect(Object.keys(Table)).toEqual(Object.keys(table()));
    expect(refusal(db, 'CreateTable', { ...ORDERS, TableName: 'templated' }).type).toBe('ResourceInUseException');
  });

  test("a table of a template with a replica has the replica's properties", () => {
    const { db } = empty();
    const { TableName: _, ...Properties } = ORDERS;
    const Replicas = [{ Region: 'eu-west-1', DeletionProtectionEnabled: 'true', Tags: [{ Key: 'a', Value: 'b' }] }];
    db.createTable('global', { Type: 'AWS::DynamoDB::GlobalTable', Properties: { ...Properties, Replicas } });
    expect(refusal(db, 'DeleteTable', { TableName: 'global' }).message).toMatch(/protected against deletion/);
    const ResourceArn = 'arn:aws:dynamodb:eu-west-1:123456789012:table/global';
    expect(db.call('ListTagsOfResource', { ResourceArn }).output).toEqual({ Tags: [{ Key: 'a', Value: 'b' }] });
  });

  test('a table is gone with its items after DeleteTable, and can be created again', () => {
    const { db, call } = withOrders();
    call('PutItem', { Item: item('a') });
    expect(call('DeleteTable').TableDescription).toMatchObject({ TableStatus: 'DELETING' });
    expect(refusal(db, 'DescribeTable', { TableName: 'orders' }).body).toMatchObject({
      message: 'Requested resource not found: Table: orders not found',
    });
    expect(refusal(db, 'GetItem', { TableName: 'orders', Key: item('a') }).type).toBe('ResourceNotFoundException');
    call('CreateTable', ORDERS);
    expect(call('Scan')).toMatchObject({ Count: 0 });
  });

  test('tables are listed in order, page by page', () => {
    const { call } = empty();
    for (const TableName of ['ccc', 'aaa', 'bbb']) call('CreateTable', { ...ORDERS, TableName });
    const page = call('ListTables', { Limit: 2 });
    expect(page).toEqual({ TableNames: ['aaa', 'bbb'], LastEvaluatedTableName: 'bbb' });
    expect(call('ListTables', { ExclusiveStartTableName: 'bbb' })).toEqual({ TableNames: ['ccc'] });
  });

  test.each<[string, WireObject, RegExp]>([
    ['without a name', { TableName: undefined }, /'TableName' is required/],
    ['with a short name', { TableName: 'ab' }, /'ab' at 'tableName' .* greater than or equal to 3/],
    ['with an undefined key', { KeySchema: key('pk', 'other') }, /attribute have no definition/],
    ['with a definition too many', { AttributeDefinitions: texts('pk', 'sk', 'x') }, /exactly match number/],
    ['with a range key first', { KeySchema: key('pk', 'sk').reverse() }, /first KeySchemaElement is not a HASH/],
    ['with no throughput', { BillingMode: 'PROVISIONED' }, /must both be specified/],
    ['with an index that is named twice', both('byX', 'byX'), /Duplicate index name: byX/],
    ['with a local index of another partition', local(index('byX', 'x', 'sk')), /same leading hash key/],
    ['with a local index without a sort key', local(index('byX', 'pk')), /does not have a range key for index/],
    ['with a stream of no view', { StreamSpecification: { StreamEnabled: true } }, /Invalid StreamViewType/],
    [
      'that is wrong in several ways',
      { KeySchema: [{ AttributeName: 'pk', KeyType: 'X' }], BillingMode: 'Y' },
      /^2 validation errors detected: .*'keySchema.1.member.keyType'.*; .*'billingMode'/,
    ],
  ])('%s is refused', (_, more, message) => {
    const { db } = empty();
    expect(refusal(db, 'CreateTable', { ...ORDERS, ...more }).message).toMatch(message);
    expect(db.tables()).toEqual([]);
  });
});

function both(...names: readonly string[]): WireObject {
  const GlobalSecondaryIndexes = names.map((name) => index(name, 'x'));
  return { AttributeDefinitions: texts('pk', 'sk', 'x'), GlobalSecondaryIndexes };
}

function local(...LocalSecondaryIndexes: readonly WireObject[]): WireObject {
  return { AttributeDefinitions: texts('pk', 'sk', 'x'), LocalSecondaryIndexes };
}

describe('UpdateTable', () => {
  const create = (name: string, ...names: readonly string[]): WireObject => ({
    AttributeDefinitions: texts(...names),
    GlobalSecondaryIndexUpdates: [{ Create: index(name, ...names) }],
  });

  test('adds an index with the items that were there, and removes it with its definition', () => {
    const { call, table, db } = withOrders();
    call('PutItem', { Item: item('a', { kind: { S: 'x' } }) });
    call('PutItem', { Item: item('b', { kind: { N: '1' } }) });
    const { TableDescription } = call('UpdateTable', create('byKind', 'kind'));
    expect(TableDescription).toMatchObject({
      TableStatus: 'UPDATING',
      GlobalSecondaryIndexes: [{ IndexStatus: 'CREATING' }],
    });
    call('PutItem', { Item: item('c', { kind: { S: 'x' } }) });
    const asked = {
      IndexName: 'byKind',
      KeyConditionExpression: 'kind = :x',
      ExpressionAttributeValues: { ':x': { S: 'x' } },
    };
    expect(call('Query', asked)).toMatchObject({ Count: 2 });
    expect(table()).toMatchObject({ GlobalSecondaryIndexes: [{ IndexStatus: 'ACTIVE', ItemCount: 2 }] });
    call('UpdateTable', { GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: 'byKind' } }] });
    expect(table()).not.toHaveProperty('GlobalSecondaryIndexes');
    expect(table().AttributeDefinitions).toEqual(ORDERS.AttributeDefinitions);
    expect(refusal(db, 'Query', { TableName: 'orders', ...asked }).message).toMatch(
      /does not have the specified index/,
    );
    call('PutItem', { Item: item('d', { kind: { N: '1' } }) });
  });

  test('switches billing, throughput and protection', () => {
    const { call, table } = withOrders();
    const units = (ReadCapacityUnits: number) => ({ ReadCapacityUnits, WriteCapacityUnits: 5 });
    call('UpdateTable', { BillingMode: 'PROVISIONED', ProvisionedThroughput: units(5) });
    expect(table()).toMatchObject({
      ProvisionedThroughput: units(5),
      BillingModeSummary: { BillingMode: 'PROVISIONED' },
    });
    call('UpdateTable', { ProvisionedThroughput: units(10), DeletionProtectionEnabled: true });
    expect(table()).toMatchObject({ ProvisionedThroughput: units(10), DeletionProtectionEnabled: true });
    call('UpdateTable', { BillingMode: 'PAY_PER_REQUEST', DeletionProtectionEnabled: false });
    expect(table()).toMatchObject({
      ProvisionedThroughput: { ReadCapacityUnits: 0 },
      DeletionProtectionEnabled: false,
    });
    call('DeleteTable');
  });

  test.each<[string, WireObject, string, RegExp]>([
    ['of nothing', {}, 'ValidationException', /At least one of/],
    ['of an index that exists', create('byKind', 'kind'), 'ValidationException', /already exists/],
    [
      'of an index without a definition',
      { ...create('byX', 'x'), AttributeDefinitions: [] },
      'ValidationException',
      /not defined/,
    ],
    [
      'that removes no index',
      { GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: 'byX' } }] },
      'ResourceNotFoundException',
      /not found/,
    ],
    [
      'of two indexes at once',
      { GlobalSecondaryIndexUpdates: ['byX', 'byKind'].map((IndexName) => ({ Delete: { IndexName } })) },
      'LimitExceededException',
      /Only 1 online index/,
    ],
    [
      'of a stream that there isn’t',
      { StreamSpecification: { StreamEnabled: false } },
      'ValidationException',
      /enabled stream/,
    ],
  ])('%s is refused', (_, input, type, message) => {
    const { db, call } = withOrders();
    call('UpdateTable', create('byKind', 'kind'));
    const error = refusal(db, 'UpdateTable', { TableName: 'orders', ...input });
    expect(error.type).toBe(type);
    expect(error.message).toMatch(message);
  });
});

test('TTL is switched on for one attribute, and off again', () => {
  const { db, call, clock } = withOrders();
  const set = (AttributeName: string, Enabled: boolean) => ({ TimeToLiveSpecification: { AttributeName, Enabled } });
  expect(call('DescribeTimeToLive')).toEqual({ TimeToLiveDescription: { TimeToLiveStatus: 'DISABLED' } });
  expect(call('UpdateTimeToLive', set('until', true))).toEqual(set('until', true));
  expect(call('DescribeTimeToLive')).toEqual({
    TimeToLiveDescription: { TimeToLiveStatus: 'ENABLED', AttributeName: 'until' },
  });
  call('PutItem', { Item: item('a', { until: { N: String(NOW / 1000 + 5) } }) });
  clock.now += 10_000;
  expect(db.expire(clock.now)).toHaveLength(1);
  for (const again of [set('until', true), set('other', true), set('other', false)]) {
    expect(refusal(db, 'UpdateTimeToLive', { TableName: 'orders', ...again }).type).toBe('ValidationException');
  }
  call('UpdateTimeToLive', set('until', false));
  expect(call('DescribeTimeToLive', { TableName: 'orders' })).toEqual({
    TimeToLiveDescription: { TimeToLiveStatus: 'DISABLED' },
  });
});

test('tags are added, replaced and removed by the table’s ARN', () => {
  const { db, call } = withOrders();
  const ResourceArn = 'arn:aws:dynamodb:eu-west-1:123456789012:table/orders';
  const tags = (...pairs: readonly [string, string][]) => pairs.map(([Key, Value]) => ({ Key, Value }));
  const given = (input: WireObject): WireObject => ({ TableName: undefined, ResourceArn, ...input });
  call('TagResource', given({ Tags: tags(['env', 'test'], ['team', 'a']) }));
  call('TagResource', given({ Tags: tags(['env', 'prod']) }));
  call('UntagResource', given({ TagKeys: ['team'] }));
  expect(call('ListTagsOfResource', given({}))).toEqual({ Tags: tags(['env', 'prod']) });
  const refused = (arn: string): string => refusal(db, 'ListTagsOfResource', { ResourceArn: arn }).type;
  expect(refused('orders')).toBe('ValidationException');
  expect(refused(`${ResourceArn}s`)).toBe('ResourceNotFoundException');
  expect(refused(ResourceArn.replace('123456789012', '000000000000'))).toBe('AccessDeniedException');
});

test('limits, endpoints and backups are described', () => {
  const { db, call } = withOrders();
  expect(db.call('DescribeLimits', {}).output).toHaveProperty('TableMaxReadCapacityUnits', 40_000);
  expect(db.call('DescribeEndpoints', {}).output).toMatchObject({
    Endpoints: [{ Address: 'dynamodb.eu-west-1.amazonaws.com' }],
  });
  const recovery = (PointInTimeRecoveryStatus: string) => ({
    ContinuousBackupsDescription: { PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus } },
  });
  expect(call('DescribeContinuousBackups')).toMatchObject(recovery('DISABLED'));
  call('UpdateContinuousBackups', { PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } });
  expect(call('DescribeContinuousBackups')).toMatchObject(recovery('ENABLED'));
});

describe('a table with point-in-time recovery', () => {
  const MINUTE = 60_000;
  const recovers = { PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } };
  const COPY = { SourceTableName: 'orders', TargetTableName: 'copy' };
  /** Writes an item each minute: `a` is replaced, `b` is deleted, `c` is new. */
  function written() {
    const made = withOrders({
      GlobalSecondaryIndexes: [index('byB', 'b')],
      AttributeDefinitions: texts('pk', 'sk', 'b'),
    });
    const { clock, call } = made;
    call('UpdateContinuousBackups', recovers);
    call('PutItem', { Item: item('a', { v: { N: '1' } }) });
    call('PutItem', { Item: item('b', { b: { S: 'x' } }) });
    clock.now += MINUTE;
    call('PutItem', { Item: item('a', { v: { N: '2' } }) });
    call('DeleteItem', { Key: item('b') });
    call('PutItem', { Item: item('c') });
    clock.now += 10 * MINUTE;
    const restore = (more: WireObject = {}) =>
      call('RestoreTableToPointInTime', { TableName: undefined, RestoreDateTime: NOW / 1000, ...COPY, ...more });
    const copied = () => (call('Scan', { TableName: 'copy' }) as { Items: Item[] }).Items.map(({ pk, v }) => [pk, v]);
    return { ...made, restore, copied };
  }

  test('a table is restored to a second: as another one, readable a while later, without indexes if asked for', () => {
    const { db, clock, call, restore, copied } = written();
    expect(restore({ GlobalSecondaryIndexOverride: [] }).TableDescription).toMatchObject({
      TableName: 'copy',
      TableStatus: 'CREATING',
      ItemCount: 0,
      AttributeDefinitions: texts('pk', 'sk'),
      RestoreSummary: {
        RestoreDateTime: NOW / 1000,
        RestoreInProgress: true,
        SourceTableArn: 'arn:aws:dynamodb:eu-west-1:123456789012:table/orders',
      },
    });
    const early = (operation: Operation, input: WireObject = {}) =>
      refusal(db, operation, { TableName: 'copy', ...input }).type;
    expect(early('Scan')).toBe('ResourceNotFoundException');
    expect(early('DeleteTable')).toBe('ResourceInUseException');
    clock.now += MINUTE;
    expect(copied()).toEqual([
      [{ S: 'a' }, { N: '1' }],
      [{ S: 'b' }, undefined],
    ]);
    const { Table } = call('DescribeTable', { TableName: 'copy' }) as { Table: WireObject };
    expect(Table).toMatchObject({ TableStatus: 'ACTIVE', RestoreSummary: { RestoreInProgress: false } });
    expect(Table).not.toHaveProperty('GlobalSecondaryIndexes');
    call('DeleteTable', { TableName: 'copy' });
    expect(call('Scan').Count).toBe(2);
  });

  test('a table is restored to its newest restorable time, which is five minutes ago', () => {
    const { clock, restore, copied } = written();
    restore({ RestoreDateTime: undefined, UseLatestRestorableTime: true });
    clock.now += MINUTE;
    expect(copied()).toEqual([
      [{ S: 'a' }, { N: '2' }],
      [{ S: 'c' }, undefined],
    ]);
  });

  test.each([
    ['a time before its recovery', { RestoreDateTime: NOW / 1000 - 1 }, 'InvalidRestoreTimeException'],
    ['a time of the last five minutes', { RestoreDateTime: NOW / 1000 + 361 }, 'InvalidRestoreTimeException'],
    ['no time', { RestoreDateTime: undefined }, 'ValidationException'],
    ['a table that is gone', { SourceTableName: 'gone' }, 'TableNotFoundException'],
    ['a name that is taken', { TargetTableName: 'orders' }, 'TableAlreadyExistsException'],
  ])('a table is not restored: %s', (_, wrong, type) => {
    const { db } = written();
    const request = { RestoreDateTime: NOW / 1000, ...COPY, ...wrong };
    expect(refusal(db, 'RestoreTableToPointInTime', request).type).toBe(type);
  });

  test('a table is not restored once its recovery is off', () => {
    const { db, call } = written();
    const off = { PointInTimeRecoveryEnabled: false };
    call('UpdateContinuousBackups', { PointInTimeRecoverySpecification: off });
    const request = { RestoreDateTime: NOW / 1000, ...COPY };
    expect(refusal(db, 'RestoreTableToPointInTime', request).type).toBe('PointInTimeRecoveryUnavailableException');
  });
});

test('a member that is null is absent', () => {
  const { db, call } = withOrders();
  call('PutItem', { Item: item('a'), ConditionExpression: null, ReturnValues: null });
  expect(call('GetItem', { Key: item('a'), ProjectionExpression: null })).toEqual({ Item: item('a') });
  expect(refusal(db, 'GetItem', { TableName: 'orders', Key: null }).message).toMatch(/Value null at 'key'/);
});

test('all faults of a request are reported together, but a wrong table name alone', () => {
  const { db } = model();
  const wrong = { ReturnValues: 'X', ReturnConsumedCapacity: 'Y', Item: {} };
  expect(refusal(db, 'PutItem', { TableName: TABLE, ...wrong }).message).toMatch(
    /^2 validation errors detected: Value 'Y' at 'returnConsumedCapacity' .*; Value 'X' at 'returnValues'/,
  );
  expect(refusal(db, 'PutItem', { TableName: 'a b', ...wrong }).message).toMatch(/^1 validation error .* 'tableName'/);
  expect(refusal(db, 'GetItem', { TableName: TABLE }).message).toMatch(/Value null at 'key'/);
});
