import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { AttributeType, Billing, ProjectionType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { FAILED_INDEX } from '../failures/contract.js';
import { PEOPLE_INDEX } from '../messages/contract.js';
import { DUE_INDEX } from '../timers/contract.js';
import { pinLogicalId } from './logical-ids.js';
import type { EnvironmentSettings } from './settings.js';

/** Attribute in epoch seconds after which an item may be deleted (late, never early). */
const TTL_ATTRIBUTE = 'expiresAt';

/** Tag of what the backup plan copies; its value is the environment's name. */
export const backupTag = ({ app }: EnvironmentSettings): string => `${app.name}:backup`;

/** What every table has: pay per request, expiry by `expiresAt`, and as much safety as the environment's data needs. */
export const tableDefaults = (settings: EnvironmentSettings) => ({
  ...(settings.backup ? { tags: [{ key: backupTag(settings), value: settings.environment }] } : {}),
  billing: Billing.onDemand(),
  timeToLiveAttribute: TTL_ATTRIBUTE,
  removalPolicy: settings.keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  deletionProtection: settings.keepsData,
  pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: settings.keepsData },
});

/**
 * A service's idempotency table: what its consumers have processed or failed at, and what its API has answered.
 * Nothing but that service has a right on it.
 *
 * Index `failed` holds failure records only (an item without `failedConsumer` isn't in it), newest last. Index `due` holds
 * stored messages that wait (by `duePk`): keys only, as the sweeper reads each record itself, since an index is behind.
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

/** Who has what in a service's table: commits with personal data, and those about a person. Sparse. */
export function addPeopleIndex(table: TableV2): void {
  table.addGlobalSecondaryIndex({
    indexName: PEOPLE_INDEX,
    partitionKey: { name: 'person', type: AttributeType.STRING },
    sortKey: { name: 'pk', type: AttributeType.STRING },
    projectionType: ProjectionType.KEYS_ONLY,
  });
}

/** Data of a disposable environment isn't worth a restore. */
export function acknowledgeNoRestore(table: TableV2, { keepsData, environment }: EnvironmentSettings): void {
  if (keepsData) return;
  Validations.of(table).acknowledge({
    id: 'AwsSolutions-DDB3',
    reason: `The data of '${environment}' is deleted with its stack; environments that keep data have point-in-time recovery.`,
  });
}
