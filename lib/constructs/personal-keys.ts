import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { Env } from '../../lambdas/platform/environment.js';
import type { Settings } from '../settings.js';
import type { ServiceFunction } from './service-function.js';
import { acknowledgeNoRestore, pinLogicalId, tableDefaults } from './tables.js';

const PEOPLE = 'PERSON#';
/** A right holds for calls that say what they are for, and for no other use of the key. */
const FOR_PERSONAL_DATA = { StringEquals: { 'kms:EncryptionContext:purpose': 'personal-data' } };

/**
 * The people's data keys, one item a person, and the KMS key that wraps them (run-time twin: patterns/personal-data).
 * A person is forgotten once their item holds no key any more; a tombstone stays in its place, for ever.
 *
 * Whoever restores this table brings keys back. So it can be restored for one day only, where other tables have 35: as
 * long as it takes to see that something has gone wrong with everybody's keys, after which all personal data would be
 * lost. A person who was forgotten in that day has to be forgotten again (RUNBOOK.md). Nothing here expires.
 */
export class PersonalKeys extends Construct {
  readonly table: TableV2;
  readonly key: Key;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const { keepsData, environment } = settings;
    const { timeToLiveAttribute: _, ...defaults } = tableDefaults(settings);
    this.table = new TableV2(this, 'Table', {
      ...defaults,
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      pointInTimeRecoverySpecification: keepsData
        ? { pointInTimeRecoveryEnabled: true, recoveryPeriodInDays: 1 }
        : { pointInTimeRecoveryEnabled: false },
    });
    pinLogicalId(this.table, 'PersonalKeys');
    acknowledgeNoRestore(this.table, settings);
    this.key = new Key(this, 'Key', {
      description: `Orderly (${environment}): wraps the data keys of people`,
      enableKeyRotation: true,
      removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      ...(keepsData ? {} : { pendingWindow: Duration.days(7) }),
    });
  }

  /** The function may read what is sealed. */
  letOpen(handler: ServiceFunction): void {
    this.let(handler, ['GetItem'], ['kms:Decrypt']);
  }

  /** The function may write personal data, and so make a key for a person who has none. */
  letSeal(handler: ServiceFunction): void {
    this.let(handler, ['GetItem', 'PutItem'], ['kms:GenerateDataKey', 'kms:Decrypt']);
  }

  private let(handler: ServiceFunction, items: Parameters<ServiceFunction['allowItems']>[1], actions: string[]): void {
    handler.allowItems(this.table, items, PEOPLE);
    handler.allowWhere(FOR_PERSONAL_DATA, actions, this.key.keyArn);
    handler.setEnvironment(Env.PERSONAL_KEYS, this.table.tableName);
    handler.setEnvironment(Env.PERSONAL_DATA_KEY, this.key.keyArn);
  }
}
