import { Annotations, CfnResource, Stack, Validations } from 'aws-cdk-lib';
import { EventBus, Match } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { appTitle, eventSource } from '../aws/app-names.js';
import { acknowledgeCompliance } from '../base/acknowledge.js';
import { alarmOnLostByBus } from '../base/alarms.construct.js';
import { checkLimits } from '../base/check-limits.js';
import { type AnyBus, refuseForeignBus } from '../base/interfaces.js';
import { addPinnedOutput, logicalPrefix } from '../base/logical-ids.js';
import { Output } from '../base/outputs.js';
import { joinName, nameWithStackId } from '../base/physical-names.js';
import { removalPolicyOf, warnIfUnprotected } from '../base/retention.js';
import { setRunbook } from '../base/runbook.js';
import { checkApp, type EnvironmentSettings } from '../base/settings.js';
import { PersonalKeys } from '../personal-data/personal-keys.construct.js';
import { Backup } from './backup.construct.js';
import { addDashboard, type ServiceGraph } from './dashboard.construct.js';

/** Longest names (EventBridge, CreateEventBus and CreateArchive). */
const MAX_BUS_NAME = 256;
const MAX_ARCHIVE_NAME = 48;

export interface PlatformProps {
  readonly settings: EnvironmentSettings;
  /**
   * Existing bus of the stack's own account and region. It gets no policy, because denying other sources would cut
   * off everybody else who uses it, and no archive, for which its owner would pay.
   * @default a new bus, with an archive, and with a policy that denies other sources than the app's services
   */
  readonly bus?: AnyBus;
  /** Graphs of the app's own on the dashboard. @default none */
  readonly graphs?: readonly ServiceGraph[];
}

/**
 * Resources that all services of an environment share: the bus, the people's keys, the alarm topic, the backup of the
 * tables, and the dashboard.
 *
 * The table and the KMS key of the people's keys are always new. Their promise (forgotten people stay forgotten) depends on
 * the key's policy and the table's time of recovery, which CDK can't set on an imported key or table.
 * @example
 * const { bus, alarmTopic, personalKeys } = new Platform(stack, 'Platform', { settings });
 */
export class Platform extends Construct {
  readonly bus: AnyBus;
  readonly alarmTopic: Topic;
  readonly personalKeys: PersonalKeys;

  /** @throws {SettingsError} for a malformed name of the application */
  constructor(scope: Construct, id: string, { settings, bus, graphs = [] }: PlatformProps) {
    super(scope, id);
    setRunbook(this, settings);
    checkApp(settings);
    checkLimits(this);
    warnIfUnprotected(this, settings);
    if (bus) refuseForeignBus(this, bus);
    this.bus = bus ?? this.createBus(settings);
    this.alarmTopic = this.createTopic(settings);
    alarmOnLostByBus(this, 'EventLost', {
      bus: this.bus,
      means: 'neither the target nor the dead-letter queue of a rule took an event, so EventBridge dropped it.',
      topic: this.alarmTopic,
    });
    this.personalKeys = new PersonalKeys(this, 'PersonalKeys', { settings, alarmTopic: this.alarmTopic });
    const { backup } = settings;
    if (backup) new Backup(this, 'Backup', { settings, backup });
    addDashboard(this, settings, graphs);
    addPinnedOutput(this, Output.BUS, this.bus.eventBusName);
    addPinnedOutput(this, Output.PERSONAL_KEYS, this.personalKeys.table.tableName);
    addPinnedOutput(this, Output.PERSONAL_DATA_KEY, this.personalKeys.key.keyArn);
  }

  private createBus({ app, environment, archiveRetention, keepsData }: EnvironmentSettings): EventBus {
    const parts = [app.name, environment, logicalPrefix(this)];
    // CDK's default name of a bus is the same in each deployment, so it would collide with a bus that an earlier one retained.
    const bus = new EventBus(this, 'Bus', keepsData ? { eventBusName: nameWithStackId(parts, MAX_BUS_NAME) } : {});
    this.refuseForeignSources(bus, app.name);
    const archive = bus.archive('Archive', {
      archiveName: (keepsData ? nameWithStackId : joinName)(parts, MAX_ARCHIVE_NAME),
      eventPattern: { source: Match.prefix(eventSource(app.name, '')) },
      retention: archiveRetention,
    });
    if (keepsData) {
      // Both or none: the archive has a rule on its bus, and a bus with a rule can't be deleted.
      archive.applyRemovalPolicy(removalPolicyOf({ keepsData }));
      bus.applyRemovalPolicy(removalPolicyOf({ keepsData }));
    }
    return bus;
  }

  /**
   * Denies every source but the app's services, whatever other permissions somebody has in this account. `ForAnyValue`
   * doesn't match a request without a source: PutEvents refuses an entry without one by itself, and a replay from the
   * archive (which holds events of these services only) passes whether or not AWS evaluates this policy for it.
   */
  private refuseForeignSources(bus: EventBus, app: string): void {
    // A plain resource: a rule of cdk-nag reads a deprecated property of CfnEventBusPolicy, so that each synth would warn.
    new CfnResource(this, 'BusPolicy', {
      type: 'AWS::Events::EventBusPolicy',
      properties: {
        EventBusName: bus.eventBusName,
        // A statement id has at most 64 characters; a name has at most 32.
        StatementId: `Only${appTitle(app)}sOwnEvents`,
        Statement: {
          Effect: 'Deny',
          Principal: { AWS: '*' },
          Action: 'events:PutEvents',
          Resource: bus.eventBusArn,
          Condition: { 'ForAnyValue:StringNotLike': { 'events:source': eventSource(app, '*') } },
        },
      },
    });
  }

  /**
   * Topic that accepts TLS only, and publications only of this account's alarms and roles. The rule of the people's keys
   * publishes by a role. With AWS's own key (`alias/aws/sns`), alarms could not publish.
   */
  private createTopic({ app, alarmEmail, keepsData, environment }: EnvironmentSettings): Topic {
    const topic = new Topic(this, 'Alarms', { enforceSSL: true });
    acknowledgeCompliance(topic, {
      SNSEncryptedKMS: 'It holds texts of alarms, for seconds. A key that CloudWatch may not use would lose them.',
    });
    topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AlarmsOfThisAccount',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    if (alarmEmail !== undefined) {
      const subscription = topic.addSubscription(new EmailSubscription(alarmEmail));
      Validations.of(subscription).acknowledge({
        id: 'Serverless-SNSRedrivePolicy',
        reason: 'The alarm itself stays in the console; a mail that bounces has nobody who would redrive it.',
      });
    } else if (keepsData) {
      Annotations.of(this).addWarningV2(
        `${app.name}:nobody-is-told`,
        `'${environment}' has no alarmEmail in its settings: its alarms are seen in the console only`,
      );
    }
    return topic;
  }
}
