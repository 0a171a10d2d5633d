import type { AdministrativeOperation, WireObject } from '../wire.js';
import { describeEndpoints, describeLimits } from './account.js';
import type { Catalog } from './catalog.js';
import { describeContinuousBackups, restoreTableToPointInTime, updateContinuousBackups } from './recovery.js';
import { describeStream, getRecords, getShardIterator, listStreams } from './streams.js';
import { createTable, deleteTable, describeTable, listTables } from './tables.js';
import { listTagsOfResource, tagResource, untagResource } from './tags.js';
import { describeTimeToLive, updateTimeToLive } from './time-to-live.js';
import { updateTable } from './update-table.js';

/** Operations on tables, streams and the account. */
export const ADMINISTRATION: Readonly<
  Record<AdministrativeOperation, (catalog: Catalog, input: WireObject) => WireObject>
> = {
  CreateTable: createTable,
  DescribeTable: describeTable,
  ListTables: listTables,
  UpdateTable: updateTable,
  DeleteTable: deleteTable,
  UpdateTimeToLive: updateTimeToLive,
  DescribeTimeToLive: describeTimeToLive,
  TagResource: tagResource,
  UntagResource: untagResource,
  ListTagsOfResource: listTagsOfResource,
  DescribeLimits: describeLimits,
  DescribeEndpoints: describeEndpoints,
  DescribeContinuousBackups: describeContinuousBackups,
  UpdateContinuousBackups: updateContinuousBackups,
  RestoreTableToPointInTime: restoreTableToPointInTime,
  ListStreams: listStreams,
  DescribeStream: describeStream,
  GetShardIterator: getShardIterator,
  GetRecords: getRecords,
};
