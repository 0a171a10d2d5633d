/** AWS, "API Reference: UpdateTable"; "Managing Global Secondary Indexes in DynamoDB". */
import { limitExceeded, notFound, validation } from '../errors.js';
import { anything, members, structure } from '../operations/constraints.js';
import { readRequest } from '../operations/request.js';
import { defineShape } from '../operations/shape.js';
import { invalid } from '../values.js';
import type { WireObject } from '../wire.js';
import type { Catalog, CatalogTable } from './catalog.js';
import { ATTRIBUTES, BILLING_MODE, checkDefinition, INDEX, STREAM, TABLE_CLASS, THROUGHPUT } from './check-table.js';
import { describe } from './describe.js';
import { isOnDemand, isTrue, toList } from './table-record.js';

const UPDATE = defineShape(['TableName'], {
  AttributeDefinitions: ATTRIBUTES,
  BillingMode: BILLING_MODE,
  ProvisionedThroughput: THROUGHPUT,
  GlobalSecondaryIndexUpdates: members(
    0,
    Number.POSITIVE_INFINITY,
    structure([], {
      Create: INDEX,
      Update: structure(['IndexName'], { ProvisionedThroughput: THROUGHPUT }),
      Delete: structure(['IndexName'], {}),
    }),
  ),
  StreamSpecification: STREAM,
  SSESpecification: anything,
  TableClass: TABLE_CLASS,
  DeletionProtectionEnabled: anything,
  OnDemandThroughput: anything,
  WarmThroughput: anything,
});
/** Members that replace a property as they are. */
const REPLACING = [
  'BillingMode',
  'SSESpecification',
  'TableClass',
  'DeletionProtectionEnabled',
  'OnDemandThroughput',
  'WarmThroughput',
];

/** Changes a table at once; only this answer says that it is being changed. */
export function updateTable(catalog: Catalog, given: WireObject): WireObject {
  const { TableName, ...input } = readRequest(given, UPDATE);
  const found = catalog.find(TableName);
  if (Object.keys(input).every((member) => member === 'AttributeDefinitions')) {
    throw validation(
      'At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is required',
    );
  }
  const changes = {
    ...Object.fromEntries(REPLACING.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]]]))),
    ...streamChange(found, input),
    ...throughputChange(found, input),
    ...indexChanges(found, input),
  };
  checkDefinition({ ...found.record.properties, ...changes });
  const description = describe(catalog, catalog.change(found, changes), 'UPDATING');
  return { TableDescription: { ...description, ...beingCreated(description, input) } };
}

function streamChange({ table }: CatalogTable, { StreamSpecification: given }: WireObject): WireObject {
  if (given === undefined) return {};
  const enable = isTrue((given as WireObject).StreamEnabled);
  if (enable && table.definition.stream) throw invalid(`Table already has an enabled stream: TableName: ${table.name}`);
  if (!enable && !table.definition.stream) {
    throw invalid(`Table doesn't have an enabled stream: TableName: ${table.name}`);
  }
  return { StreamSpecification: given };
}

function throughputChange({ record: { properties } }: CatalogTable, input: WireObject): WireObject {
  const { BillingMode = properties.BillingMode, ProvisionedThroughput: wanted } = input;
  if (isOnDemand({ BillingMode })) {
    if (wanted === undefined) return { ProvisionedThroughput: undefined };
    throw invalid(
      'Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST',
    );
  }
  if (wanted === undefined) return {};
  const now = readUnits(properties.ProvisionedThroughput);
  const next = readUnits(wanted);
  if (now.read !== next.read || now.write !== next.write) return { ProvisionedThroughput: wanted };
  throw validation(
    `The provisioned throughput for the table will not change. The requested value equals the current value. Current ReadCapacityUnits provisioned for the table: ${now.read}. Requested ReadCapacityUnits: ${next.read}. Current WriteCapacityUnits provisioned for the table: ${now.write}. Requested WriteCapacityUnits: ${next.write}. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.`,
  );
}

function readUnits(throughput: unknown): { readonly read: number; readonly write: number } {
  const { ReadCapacityUnits = 0, WriteCapacityUnits = 0 } = (throughput ?? {}) as WireObject;
  return { read: Number(ReadCapacityUnits), write: Number(WriteCapacityUnits) };
}

function indexChanges({ record: { properties } }: CatalogTable, input: WireObject): WireObject {
  const updates = toList(input.GlobalSecondaryIndexUpdates);
  const onDemand = isOnDemand({ BillingMode: input.BillingMode ?? properties.BillingMode });
  const before = toList(properties.GlobalSecondaryIndexes);
  // An index of a table that becomes on-demand has no throughput of its own.
  let indexes = onDemand ? before.map(({ ProvisionedThroughput: _, ...index }) => index as WireObject) : before;
  if (updates.filter(({ Create, Delete }) => Create ?? Delete).length > 1) {
    throw limitExceeded(
      'Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table',
    );
  }
  for (const { Create, Update, Delete } of updates as readonly Record<string, WireObject | undefined>[]) {
    const name = (Create ?? Update ?? Delete)?.IndexName;
    const known = indexes.some(({ IndexName }) => IndexName === name);
    if (Create) {
      if (known) throw validation('Attempting to create an index which already exists');
      indexes = [...indexes, Create];
      continue;
    }
    if (!known) throw notFound();
    indexes = Delete
      ? indexes.filter(({ IndexName }) => IndexName !== name)
      : indexes.map((index) => (index.IndexName === name ? { ...index, ...Update } : index));
  }
  return {
    GlobalSecondaryIndexes: indexes.length === 0 ? undefined : indexes,
    AttributeDefinitions: mergeDefinitions(properties, input, indexes),
  };
}

/** Returns the attributes that keys still use, and those that the request adds. */
function mergeDefinitions(
  { KeySchema, LocalSecondaryIndexes, AttributeDefinitions }: WireObject,
  input: WireObject,
  indexes: readonly WireObject[],
): readonly WireObject[] {
  const keys = [{ KeySchema }, ...toList(LocalSecondaryIndexes), ...indexes].flatMap((each) => toList(each.KeySchema));
  const used = new Set(keys.map(({ AttributeName }) => AttributeName));
  const kept = toList(AttributeDefinitions).filter(({ AttributeName }) => used.has(AttributeName));
  const known = new Set(kept.map(({ AttributeName }) => AttributeName));
  return [...kept, ...toList(input.AttributeDefinitions).filter(({ AttributeName }) => !known.has(AttributeName))];
}

/** In this answer, a new index is still being created. */
function beingCreated({ GlobalSecondaryIndexes: all }: WireObject, input: WireObject): WireObject {
  if (all === undefined) return {};
  const created = toList(input.GlobalSecondaryIndexUpdates).map(({ Create }) => (Create as WireObject)?.IndexName);
  return {
    GlobalSecondaryIndexes: toList(all).map((index) =>
      created.includes(index.IndexName) ? { ...index, IndexStatus: 'CREATING', Backfilling: true } : index,
    ),
  };
}
