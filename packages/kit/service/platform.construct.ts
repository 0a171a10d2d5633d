import { Annotations, CfnResource, Duration, Stack, Validations } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { EventBus, Match } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { appTitle, eventSource } from '../aws/app-names.js';
import { Metric } from '../aws/metric-names.js';
import { acknowledgeCompliance } from '../base/acknowledge.js';
import { routeAlarms } from '../base/alarm-routes.js';
import { alarmOnLostByBus, alarmOnSome } from '../base/alarms.construct.js';
import type { Bundles } from '../base/bundles.js';
import { checkLimits } from '../base/check-limits.js';
import { type AnyBus, refuseForeignBus } from '../base/interfaces.js';
import { addPinnedOutput, logicalPrefix } from '../base/logical-ids.js';
import { metricsNamespace } from '../base/metrics-namespace.js';
import { Output } from '../base/outputs.js';
import { joinName, nameWithStackId } from '../base/physical-names.js';
import { removalPolicyOf, warnIfUnprotected } from '../base/retention.js';
import { setRunbook } from '../base/runbook.js';
import { checkApp, checkTraces, type EnvironmentSettings, SettingsError } from '../base/settings.js';
import { PersonalKeys } from '../personal-data/personal-keys.construct.js';
import { SpanExporter } from '../traces/span-exporter.construct.js';
import { Backup } from './backup.construct.js';
import { addBudget } from './budget.construct.js';
import { addDashboard, type ServiceGraph } from './dashboard.construct.js';

/** Longest names (EventBridge, CreateEventBus and CreateArchive). */
const MAX_BUS_NAME = 256;
const MAX_ARCHIVE_NAME = 48;
/**
 * Minutes in which events were refused, of the last minutes. The first alarm of a relay comes later, after 5 and 3 minutes; and
 * relays that catch up after an outage do so within the rest.
 */
const BUS_REFUSES = { bad: 3, periods: 15 };

export interface PlatformProps {
  readonly settings: EnvironmentSettings;
  /** Bundles, for the function that exports traces. @default none, which settings with `traces` refuse */
  readonly bundles?: Pick<Bundles, 'code'>;
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
  /** Topic of the pages. Constructs that take it notify `ticketTopic` of their tickets. */
  readonly alarmTopic: Topic;
  readonly ticketTopic: Topic;
  readonly personalKeys: PersonalKeys;

  /** @throws {SettingsError} for a malformed name of the application, and for traces without bundles */
  constructor(scope: Construct, id: string, { settings, bundles, bus, graphs = [] }: PlatformProps) {
    super(scope, id);
    setRunbook(this, settings);
    checkApp(settings);
    checkLimits(this);
    warnIfUnprotected(this, settings);
    if (bus) refuseForeignBus(this, bus);
    this.bus = bus ?? this.createBus(settings);
    const { alarmEmail, ticketEmail = alarmEmail } = settings;
    this.alarmTopic = this.createTopic('Alarms', alarmEmail);
    this.ticketTopic = this.createTopic('Tickets', ticketEmail);
    this.warnIfNobodyIsTold(settings);
    routeAlarms(this.alarmTopic, { tickets: this.ticketTopic });
    routeAlarms(this.alarmTopic, { busRefuses: this.addBusAlarm(settings) });
    alarmOnLostByBus(this, 'EventLost', {
      bus: this.bus,
      means: 'neither the target nor the dead-letter queue of a rule took an event, so EventBridge dropped it.',
      topic: this.alarmTopic,
    });
    this.personalKeys = new PersonalKeys(this, 'PersonalKeys', { settings, alarmTopic: this.alarmTopic });
    const { backup } = settings;
    if (backup) new Backup(this, 'Backup', { settings, backup });
    this.exportTraces(settings, bundles);
    if (settings.monthlyBudget) addBudget(this, settings.monthlyBudget, this.ticketTopic);
    addDashboard(this, settings, graphs);
    addPinnedOutput(this, Output.BUS, this.bus.eventBusName);
    addPinnedOutput(this, Output.PERSONAL_KEYS, this.personalKeys.table.tableName);
    addPinnedOutput(this, Output.PERSONAL_DATA_KEY, this.personalKeys.key.keyArn);
  }

  private exportTraces(settings: EnvironmentSettings, bundles: PlatformProps['bundles']): void {
    const { traces, environment } = settings;
    if (!traces) return;
    checkTraces(settings);
    if (!bundles)
      throw new SettingsError(
        `the settings of '${environment}' have traces, and the platform has no bundles for the function that exports them: expected new Platform(..., { settings, bundles })`,
      );
    new SpanExporter(this, 'Traces', { settings, traces, bundles, alarmTopic: this.alarmTopic });
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
  private createTopic(id: string, email: string | undefined): Topic {
    const topic = new Topic(this, id, { enforceSSL: true });
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
    if (email !== undefined) {
      const subscription = topic.addSubscription(new EmailSubscription(email));
      Validations.of(subscription).acknowledge({
        id: 'Serverless-SNSRedrivePolicy',
        reason: 'The alarm itself stays in the console; a mail that bounces has nobody who would redrive it.',
      });
    }
    return topic;
  }

  private warnIfNobodyIsTold({ app, alarmEmail, keepsData, environment }: EnvironmentSettings): void {
    if (alarmEmail !== undefined || !keepsData) return;
    Annotations.of(this).addWarningV2(
      `${app.name}:nobody-is-told`,
      `'${environment}' has no alarmEmail in its settings: its alarms are seen in the console only`,
    );
  }

  /**
   * Adds the one page about a bus that refuses events, for all services: their relays fail together. It stays on for some minutes
   * after the bus takes events again, in which the relays catch up.
   */
  private addBusAlarm(settings: EnvironmentSettings) {
    return alarmOnSome(this, 'BusRefuses', {
      metric: new MathExpression({
        expression: `SELECT SUM(${Metric.EVENTS_UNSENT}) FROM SCHEMA("${metricsNamespace(settings)}", service)`,
        period: Duration.minutes(1),
      }),
      threshold: 1,
      ...BUS_REFUSES,
      means: 'the bus refuses events of the services, or throttles them. They wait in the tables.',
      topic: this.alarmTopic,
    });
  }
}
