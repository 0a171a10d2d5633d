import { createHash } from 'node:crypto';
import {
  Annotations,
  CfnOutput,
  CfnParameter,
  CfnResource,
  CfnRule,
  Duration,
  Fn,
  RemovalPolicy,
  Stack,
  Validations,
} from 'aws-cdk-lib';
import { Dashboard, GraphWidget, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { EventBus, Match } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { OrdersMetric } from '../lambdas/orders/metrics.js';
import { PaymentsMetric } from '../lambdas/payments/metrics.js';
import { sourceOf } from '../packages/kit/aws/app-names.js';
import { Metric } from '../packages/kit/aws/metric-names.js';
import { PersonalKeys } from '../packages/kit/personal-data/personal-keys.construct.js';
import { acknowledgeCompliance } from '../packages/kit/service/acknowledge.js';
import { Backup } from '../packages/kit/service/backup.construct.js';
import { metricsNamespace } from '../packages/kit/service/service-function.construct.js';
import { stackProps } from '../packages/kit/service/service-stack.js';
import { PLACEHOLDER_ISSUER, type Settings } from './settings.js';

export interface PlatformStackProps {
  readonly settings: Settings;
}

/**
 * What all services share: the bus with its archive, the people's keys, where alarms go, and one page that shows how
 * they do.
 */
export class PlatformStack extends Stack {
  readonly bus: EventBus;
  readonly alarmTopic: Topic;
  readonly personalKeys: PersonalKeys;

  constructor(scope: Construct, id: string, { settings }: PlatformStackProps) {
    super(scope, id, stackProps(settings, id, 'bus, archive, keys of people, alarms, dashboard'));
    this.bus = new EventBus(this, 'Bus');
    this.refuseForeignSources(settings);
    const archive = this.bus.archive('Archive', {
      eventPattern: { source: Match.prefix(sourceOf(settings.app.name, '')) },
      retention: settings.archiveRetention,
    });
    if (settings.keepsData) {
      // Together: an archive has a rule of its own on its bus, which can't go while that is there.
      archive.applyRemovalPolicy(RemovalPolicy.RETAIN);
      this.bus.applyRemovalPolicy(RemovalPolicy.RETAIN);
    }
    this.alarmTopic = this.topic(settings);
    this.personalKeys = new PersonalKeys(this, 'PersonalKeys', { settings, alarmTopic: this.alarmTopic });
    const { backup } = settings;
    if (backup) new Backup(this, 'Backup', { settings, backup });
    this.dashboard(settings);
    this.refusePlaceholder(settings);
    new CfnOutput(this, 'BusName', { value: this.bus.eventBusName });
    new CfnOutput(this, 'PersonalKeysName', { value: this.personalKeys.table.tableName });
    new CfnOutput(this, 'PersonalDataKeyArn', { value: this.personalKeys.key.keyArn });
  }

  /**
   * Denies every source but Orderly's services, whatever other rights somebody has in this account. `ForAnyValue` doesn't
   * match a request without a source: PutEvents refuses an entry without one by itself, and a replay from the archive (which holds
   * events of these services only) passes whether or not AWS asks this policy about it.
   */
  private refuseForeignSources({ app }: Settings): void {
    // A plain resource: a rule of cdk-nag reads a deprecated property of CfnEventBusPolicy, so that each synth would warn.
    new CfnResource(this, 'BusPolicy', {
      type: 'AWS::Events::EventBusPolicy',
      properties: {
        EventBusName: this.bus.eventBusName,
        StatementId: 'OnlyOrderlysOwnEvents',
        Statement: {
          Effect: 'Deny',
          Principal: { AWS: '*' },
          Action: 'events:PutEvents',
          Resource: this.bus.eventBusArn,
          Condition: { 'ForAnyValue:StringNotLike': { 'events:source': sourceOf(app.name, '*') } },
        },
      },
    });
  }

  /**
   * TLS only, and only alarms of this account and EventBridge may write. EventBridge's statement comes from the rule that
   * writes, without a condition: "You can't use Condition blocks in Amazon SNS topic policies for EventBridge". A key of
   * AWS's (`alias/aws/sns`) would shut alarms out.
   */
  private topic({ alarmEmail, keepsData, environment }: Settings): Topic {
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
        conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
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
        'orderly:nobody-is-told',
        `'${environment}' has no alarmEmail (lib/settings.ts, or -c alarmEmail=...): alarms go to a topic that nobody hears`,
      );
    }
    return topic;
  }

  /**
   * Widgets search by the stack names' beginning, so that they need nothing of the service stacks, and show a new
   * service without a change here.
   */
  private dashboard(settings: Settings): void {
    // Without quotes: quoted, a term has to be the whole value.
    const own = `orderly ${settings.environment}`;
    const search = (label: string, schema: string, terms: string, statistic: string) =>
      new MathExpression({
        expression: `SEARCH('{${schema}} ${terms}', '${statistic}', 60)`,
        label,
        period: Duration.minutes(1),
      });
    const graph = (title: string, ...left: MathExpression[]) => new GraphWidget({ title, left, width: 12 });
    const ours = (metric: string, statistic = 'Sum') =>
      search('', `${metricsNamespace(settings)},service`, `MetricName="${metric}"`, statistic);
    const sqs = (metric: string) => search('', 'AWS/SQS,QueueName', `MetricName="${metric}" ${own}`, 'Maximum');
    const lambda = (metric: string, statistic: string) =>
      search('', 'AWS/Lambda,FunctionName', `MetricName="${metric}" ${own}`, statistic);
    const dashboard = new Dashboard(this, 'Dashboard', { defaultInterval: Duration.hours(3) });
    dashboard.addWidgets(
      graph('Orders placed', ours(OrdersMetric.ORDERS_PLACED)),
      graph('Events published, by service', ours(Metric.EVENTS_PUBLISHED)),
      graph('Duplicates suppressed, by service', ours(Metric.DUPLICATES_SUPPRESSED)),
      graph('Age of what is processed (s), by service', ours(Metric.PROCESSING_AGE, 'p99')),
      graph('Failure records, by service', ours(Metric.CONSUMER_FAILURES), ours(Metric.PUBLISH_FAILURES)),
      graph('Transient failures, by service', ours(Metric.TRANSIENT_FAILURES)),
      graph(
        'Sagas that are stuck, refunds that failed, by service',
        ours(Metric.SAGAS_STUCK),
        ours(PaymentsMetric.REFUNDS_FAILED),
      ),
      graph('Timers: how late they were handed out (s)', ours(Metric.TIMER_LATENESS, 'Maximum')),
      graph('Queues: oldest message (s)', sqs('ApproximateAgeOfOldestMessage')),
      graph('Queues and dead letters: messages', sqs('ApproximateNumberOfMessagesVisible')),
      graph('Streams: age of what the relays read (ms)', lambda('IteratorAge', 'Maximum')),
      graph('Functions: errors', lambda('Errors', 'Sum')),
      graph('API: latency p99 (ms)', search('', 'AWS/ApiGateway,ApiName,Stage', `MetricName="Latency" ${own}`, 'p99')),
      graph(
        'API: 4xx and 5xx',
        search('', 'AWS/ApiGateway,ApiName,Stage', `(MetricName="4XXError" OR MetricName="5XXError") ${own}`, 'Sum'),
      ),
    );
  }

  /**
   * The placeholder is valid as a template, so that anybody can synthesize and read `prod`; CloudFormation refuses to
   * create or update this stack with it, and the others wait for this one.
   *
   * A rule reads parameters only. The parameter's name holds the issuer's hash, because a deployment keeps an old
   * parameter's value: a good issuer of last time would let this time's placeholder through.
   */
  private refusePlaceholder({ auth, environment }: Settings): void {
    const hash = createHash('sha256').update(auth.issuer).digest('hex').slice(0, 8);
    const issuer = new CfnParameter(this, `TokenIssuer${hash}`, {
      default: auth.issuer,
      description: 'Shown for the rule below; set in lib/settings.ts, where the functions get it from.',
    });
    new CfnRule(this, 'IssuerIsConfigured', {
      assertions: [
        {
          assert: Fn.conditionNot(Fn.conditionEquals(issuer.valueAsString, PLACEHOLDER_ISSUER)),
          assertDescription: `The token issuer of '${environment}' is still the placeholder: set auth.issuer and auth.audience in lib/settings.ts`,
        },
      ],
    });
    if (auth.issuer === PLACEHOLDER_ISSUER) {
      Annotations.of(this).addWarningV2(
        'orderly:placeholder-issuer',
        `the token issuer of '${environment}' is the placeholder: CloudFormation will refuse this stack until lib/settings.ts names yours`,
      );
    }
  }
}
