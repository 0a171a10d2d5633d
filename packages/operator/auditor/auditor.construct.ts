import { FEED_INDEX } from '@orderly/kit/internal/aws/indexes.js';
import { alarm, alarmOnErrors, alarmOnSilence, serviceMetric } from '@orderly/kit/internal/base/alarms.construct.js';
import type { Bundles } from '@orderly/kit/internal/base/bundles.js';
import { addPinnedOutput, pinLogicalId } from '@orderly/kit/internal/base/logical-ids.js';
import { metricsNamespace } from '@orderly/kit/internal/base/metrics-namespace.js';
import { AUDIT_PREFIX, Output } from '@orderly/kit/internal/base/outputs.js';
import { setRunbook } from '@orderly/kit/internal/base/runbook.js';
import { leadingKeys, ServiceFunction } from '@orderly/kit/internal/base/service-function.construct.js';
import { checkApp, type EnvironmentSettings, SettingsError } from '@orderly/kit/internal/base/settings.js';
import { acknowledgeNoRestore, tableDefaults } from '@orderly/kit/internal/base/tables.construct.js';
import { RELAY, recordsPrefix } from '@orderly/kit/internal/failures/contract.js';
import type { Service } from '@orderly/kit/internal/service/service.construct.js';
import { Duration, Lazy, Stack, Validations } from 'aws-cdk-lib';
import { AttributeType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { PAUSE_LIMITS } from '../consumers/pause-limits.js';
import { grantInStacks, listStackNames, namePattern } from '../deployment/stack-permissions.construct.js';
import { AUDIT_KEYS, AuditorEnv, AuditorMetric } from './contract.js';

export interface DeliveryAuditProps {
  readonly settings: EnvironmentSettings;
  readonly bundles: Pick<Bundles, 'code'>;
  readonly alarmTopic: ITopic;
  /** Services whose messages, and whose consumers, are audited. */
  readonly services: readonly Service[];
  /** Time between two runs, whole minutes from 1 to 60. @default Duration.minutes(5) */
  readonly every?: Duration;
  /**
   * Time that a message has for its way before it is judged, from one minute. It should be longer than a usual delay of the
   * relays and of the queues: what is still on its way is not missing.
   * @default Duration.minutes(15)
   */
  readonly behind?: Duration;
  /**
   * Most deliveries that one run sends again, so that a large loss is worked off at a bounded rate. A commit that alone
   * misses more is sent as a whole.
   * @default 500
   */
  readonly resends?: number;
  /**
   * Most queries of feeds in one run: a page of 100 commits each, or an empty hour of one shard. They bound the cost and
   * the time of a run that has much to catch up with.
   * @default 2000
   */
  readonly pages?: number;
  /** Most commits that are judged at once, from 1. @default 100: DynamoDB reads so many with one call */
  readonly pageSize?: number;
}

/** Timeout of a run, and the time for which it holds the lease. It ends before the next tick. */
const TIMEOUT = Duration.minutes(4);
/** A message that waits in its queue holds the watermark back (`judge.ts`): in normal operation for an hour at most. */
const MAX_LAG = Duration.hours(2);
/** Service in the function's logs and metrics. */
const NAME = 'audit';
/** Why the audit's permissions name resources by the beginnings of their names. */
const WHY_BY_NAME =
  'The audit reads the tables and sends to the queues of every consumer of the named stack, also of those that are deployed after it. A reference to each one would tie all stacks together: no consumer could be removed before the audit.';

/** Why an action of the audit has no resource. */
const WHY_ALL = 'IAM grants cloudwatch:GetMetricData for all resources or for none. It reads numbers, and no message.';

/**
 * The delivery audit: a function that compares, every few minutes, what services have committed with what became of it at each
 * consumer. It sends missing deliveries again, to their consumers only, and raises alarms when something was missing, when
 * it is late, and when an operator has forgotten a pause.
 *
 * It finds out who subscribes to what from the outputs of the services' stacks, at each run. No stack refers to another one for it,
 * so a service can add and remove consumers without it. Its permissions name the resources of the services' stacks by the
 * beginnings of their names, as CloudFormation makes them.
 * @example
 * new DeliveryAudit(stack, 'Default', { settings, bundles, alarmTopic, services: [board, tickets] });
 */
export class DeliveryAudit extends Construct {
  readonly table: TableV2;
  readonly auditor: ServiceFunction;

  /** @throws {SettingsError} for a setting outside of its limits, and for no services */
  constructor(scope: Construct, id: string, props: DeliveryAuditProps) {
    super(scope, id);
    const { settings, bundles, alarmTopic, services, resends = 500, pages = 2_000, pageSize = 100 } = props;
    const { every = Duration.minutes(5), behind = Duration.minutes(15) } = props;
    checkApp(settings);
    check({ every, behind, resends, pages, pageSize, services });
    setRunbook(this, settings);
    this.table = new TableV2(this, 'Table', {
      ...tableDefaults(settings),
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
    });
    pinLogicalId(this.table, this, 'Table');
    acknowledgeNoRestore(this.table, settings);

    const stacks = listStackNames(services);
    this.auditor = new ServiceFunction(this, 'Auditor', {
      context: { service: NAME, settings, bundles },
      entry: 'operator/auditor/auditor',
      timeout: TIMEOUT,
      roleId: 'Role2',
      environment: {
        [AuditorEnv.TABLE]: this.table.tableName,
        [AuditorEnv.STACKS]: JSON.stringify(stacks),
        [AuditorEnv.BEHIND_SECONDS]: String(behind.toSeconds()),
        [AuditorEnv.RESENDS]: String(resends),
        [AuditorEnv.PAGES]: String(pages),
        [AuditorEnv.PAGE_SIZE]: String(pageSize),
      },
    });
    this.grant(stacks);
    this.schedule(every);
    this.alarms(settings, every, alarmTopic);
    addPinnedOutput(this, Output.AUDIT_TABLE, this.table.tableName);
    const functions = Lazy.string({ produce: () => Stack.of(this).toJsonString([this.auditor.description]) });
    addPinnedOutput(this, Output.FUNCTIONS, functions);
  }

  private grant(stacks: readonly string[]): void {
    const { auditor, table } = this;
    auditor.grantItems(table, ['GetItem', 'PutItem', 'Query', 'UpdateItem', 'DeleteItem'], AUDIT_KEYS);
    const allow = (actions: string[], service: string, resource: (stack: string) => string, conditions = {}): void =>
      grantInStacks(auditor, stacks, { actions, service, resource, conditions }, WHY_BY_NAME);
    allow(['cloudformation:DescribeStacks'], 'cloudformation', (stack) => `stack/${stack}/*`);
    allow(['dynamodb:Query'], 'dynamodb', (stack) => `table/${namePattern(stack)}/index/${FEED_INDEX}`);
    allow(['dynamodb:BatchGetItem'], 'dynamodb', (stack) => `table/${namePattern(stack)}`);
    allow(
      ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:Query'],
      'dynamodb',
      (stack) => `table/${namePattern(stack)}`,
      // A commit that can't be read becomes a failure record of its relay. The pauses of
      // operators are beside the audit log. One statement for all: a role has 10 KB of them.
      leadingKeys([AUDIT_PREFIX, recordsPrefix(RELAY)]),
    );
    allow(['sqs:GetQueueAttributes', 'sqs:SendMessage'], 'sqs', namePattern);
    allow(['lambda:InvokeFunction'], 'lambda', (stack) => `function:${namePattern(stack)}`);
    auditor.grantActions(['cloudwatch:GetMetricData'], '*');
    Validations.of(auditor).acknowledge({ id: 'AwsSolutions-IAM5[Resource::*]', reason: WHY_ALL });
    Validations.of(auditor).acknowledge({ id: 'Serverless-LambdaStarPermissions', reason: WHY_ALL });
  }

  private schedule(every: Duration): void {
    const { auditor } = this;
    auditor.function.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: every });
    Validations.of(auditor).acknowledge({
      id: 'Serverless-LambdaAsyncFailureDestination',
      reason: 'A tick that fails has nothing in it to keep: the next run continues from the watermarks.',
    });
    const rule = new Rule(this, 'Schedule', {
      schedule: Schedule.rate(every),
      targets: [new FunctionTarget(auditor.function, { retryAttempts: 0, maxEventAge: every })],
    });
    Validations.of(rule).acknowledge({
      id: 'Serverless-EventBusDLQ',
      reason: 'A tick that could not be delivered has nothing in it to keep; that none comes is an alarm.',
    });
  }

  private alarms(settings: EnvironmentSettings, every: Duration, topic: ITopic): void {
    const metric = (name: string) => serviceMetric(metricsNamespace(settings), NAME, name);
    alarm(this, 'DeliveryMissing', {
      metric: metric(AuditorMetric.MISSING),
      threshold: 1,
      means:
        'a message never reached one of its consumers, and the audit has sent it again, to that consumer only; or a commit can not be read.',
      severity: 'ticket',
      topic,
    });
    alarm(this, 'AuditBehind', {
      metric: metric(AuditorMetric.LAG).with({ statistic: 'max' }),
      threshold: MAX_LAG.toSeconds(),
      means:
        'the delivery audit is over two hours behind: messages wait in a queue for so long, or what was lost since is not found yet.',
      severity: 'ticket',
      topic,
    });
    const paused = metric(AuditorMetric.PAUSED).with({
      statistic: 'max',
      // Two runs, so that no period is without a value.
      period: Duration.minutes(every.toMinutes() * 2),
    });
    alarm(this, 'PauseForgotten', {
      metric: paused,
      threshold: PAUSE_LIMITS.forgotten,
      means:
        'an operator has paused a consumer for a day or longer: its messages wait. Perhaps the pause was forgotten.',
      severity: 'ticket',
      topic,
    });
    alarm(this, 'PauseLosesMessages', {
      metric: paused,
      threshold: PAUSE_LIMITS.urgent,
      means: 'a consumer is paused for the fifth day: its queue deletes messages that are seven days old.',
      topic,
    });
    alarmOnErrors(this, 'AuditFailing', {
      handler: this.auditor,
      means: 'runs of the delivery audit end with an error: what is lost is not found.',
      severity: 'ticket',
      topic,
    });
    alarmOnSilence(this, 'AuditStopped', {
      handler: this.auditor,
      within: Duration.minutes(Math.max(every.toMinutes() * 3, 15)),
      means: 'nothing invokes the delivery audit any more: what is lost is not found.',
      severity: 'ticket',
      topic,
    });
  }
}

function check(
  settings: Required<Pick<DeliveryAuditProps, 'every' | 'behind' | 'resends' | 'pages' | 'pageSize' | 'services'>>,
): void {
  const { every, behind, resends, pages, pageSize, services } = settings;
  const minutes = every.toMinutes({ integral: false });
  const refuse = (what: string): never => {
    throw new SettingsError(`DeliveryAudit: ${what}`);
  };
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > 60)
    refuse(`every is ${minutes} minutes: expected whole minutes from 1 to 60`);
  if (behind.toSeconds() < 60)
    refuse(`behind is ${behind.toSeconds()} s: expected a minute or more, as a message needs`);
  if (!Number.isSafeInteger(resends) || resends < 1) refuse(`resends is ${resends}: expected a whole number from 1`);
  if (!Number.isSafeInteger(pages) || pages < 1) refuse(`pages is ${pages}: expected a whole number from 1`);
  if (!Number.isSafeInteger(pageSize) || pageSize < 1)
    refuse(`pageSize is ${pageSize}: expected a whole number from 1`);
  if (services.length === 0) refuse('there are no services: expected at least one');
}
