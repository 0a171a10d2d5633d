/**
 * Checks the definition of a table that a client creates. AWS, "API Reference: CreateTable"; "Quotas in Amazon DynamoDB"
 * (secondary indexes).
 */
import { constraintsViolated, validation } from '../errors.js';
import { atLeast, type Constraint, members, newName, oneOf, structure, text } from '../operations/constraints.js';
import { invalid } from '../values.js';
import type { WireObject } from '../wire.js';
import { isOnDemand, isTrue, toList } from './table-record.js';

const MAX_LOCAL = 5;
const MAX_GLOBAL = 20;

const attributeName = text(1, 255);
export const KEY_SCHEMA: Constraint = members(
  1,
  2,
  structure(['AttributeName', 'KeyType'], { AttributeName: attributeName, KeyType: oneOf('HASH', 'RANGE') }),
  'KeySchemaElement',
);
export const THROUGHPUT: Constraint = structure(['ReadCapacityUnits', 'WriteCapacityUnits'], {
  ReadCapacityUnits: atLeast(1),
  WriteCapacityUnits: atLeast(1),
});
const PROJECTION = structure([], {
  ProjectionType: oneOf('ALL', 'INCLUDE', 'KEYS_ONLY'),
  NonKeyAttributes: members(1, 100, attributeName),
});
export const INDEX: Constraint = structure(['IndexName', 'KeySchema', 'Projection'], {
  IndexName: newName,
  KeySchema: KEY_SCHEMA,
  Projection: PROJECTION,
  ProvisionedThroughput: THROUGHPUT,
});
export const ATTRIBUTES: Constraint = members(
  0,
  100,
  structure(['AttributeName', 'AttributeType'], { AttributeName: attributeName, AttributeType: oneOf('B', 'N', 'S') }),
);
export const BILLING_MODE: Constraint = oneOf('PROVISIONED', 'PAY_PER_REQUEST');
export const STREAM: Constraint = structure(['StreamEnabled'], {
  StreamViewType: oneOf('NEW_IMAGE', 'OLD_IMAGE', 'NEW_AND_OLD_IMAGES', 'KEYS_ONLY'),
});
export const TABLE_CLASS: Constraint = oneOf('STANDARD', 'STANDARD_INFREQUENT_ACCESS');

/** @throws {DynamoDbError} ValidationException if the name isn't one for a new table */
export function checkNewName(name: unknown): void {
  if (name === undefined) {
    throw validation("The parameter 'TableName' is required but was not present in the request");
  }
  const violations = newName(name, 'tableName');
  if (violations) throw constraintsViolated(violations);
}

/** @throws {DynamoDbError} ValidationException if keys, indexes or throughput don't fit together */
export function checkDefinition(properties: WireObject): void {
  checkThroughput(properties);
  const { StreamEnabled, StreamViewType } = (properties.StreamSpecification ?? {}) as WireObject;
  if (isTrue(StreamEnabled) && StreamViewType === undefined) {
    throw validation('Invalid StreamViewType: Stream ViewType must not be null or empty when enabling streams.');
  }
  const types = new Set(toList(properties.AttributeDefinitions).map(({ AttributeName }) => String(AttributeName)));
  const key = checkKeys(properties, types);
  const local = toList(properties.LocalSecondaryIndexes);
  const global = toList(properties.GlobalSecondaryIndexes);
  if (local.length > 0 && key.length < 2) {
    throw invalid('Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex');
  }
  if (local.length > MAX_LOCAL)
    throw invalid(`Number of LocalSecondaryIndexes exceeds per-table limit of ${MAX_LOCAL}`);
  if (global.length > MAX_GLOBAL) {
    throw invalid(`GlobalSecondaryIndex count exceeds the per-table limit of ${MAX_GLOBAL}`);
  }
  const names = new Set<unknown>();
  for (const index of [...local, ...global]) {
    const own = checkIndex(index, types);
    if (names.has(index.IndexName)) throw invalid(`Duplicate index name: ${String(index.IndexName)}`);
    names.add(index.IndexName);
    if (local.includes(index)) checkLocal(index, own, key);
    else checkThroughput({ ...index, BillingMode: properties.BillingMode }, ` for index: ${String(index.IndexName)}`);
    for (const name of own) key.push(name);
  }
  refuseUnused(types, key, names.size > 0);
}

function checkThroughput(properties: WireObject, where = ''): void {
  const given = properties.ProvisionedThroughput !== undefined;
  if (isOnDemand(properties) && given) {
    throw invalid(
      `Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST${where}`,
    );
  }
  if (!isOnDemand(properties) && !given) {
    throw invalid(
      `ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED${where}`,
    );
  }
}

/** @returns the names of a key's attributes, which belong to it alone */
function checkKeys({ KeySchema }: WireObject, types: ReadonlySet<string>): string[] {
  const [first, second] = toList(KeySchema);
  if (first?.KeyType !== 'HASH') {
    throw validation('Invalid KeySchema: The first KeySchemaElement is not a HASH key type');
  }
  if (second && second.KeyType !== 'RANGE') {
    throw validation('Invalid KeySchema: The second KeySchemaElement is not a RANGE key type');
  }
  const names = toList(KeySchema).map(({ AttributeName }) => String(AttributeName));
  if (names[0] === names[1] || names.some((name) => !types.has(name))) {
    throw validation('Invalid KeySchema: Some index key attribute have no definition');
  }
  return names;
}

function checkIndex(index: WireObject, types: ReadonlySet<string>): readonly string[] {
  const names = toList(index.KeySchema).map(({ AttributeName }) => String(AttributeName));
  if (names.some((name) => !types.has(name))) {
    throw invalid(
      `Some index key attributes are not defined in AttributeDefinitions. Keys: [${names.join(', ')}], AttributeDefinitions: [${[...types].join(', ')}]`,
    );
  }
  checkKeys(index, types);
  const { ProjectionType: type, NonKeyAttributes } = index.Projection as WireObject;
  if (type === undefined) throw invalid('Unknown ProjectionType: null');
  if ((type === 'INCLUDE') !== (NonKeyAttributes !== undefined)) {
    const how = type === 'INCLUDE' ? 'is not specified' : 'is specified';
    throw invalid(`ProjectionType is ${type}, but NonKeyAttributes ${how}`);
  }
  return names;
}

function checkLocal({ IndexName }: WireObject, own: readonly string[], table: readonly string[]): void {
  if (own.length < 2) throw invalid(`Index KeySchema does not have a range key for index: ${String(IndexName)}`);
  if (own[0] === table[0]) return;
  throw invalid(
    `Index KeySchema does not have the same leading hash key as table KeySchema for index: ${String(IndexName)}. index hash key: ${own[0]}, table hash key: ${table[0]}`,
  );
}

function refuseUnused(types: ReadonlySet<string>, used: readonly string[], hasIndexes: boolean): void {
  if ([...types].every((name) => used.includes(name))) return;
  const lists = `AttributeDefinitions: [${[...types].join(', ')}], keys used: [${[...new Set(used)].join(', ')}]`;
  throw invalid(
    hasIndexes
      ? `Some AttributeDefinitions are not used. ${lists}`
      : 'Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions',
  );
}
