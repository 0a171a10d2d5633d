import { type Duration, Fn, Lazy } from 'aws-cdk-lib';
import { CfnAlarm, CfnCompositeAlarm, type IAlarmRef, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { acknowledgeCompliance } from './acknowledge.js';
import { describeAlarm, routesOf, topicOf } from './alarm-routes.js';
import { SHARED_ALARMS, type SharedAlarm } from './shared-alarms.js';

/** Metrics of one alarm at most: "Alarms based on a metric math expression can have up to 10 metrics" (CloudWatch, "Quotas"). */
export const MAX_METRICS = 10;

/** Metric of an alarm that several parts of a service share. */
export interface WatchedMetric {
  readonly metric: IMetric;
  /** Part of the service, such as its function: `OnClosing`. Tools show it if it is what raised the alarm. */
  readonly label: string;
  /** End of its term, which makes it comparable with the alarm's threshold: ` * 6`. @default nothing */
  readonly scale?: string;
}

const GROUPS = new WeakMap<Construct, ServiceAlarms>();

/** Returns the alarms of the service that a construct is part of. */
export function findServiceAlarms(scope: Construct): ServiceAlarms | undefined {
  const owner = scope.node.scopes.toReversed().find((one) => GROUPS.has(one as Construct));
  return owner && GROUPS.get(owner as Construct);
}

/** Returns the alarms of the service that a construct is part of, or new ones for a construct that stands alone. */
export const serviceAlarms = (scope: Construct, topic: ITopic): ServiceAlarms =>
  findServiceAlarms(scope) ?? new ServiceAlarms(scope, topic);

/** How an alarm is a part of the page of its service. */
export interface PartOfPage {
  /** Whether it follows from a bus that refuses events. It is silent meanwhile, because that is a page of its own. @default false */
  readonly followsBus?: boolean;
}

/**
 * Alarms of one service. Parts of a kind share an alarm: CloudWatch evaluates all their metrics by one expression, so a consumer
 * more is no alarm more. All pages of the service are one composite alarm, `ServicePage`: one outage is one page, whatever
 * else it drags along.
 *
 * A part of `RelayBehind` is silent while the bus refuses events, because that is a page of its own.
 */
export class ServiceAlarms extends Construct {
  private readonly shared = new Map<SharedAlarm, { readonly alarm: CfnAlarm; readonly metrics: WatchedMetric[] }[]>();
  private readonly pages: (PartOfPage & { readonly alarm: IAlarmRef })[] = [];

  constructor(
    scope: Construct,
    private readonly topic: ITopic,
  ) {
    super(scope, 'Alarms');
    GROUPS.set(scope, this);
  }

  /** Adds a metric to the alarm of its kind. Another metric of the same name and dimensions counts once. */
  watch(kind: SharedAlarm, ...metrics: readonly WatchedMetric[]): void {
    const alarms = this.shared.get(kind) ?? [];
    this.shared.set(kind, alarms);
    for (const watched of metrics) {
      if (alarms.some((one) => one.metrics.some(({ metric }) => isSame(metric, watched.metric)))) continue;
      let last = alarms.at(-1);
      if (last === undefined || last.metrics.length === MAX_METRICS) {
        last = this.createShared(kind, alarms.length + 1);
        alarms.push(last);
      }
      last.metrics.push(watched);
    }
  }

  /** Makes an alarm a part of the service's page. */
  addToPage(alarm: IAlarmRef, part: PartOfPage = {}): void {
    if (this.pages.length === 0) this.createPage();
    this.pages.push({ alarm, ...part });
    acknowledgeCompliance(alarm, {
      CloudWatchAlarmAction: 'The composite alarm ServicePage notifies in its place, so that one outage is one page.',
    });
  }

  private createShared(kind: SharedAlarm, number: number) {
    const { means, severity, combine, threshold, periods, period } = SHARED_ALARMS[kind];
    const metrics: WatchedMetric[] = [];
    const told = severity === 'ticket' ? [topicOf(this.topic, severity).topicRef.topicArn] : undefined;
    const alarm = new CfnAlarm(this, number === 1 ? kind : `${kind}${number}`, {
      alarmDescription: describeAlarm(this, kind, means, severity),
      threshold,
      evaluationPeriods: periods,
      comparisonOperator: 'GreaterThanOrEqualToThreshold',
      treatMissingData: 'notBreaching',
      metrics: Lazy.any({ produce: () => renderMetrics(metrics, combine, period) }),
      ...(told && { alarmActions: told, okActions: told }),
    });
    if (severity === 'page') this.addToPage(alarm, { followsBus: kind === 'RelayBehind' });
    return { alarm, metrics };
  }

  private createPage(): void {
    const told = [topicOf(this.topic, 'page').topicRef.topicArn];
    new CfnCompositeAlarm(this, 'ServicePage', {
      alarmDescription: describeAlarm(
        this,
        'ServicePage',
        'one or more alarms of this service are on that need somebody now.',
        'page',
      ),
      alarmRule: Lazy.string({ produce: () => this.renderRule() }),
      alarmActions: told,
      okActions: told,
    });
  }

  private renderRule(): string {
    const { busRefuses } = routesOf(this.topic);
    const on = ({ alarmRef }: IAlarmRef) => Fn.join('', ['ALARM("', alarmRef.alarmArn, '")']);
    return Fn.join(
      ' OR ',
      this.pages.map(({ alarm, followsBus }) =>
        followsBus && busRefuses ? Fn.join('', ['(', on(alarm), ' AND NOT ', on(busRefuses), ')']) : on(alarm),
      ),
    );
  }
}

function isSame(one: IMetric, other: IMetric): boolean {
  const key = (metric: IMetric) => {
    const { namespace, metricName, dimensions } = metric.toMetricConfig().metricStat ?? {};
    return JSON.stringify([namespace, metricName, dimensions]);
  };
  return key(one) === key(other);
}

/**
 * Renders the metrics, and the expression over them if there is more than one. A part that reports nothing counts as 0: it has
 * nothing to do.
 */
function renderMetrics(
  metrics: readonly WatchedMetric[],
  combine: 'MAX' | 'SUM',
  period: Duration,
): CfnAlarm.MetricDataQueryProperty[] {
  const single = metrics.length === 1 && metrics[0]?.scale === undefined;
  const queries = metrics.map(({ metric, label }, at) => {
    const stat = metric.toMetricConfig().metricStat;
    if (!stat) throw new Error(`${label}: expected a metric, and not an expression`);
    const { namespace, metricName, dimensions = [], statistic } = stat;
    return {
      id: `m${at}`,
      label,
      metricStat: {
        metric: { namespace, metricName, dimensions: dimensions.map(({ name, value }) => ({ name, value })) },
        period: period.toSeconds(),
        stat: STATISTICS[statistic.toLowerCase()] ?? statistic,
      },
      returnData: single,
    };
  });
  if (single) return queries;
  const term = ({ scale = '' }: WatchedMetric, at: number) => `FILL(m${at}, 0)${scale}`;
  const expression = `${combine}([${metrics.map(term).join(', ')}])`;
  return [...queries, { id: 'all', label: 'all', expression, returnData: true }];
}

const STATISTICS: Readonly<Record<string, string>> = { max: 'Maximum', maximum: 'Maximum', sum: 'Sum' };
