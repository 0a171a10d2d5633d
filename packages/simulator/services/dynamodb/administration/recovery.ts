/**
 * Point-in-time recovery. AWS, "API Reference: DescribeContinuousBackups, UpdateContinuousBackups,
 * RestoreTableToPointInTime"; "Point-in-time backups for DynamoDB".
 */
import { invalidRestoreTime, noRecovery, tableExists, tableMissing, validation } from '../errors.js';
import { keyOf } from '../keys.js';
import { anything, members, structure } from '../operations/constraints.js';
import { readRequest } from '../operations/request.js';
import { defineShape } from '../operations/shape.js';
import type { Table } from '../table.js';
import type { WireObject } from '../wire.js';
import { type Catalog, type CatalogTable, parseTableName } from './catalog.js';
import { BILLING_MODE, checkDefinition, checkNewName, INDEX, THROUGHPUT } from './check-table.js';
import { describe } from './describe.js';
import { isTrue, toList } from './table-record.js';

/** Newest time to which a table can be restored, before now: "typically five minutes before the current time". */
const LATEST_MS = 300_000;
/** Time that a restore takes here. On AWS it depends on the table, and is rarely below ten minutes. */
const RESTORE_MS = 60_000;

const NAMED = defineShape(['TableName'], {});
const UPDATE = defineShape(['TableName', 'PointInTimeRecoverySpecification'], {
  PointInTimeRecoverySpecification: structure(['PointInTimeRecoveryEnabled'], {}),
});
const RESTORE = defineShape(['TargetTableName'], {
  SourceTableName: anything,
  SourceTableArn: anything,
  RestoreDateTime: anything,
  UseLatestRestorableTime: anything,
  BillingModeOverride: BILLING_MODE,
  GlobalSecondaryIndexOverride: members(0, Number.POSITIVE_INFINITY, INDEX),
  LocalSecondaryIndexOverride: members(0, Number.POSITIVE_INFINITY, INDEX),
  ProvisionedThroughputOverride: THROUGHPUT,
  OnDemandThroughputOverride: anything,
  SSESpecificationOverride: anything,
});
/** Properties that a restored table takes over. Stream, TTL, recovery, protection and tags have to be set again. */
const KEPT = [
  'AttributeDefinitions',
  'KeySchema',
  'LocalSecondaryIndexes',
  'GlobalSecondaryIndexes',
  'BillingMode',
  'ProvisionedThroughput',
  'OnDemandThroughput',
  'SSESpecification',
  'TableClass',
];
const OVERRIDES: Readonly<Record<string, string>> = {
  BillingModeOverride: 'BillingMode',
  GlobalSecondaryIndexOverride: 'GlobalSecondaryIndexes',
  LocalSecondaryIndexOverride: 'LocalSecondaryIndexes',
  ProvisionedThroughputOverride: 'ProvisionedThroughput',
  OnDemandThroughputOverride: 'OnDemandThroughput',
  SSESpecificationOverride: 'SSESpecification',
};

export function describeContinuousBackups(catalog: Catalog, input: WireObject): WireObject {
  return backups(catalog, requireTable(catalog, readRequest(input, NAMED).TableName));
}

export function updateContinuousBackups(catalog: Catalog, input: WireObject): WireObject {
  const { TableName, PointInTimeRecoverySpecification } = readRequest(input, UPDATE);
  return backups(catalog, catalog.change(requireTable(catalog, TableName), { PointInTimeRecoverySpecification }));
}

/** The new table has the items of its time. It can be read and written a while later. */
export function restoreTableToPointInTime(catalog: Catalog, input: WireObject): WireObject {
  checkNewName(input.TargetTableName);
  const asked = readRequest(input, RESTORE);
  const { SourceTableName, SourceTableArn, TargetTableName, RestoreDateTime, UseLatestRestorableTime } = asked;
  const source = requireTable(catalog, SourceTableName ?? SourceTableArn);
  const window = restoreWindow(catalog, source.table);
  if (!window) throw noRecovery(source.table.name);
  if ((RestoreDateTime === undefined) === !isTrue(UseLatestRestorableTime)) {
    throw validation('Either RestoreDateTime or UseLatestRestorableTime must be specified, but not both');
  }
  // The service counts whole seconds.
  const to = RestoreDateTime === undefined ? window.latest : Math.floor(Number(RestoreDateTime)) * 1000;
  if (to < window.earliest || to > window.latest) throw invalidRestoreTime();
  const name = String(TargetTableName);
  if (catalog.tables.has(name)) throw tableExists(name);
  const Properties = propertiesOfCopy(source, asked);
  checkDefinition(Properties);
  const copy = catalog.create(name, { Type: 'AWS::DynamoDB::Table', Properties }, undefined, {
    to,
    source: source.record.arn,
  });
  const { key } = copy.table.definition;
  for (const item of source.table.itemsAt(to)) copy.table.write({ table: name, key: keyOf(item, key), after: item });
  copy.table.settle();
  copy.table.availableFrom = catalog.options.now() + RESTORE_MS;
  return { TableDescription: describe(catalog, copy) };
}

/** Returns the properties of a restored table; without an index, its attributes are defined no more. */
function propertiesOfCopy({ record: { properties } }: CatalogTable, asked: WireObject): WireObject {
  const kept = Object.fromEntries(
    KEPT.flatMap((name) => (properties[name] === undefined ? [] : [[name, properties[name]]])),
  );
  const changed = Object.fromEntries(
    Object.entries(OVERRIDES).flatMap(([name, property]) =>
      asked[name] === undefined ? [] : [[property, asked[name]]],
    ),
  );
  const all: Record<string, unknown> = { ...kept, ...changed };
  for (const name of ['GlobalSecondaryIndexes', 'LocalSecondaryIndexes'])
    if (toList(all[name]).length === 0) delete all[name];
  const keys = [all, ...toList(all.GlobalSecondaryIndexes), ...toList(all.LocalSecondaryIndexes)];
  const used = new Set(keys.flatMap(({ KeySchema }) => toList(KeySchema).map(({ AttributeName }) => AttributeName)));
  return {
    ...all,
    AttributeDefinitions: toList(all.AttributeDefinitions).filter(({ AttributeName }) => used.has(AttributeName)),
  };
}

function backups(catalog: Catalog, { table, record: { properties } }: CatalogTable): WireObject {
  const { PointInTimeRecoverySpecification: given } = properties as { PointInTimeRecoverySpecification?: WireObject };
  const { RecoveryPeriodInDays = 35 } = given ?? {};
  const window = restoreWindow(catalog, table);
  return {
    ContinuousBackupsDescription: {
      ContinuousBackupsStatus: 'ENABLED',
      PointInTimeRecoveryDescription: {
        PointInTimeRecoveryStatus: window ? 'ENABLED' : 'DISABLED',
        ...(window && {
          RecoveryPeriodInDays,
          EarliestRestorableDateTime: window.earliest / 1000,
          LatestRestorableDateTime: window.latest / 1000,
        }),
      },
    },
  };
}

/** Returns the times to which a table can be restored, ms; `undefined` without point-in-time recovery. */
function restoreWindow({ options }: Catalog, { recoverableSince: earliest }: Table) {
  return earliest === undefined ? undefined : { earliest, latest: Math.max(earliest, options.now() - LATEST_MS) };
}

/** @throws {DynamoDbError} TableNotFoundException, as these operations call it */
function requireTable(catalog: Catalog, given: unknown): CatalogTable {
  if (given === undefined) throw validation('Either SourceTableName or SourceTableArn must be specified');
  if (!catalog.tables.has(parseTableName(String(given)))) throw tableMissing(parseTableName(String(given)));
  return catalog.find(given);
}
