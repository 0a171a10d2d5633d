import type { WireObject } from '../wire.js';
import { describeEndpoints, describeLimits } from './account.js';
import type { Catalog } from './catalog.js';
import { describeContinuousBackups, restoreTableToPointInTime, updateContinuousBackups } from './recovery.js';
import { describeStream, getRecords, getShardIterator, listStreams } from './streams.js';
import { createTable, deleteTable, describeTable, listTables } from './tables.js';
import { listTagsOfResource, tagResource, untagResource } from './tags.js';
import { describeTimeToLive, updateTimeToLive } from './time-to-live.js';
import { updateTable } from './update-table.js';

type Carry = Readonly<Record<string, (catalog: Catalog, input: WireObject) => WireObject>>;

/** Operations on tables and the account. */
export const TABLE_OPERATIONS = {
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
} satisfies Carry;

/** Operations of DynamoDB Streams, which has a target of its own: `DynamoDBStreams_20120810`. */
export const STREAM_OPERATIONS = {
  ListStreams: listStreams,
  DescribeStream: describeStream,
  GetShardIterator: getShardIterator,
  GetRecords: getRecords,
} satisfies Carry;
