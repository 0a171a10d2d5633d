import { Validations } from 'aws-cdk-lib';
import { AttributeType, Billing, ProjectionType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { DUE_INDEX, FAILED_INDEX, PEOPLE_INDEX } from '../aws/indexes.js';

import { pinLogicalId } from './logical-ids.js';
import { isProtected, removalPolicyOf } from './retention.js';
import type { EnvironmentSettings } from './settings.js';

/** Attribute in epoch seconds after which an item may be deleted (late, never early). */
const TTL_ATTRIBUTE = 'expiresAt';

/** Returns the name of the tag that selects tables for backup. The tag's value is the environment's name. */
export const backupTag = ({ app }: EnvironmentSettings): string => `${app.name}:backup`;

/** Returns the props of every table: pay per request, expiry by `expiresAt`, and protection if the environment keeps data. */
export const tableDefaults = (settings: EnvironmentSettings) => ({
  ...(settings.backup ? { tags: [{ key: backupTag(settings), value: settings.environment }] } : {}),
  billing: Billing.onDemand(),
  timeToLiveAttribute: TTL_ATTRIBUTE,
  removalPolicy: removalPolicyOf(settings),
  deletionProtection: isProtected(settings),
  pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: settings.keepsData },
});

/**
 * Adds a service's idempotency table: processed records and failure records of its consumers, and answers of its API. Only
 * that service has permissions on it.
 *
 * Index `failed` contains failure records only (items with `failedConsumer`), the newest last. Index `due` contains pending
 * timers (items with `duePk`). It has keys only, because an index is eventually consistent and the sweeper reads each record
 * itself.
 */
export function recordsTable(scope: Construct, id: string, settings: EnvironmentSettings): TableV2 {
  const table = new TableV2(scope, id, {
    ...tableDefaults(settings),
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    globalSecondaryIndexes: [
      {
        indexName: FAILED_INDEX,
        partitionKey: { name: 'failedConsumer', type: AttributeType.STRING },
        sortKey: { name: 'failedAt', type: AttributeType.STRING },
        projectionType: ProjectionType.ALL,
      },
      {
        indexName: DUE_INDEX,
        partitionKey: { name: 'duePk', type: AttributeType.STRING },
        sortKey: { name: 'executeAt', type: AttributeType.STRING },
        projectionType: ProjectionType.KEYS_ONLY,
      },
    ],
  });
  pinLogicalId(table, scope, id);
  acknowledgeNoRestore(table, settings);
  return table;
}

/** Adds the sparse index of commits that contain a person's data or are about a person. */
export function addPeopleIndex(table: TableV2): void {
  table.addGlobalSecondaryIndex({
    indexName: PEOPLE_INDEX,
    partitionKey: { name: 'person', type: AttributeType.STRING },
    sortKey: { name: 'pk', type: AttributeType.STRING },
    projectionType: ProjectionType.KEYS_ONLY,
  });
}

/** Acknowledges that a table has no point-in-time recovery in an environment that does not keep data. */
export function acknowledgeNoRestore(table: TableV2, { keepsData, environment }: EnvironmentSettings): void {
  if (keepsData) return;
  Validations.of(table).acknowledge({
    id: 'AwsSolutions-DDB3',
    reason: `The data of '${environment}' is deleted with its stack; environments that keep data have point-in-time recovery.`,
  });
}
