import { Duration, Validations } from 'aws-cdk-lib';
import { AttributeType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { EventField, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import { AccountRootPrincipal, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { appTitle } from '../aws/app-names.js';
import { Env } from '../aws/environment.js';
import { InlineRole } from '../base/inline-role.construct.js';
import { pinLogicalId } from '../base/logical-ids.js';
import { removalPolicyOf } from '../base/retention.js';
import { runbookHint } from '../base/runbook.js';
import type { ServiceFunction } from '../base/service-function.construct.js';
import type { EnvironmentSettings } from '../base/settings.js';
import { acknowledgeNoRestore, tableDefaults } from '../base/tables.construct.js';
import { PERSON_PREFIX } from './contract.js';

/**
 * Encryption context that every permission requires. So a permission holds for personal data only, and for no other use
 * of the key.
 */
const FOR_PERSONAL_DATA = { 'kms:EncryptionContext:purpose': 'personal-data' };
/**
 * Actions that administrators of the account may do with the key. They include no use of the key, and no grant that
 * would let others use it.
 */
const ADMINISTRATION = [
  'CancelKeyDeletion',
  'CreateAlias',
  'DeleteAlias',
  'DescribeKey',
  'DisableKey',
  'DisableKeyRotation',
  'EnableKey',
  'EnableKeyRotation',
  'GetKeyPolicy',
  'GetKeyRotationStatus',
  'ListGrants',
  'ListKeyPolicies',
  'ListKeyRotations',
  'ListResourceTags',
  'PutKeyPolicy',
  'RevokeGrant',
  'RotateKeyOnDemand',
  'ScheduleKeyDeletion',
  'TagResource',
  'UntagResource',
  'UpdateAlias',
  'UpdateKeyDescription',
].map((action) => `kms:${action}`);
const USE = ['kms:Decrypt', 'kms:GenerateDataKey'];
/** Calls after which nobody, or somebody else, can read personal data. */
const DANGEROUS_ACTIONS = ['DisableKey', 'PutKeyPolicy', 'ScheduleKeyDeletion'];
const DANGER_ALARM = 'PersonalDataKeyInDanger';

export interface PersonalKeysProps {
  readonly settings: EnvironmentSettings;
  readonly alarmTopic: ITopic;
}

/**
 * Table of the people's data keys, one item each, and the KMS key that wraps them (envelope encryption). The run time
 * is in the same folder.
 *
 * Crypto-shredding: a person is forgotten once their item holds no key. A tombstone stays in its place, for ever.
 * Nothing in this table expires.
 *
 * A restore of this table brings deleted keys back. So it can be restored for one day only; other tables can be
 * restored for 35 days. One day is enough to detect a fault that damages everybody's keys, after which all personal
 * data would be lost. A person who was forgotten on that day must be forgotten again after a restore.
 */
export class PersonalKeys extends Construct {
  readonly table: TableV2;
  readonly key: Key;

  /** Tag of the roles and users that may use the key; its value is the environment's name. */
  private readonly tag: string;
  private readonly environment: string;

  constructor(scope: Construct, id: string, { settings, alarmTopic }: PersonalKeysProps) {
    super(scope, id);
    const { app, keepsData, environment } = settings;
    this.environment = environment;
    this.tag = `${app.name}-personal-data`;
    const { timeToLiveAttribute: _, tags: __, ...defaults } = tableDefaults(settings);
    this.table = new TableV2(this, 'Table', {
      ...defaults,
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      pointInTimeRecoverySpecification: keepsData
        ? { pointInTimeRecoveryEnabled: true, recoveryPeriodInDays: 1 }
        : { pointInTimeRecoveryEnabled: false },
    });
    pinLogicalId(this.table, scope, 'PersonalKeys');
    acknowledgeNoRestore(this.table, settings);
    this.key = new Key(this, 'Key', {
      description: `${appTitle(app.name)} (${environment}): wraps the data keys of people`,
      policy: this.keyPolicy(),
      enableKeyRotation: true,
      removalPolicy: removalPolicyOf(settings),
      ...(keepsData ? {} : { pendingWindow: Duration.days(7) }),
    });
    this.addDangerAlarm(alarmTopic);
  }

  /** Grants a function permission to read sealed data. */
  grantDecrypt(handler: ServiceFunction): void {
    this.grantKeyUse(handler, ['GetItem'], ['kms:Decrypt']);
  }

  /** Grants a function permission to write personal data. This includes creating a key for a person who has none. */
  grantEncrypt(handler: ServiceFunction): void {
    this.grantKeyUse(handler, ['GetItem', 'PutItem'], ['kms:GenerateDataKey', 'kms:Decrypt']);
  }

  /**
   * Grants a function permission to forget people: to replace their keys by tombstones. It can neither read a key nor use
   * the KMS key.
   */
  grantErase(handler: ServiceFunction): void {
    handler.grantItems(this.table, ['UpdateItem'], PERSON_PREFIX);
    handler.setEnvironment(Env.PERSONAL_KEYS, this.table.tableName);
  }

  /**
   * Returns the key's policy. Administrators of the account manage the key, because AWS recommends not to lock them
   * out. `kms:*` in their own policies does not let them use it. Only roles with the tag may use it, and they also need
   * the permission in a policy of their own.
   *
   * The policy does not name the roles. They are in stacks that depend on this one, and KMS refuses a policy that names
   * a role which does not exist yet.
   */
  private keyPolicy(): PolicyDocument {
    const principals = [new AccountRootPrincipal()];
    const StringEquals = { ...FOR_PERSONAL_DATA, [`aws:PrincipalTag/${this.tag}`]: this.environment };
    const statement = (sid: string, actions: string[], conditions = {}) =>
      new PolicyStatement({ sid, principals, actions, resources: ['*'], conditions });
    return new PolicyDocument({
      statements: [statement('Administration', ADMINISTRATION), statement('Use', USE, { StringEquals })],
    });
  }

  /**
   * Notifies the topic who disabled the key, scheduled its deletion or changed its policy. CloudTrail sends these calls
   * to EventBridge if the account has a trail that logs management events.
   *
   * The rule publishes by a role of this account. So the topic's policy needs no statement for EventBridge, which would hold
   * for the rules of every account: "You can't use Condition blocks in Amazon SNS topic policies for EventBridge". Source:
   * EventBridge, "Using resource-based policies for Amazon EventBridge", which allows an execution role for topics ("For
   * Lambda, Amazon SNS, and Amazon SQS targets, you can use either an IAM execution role or a resource-based policy").
   */
  private addDangerAlarm(topic: ITopic): void {
    const said = [
      `${DANGER_ALARM} (${this.environment}): ${EventField.fromPath('$.detail.userIdentity.arn')} called`,
      `${EventField.fromPath('$.detail.eventName')} on ${this.key.keyArn} at ${EventField.fromPath('$.detail.eventTime')}.${runbookHint(this, DANGER_ALARM)}`,
    ];
    const rule = new Rule(this, DANGER_ALARM, {
      description: `${DANGER_ALARM}: somebody may make personal data unreadable.${runbookHint(this, DANGER_ALARM)}`,
      eventPattern: {
        source: ['aws.kms'],
        detailType: ['AWS API Call via CloudTrail'],
        detail: {
          eventSource: ['kms.amazonaws.com'],
          eventName: DANGEROUS_ACTIONS,
          // These calls name a key by its id or by its ARN.
          requestParameters: { keyId: [this.key.keyId, this.key.keyArn] },
        },
      },
      targets: [
        new SnsTopic(topic, {
          message: RuleTargetInput.fromText(said.join(' ')),
          role: new InlineRole(this, 'Publisher', 'events.amazonaws.com'),
        }),
      ],
    });
    Validations.of(rule).acknowledge({
      id: 'Serverless-EventBusDLQ',
      reason: 'EventBridge tries for 24 hours; a message later than that tells of what a trail has kept anyway.',
    });
  }

  private grantKeyUse(
    handler: ServiceFunction,
    items: Parameters<ServiceFunction['grantItems']>[1],
    actions: string[],
  ): void {
    handler.grantItems(this.table, items, PERSON_PREFIX);
    handler.grantActionsWhere({ StringEquals: FOR_PERSONAL_DATA }, actions, this.key.keyArn);
    handler.tagRole(this.tag, this.environment);
    handler.setEnvironment(Env.PERSONAL_KEYS, this.table.tableName);
    handler.setEnvironment(Env.PERSONAL_DATA_KEY, this.key.keyArn);
  }
}
