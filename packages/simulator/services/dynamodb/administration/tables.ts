/** AWS, "API Reference: CreateTable, DescribeTable, ListTables, DeleteTable". */
import { inUse, validation } from '../errors.js';
import { anything, atLeast, members, text } from '../operations/constraints.js';
import { readRequest } from '../operations/request.js';
import { defineShape } from '../operations/shape.js';
import type { WireObject } from '../wire.js';
import type { Catalog } from './catalog.js';
import {
  ATTRIBUTES,
  BILLING_MODE,
  checkDefinition,
  checkNewName,
  INDEX,
  KEY_SCHEMA,
  STREAM,
  TABLE_CLASS,
  THROUGHPUT,
} from './check-table.js';
import { describe } from './describe.js';
import { isTrue } from './table-record.js';

const MAX_NAMES = 100;
const CREATE = defineShape(['AttributeDefinitions', 'KeySchema'], {
  TableName: anything,
  AttributeDefinitions: ATTRIBUTES,
  KeySchema: KEY_SCHEMA,
  LocalSecondaryIndexes: members(1, Number.POSITIVE_INFINITY, INDEX),
  GlobalSecondaryIndexes: members(1, Number.POSITIVE_INFINITY, INDEX),
  BillingMode: BILLING_MODE,
  ProvisionedThroughput: THROUGHPUT,
  StreamSpecification: STREAM,
  SSESpecification: anything,
  TableClass: TABLE_CLASS,
  Tags: anything,
  DeletionProtectionEnabled: anything,
  OnDemandThroughput: anything,
  WarmThroughput: anything,
  ResourcePolicy: anything,
});
const LIST = defineShape([], { ExclusiveStartTableName: text(3, 255), Limit: atLeast(1, MAX_NAMES) });
const NAMED = defineShape(['TableName'], {});

/** The table exists at once; only this answer says that it is being created. */
export function createTable(catalog: Catalog, input: WireObject): WireObject {
  checkNewName(input.TableName);
  readRequest(input, CREATE);
  checkDefinition(input);
  const { TableName, ...Properties } = input;
  const name = String(TableName);
  if (catalog.tables.has(name)) throw inUse(`Table already exists: ${name}`);
  const created = catalog.create(name, { Type: 'AWS::DynamoDB::Table', Properties });
  return { TableDescription: describe(catalog, created, 'CREATING') };
}

export function describeTable(catalog: Catalog, input: WireObject): WireObject {
  return { Table: describe(catalog, catalog.find(readRequest(input, NAMED).TableName)) };
}

export function listTables(catalog: Catalog, input: WireObject): WireObject {
  const { ExclusiveStartTableName: after = '', Limit = MAX_NAMES } = readRequest(input, LIST);
  const left = [...catalog.tables.keys()].filter((name) => name > String(after)).sort();
  const TableNames = left.slice(0, Number(Limit));
  return { TableNames, ...(TableNames.length < left.length ? { LastEvaluatedTableName: TableNames.at(-1) } : {}) };
}

export function deleteTable(catalog: Catalog, input: WireObject): WireObject {
  const found = catalog.find(readRequest(input, NAMED).TableName);
  if (isTrue(found.record.properties.DeletionProtectionEnabled)) {
    throw validation(
      'Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.',
    );
  }
  const TableDescription = describe(catalog, found, 'DELETING');
  catalog.delete(found);
  return { TableDescription };
}
