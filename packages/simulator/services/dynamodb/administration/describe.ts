/** Describes a table as the API does. AWS, "API Reference: TableDescription". */
import type { Table } from '../table.js';
import type { WireObject } from '../wire.js';
import type { Catalog, CatalogTable } from './catalog.js';
import { isOnDemand, isTrue, toList } from './table-record.js';

export type TableStatus = 'CREATING' | 'ACTIVE' | 'UPDATING' | 'DELETING';

/**
 * @param status of the table; all changes but a restore take effect at once, so only the answer to a change has another one
 */
export function describe(
  catalog: Catalog,
  { table, record }: CatalogTable,
  status: TableStatus = 'ACTIVE',
): WireObject {
  const { properties, arn, createdAt, id, onDemandSince, restored } = record;
  const restoring = table.availableFrom > catalog.options.now();
  const { count, bytes } = restoring ? { count: 0, bytes: 0 } : table.scan(true).size();
  const stream = catalog.streams.latest(table.name, createdAt);
  const { StreamSpecification: streamed } = properties as { StreamSpecification?: WireObject };
  const onDemand = onDemandSince === undefined ? {} : { LastUpdateToPayPerRequestDateTime: onDemandSince / 1000 };
  const indexes = (member: string): WireObject => {
    const list = toList(properties[member]).map((index) => describeIndex(table, index, record, member, catalog));
    return list.length === 0 ? {} : { [member]: list };
  };
  return {
    AttributeDefinitions: properties.AttributeDefinitions,
    TableName: table.name,
    KeySchema: properties.KeySchema,
    TableStatus: restoring ? 'CREATING' : status,
    CreationDateTime: createdAt / 1000,
    ProvisionedThroughput: describeThroughput(properties),
    TableSizeBytes: bytes,
    ItemCount: count,
    TableArn: arn,
    TableId: id,
    ...(onDemandSince === undefined
      ? {}
      : {
          BillingModeSummary: { BillingMode: isOnDemand(properties) ? 'PAY_PER_REQUEST' : 'PROVISIONED', ...onDemand },
        }),
    ...indexes('LocalSecondaryIndexes'),
    ...indexes('GlobalSecondaryIndexes'),
    ...(table.definition.stream
      ? { StreamSpecification: { StreamEnabled: true, StreamViewType: streamed?.StreamViewType } }
      : {}),
    ...(stream ? { LatestStreamLabel: stream.label, LatestStreamArn: stream.arn } : {}),
    ...(properties.TableClass === undefined ? {} : { TableClassSummary: { TableClass: properties.TableClass } }),
    ...encryption(properties),
    ...(restored && {
      RestoreSummary: {
        SourceTableArn: restored.source,
        RestoreDateTime: restored.to / 1000,
        RestoreInProgress: restoring,
      },
    }),
    DeletionProtectionEnabled: isTrue(properties.DeletionProtectionEnabled),
  };
}

function describeIndex(
  table: Table,
  index: WireObject,
  { arn }: CatalogTable['record'],
  member: string,
  { options }: Catalog,
): WireObject {
  const name = String(index.IndexName);
  const { count = 0, bytes = 0 } = table.indexes.get(name)?.size(options.now()) ?? {};
  const { IndexName, KeySchema, Projection } = index;
  return {
    IndexName,
    KeySchema,
    Projection,
    ...(member === 'GlobalSecondaryIndexes'
      ? { IndexStatus: 'ACTIVE', ProvisionedThroughput: describeThroughput(index) }
      : {}),
    IndexSizeBytes: bytes,
    ItemCount: count,
    IndexArn: `${arn}/index/${name}`,
  };
}

function describeThroughput({ ProvisionedThroughput }: WireObject): WireObject {
  const { ReadCapacityUnits = 0, WriteCapacityUnits = 0 } = (ProvisionedThroughput ?? {}) as WireObject;
  return {
    NumberOfDecreasesToday: 0,
    ReadCapacityUnits: Number(ReadCapacityUnits),
    WriteCapacityUnits: Number(WriteCapacityUnits),
  };
}

/** A table with a KMS key says so; the default encryption isn't described. */
function encryption({ SSESpecification }: WireObject): WireObject {
  const { SSEEnabled, Enabled, KMSMasterKeyId } = (SSESpecification ?? {}) as WireObject;
  if (!isTrue(SSEEnabled ?? Enabled)) return {};
  const key = KMSMasterKeyId === undefined ? {} : { KMSMasterKeyArn: KMSMasterKeyId };
  return { SSEDescription: { Status: 'ENABLED', SSEType: 'KMS', ...key } };
}
