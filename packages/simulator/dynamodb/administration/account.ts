/**
 * What clients ask about an account, and about the backups of a table, of which there are none. AWS, "API Reference:
 * DescribeLimits, DescribeEndpoints, DescribeContinuousBackups, UpdateContinuousBackups"; "Quotas in Amazon DynamoDB".
 */
import { structure } from '../operations/constraints.js';
import { readRequest } from '../operations/request.js';
import { shapeOf } from '../operations/shape.js';
import type { WireObject } from '../wire.js';
import type { Catalog, Listed } from './catalog.js';
import { isTrue } from './table-record.js';

const NOTHING = shapeOf([], {});
const NAMED = shapeOf(['TableName'], {});
const UPDATE = shapeOf(['TableName', 'PointInTimeRecoverySpecification'], {
  PointInTimeRecoverySpecification: structure(['PointInTimeRecoveryEnabled'], {}),
});

export function describeLimits(_catalog: Catalog, input: WireObject): WireObject {
  readRequest(input, NOTHING);
  return {
    AccountMaxReadCapacityUnits: 80_000,
    AccountMaxWriteCapacityUnits: 80_000,
    TableMaxReadCapacityUnits: 40_000,
    TableMaxWriteCapacityUnits: 40_000,
  };
}

export function describeEndpoints({ region }: Catalog, input: WireObject): WireObject {
  readRequest(input, NOTHING);
  return { Endpoints: [{ Address: `dynamodb.${region}.amazonaws.com`, CachePeriodInMinutes: 1440 }] };
}

export function describeContinuousBackups(catalog: Catalog, input: WireObject): WireObject {
  return backups(catalog, catalog.find(readRequest(input, NAMED).TableName));
}

export function updateContinuousBackups(catalog: Catalog, input: WireObject): WireObject {
  const { TableName, PointInTimeRecoverySpecification } = readRequest(input, UPDATE);
  return backups(catalog, catalog.change(catalog.find(TableName), { PointInTimeRecoverySpecification }));
}

function backups({ options }: Catalog, { record: { properties, createdAt } }: Listed): WireObject {
  const { PointInTimeRecoverySpecification: given } = properties as { PointInTimeRecoverySpecification?: WireObject };
  const enabled = isTrue(given?.PointInTimeRecoveryEnabled);
  const { RecoveryPeriodInDays = 35 } = given ?? {};
  const times = {
    RecoveryPeriodInDays,
    EarliestRestorableDateTime: createdAt / 1000,
    LatestRestorableDateTime: options.now() / 1000,
  };
  return {
    ContinuousBackupsDescription: {
      ContinuousBackupsStatus: 'ENABLED',
      PointInTimeRecoveryDescription: {
        PointInTimeRecoveryStatus: enabled ? 'ENABLED' : 'DISABLED',
        ...(enabled ? times : {}),
      },
    },
  };
}
