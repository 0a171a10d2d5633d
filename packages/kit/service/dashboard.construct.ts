import { Duration } from 'aws-cdk-lib';
import { Dashboard, GraphWidget, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { InboxMetric, Metric } from '../aws/metric-names.js';
import { metricsNamespace } from '../base/metrics-namespace.js';
import type { EnvironmentSettings } from '../base/settings.js';

/** Graph of metrics that the functions of services write (EMF), one line for each service. */
export interface ServiceGraph {
  readonly title: string;
  /** Names of the metrics. */
  readonly metrics: readonly string[];
  /** @default 'Sum' */
  readonly statistic?: 'Sum' | 'Maximum' | 'p99';
}

const SERVICE_GRAPHS: readonly ServiceGraph[] = [
  { title: 'Duplicates suppressed, by service', metrics: [Metric.DUPLICATES_SUPPRESSED] },
  { title: 'Age of what is processed (s), by service', metrics: [Metric.PROCESSING_AGE], statistic: 'p99' },
  { title: 'Failure records, by service', metrics: [Metric.CONSUMER_FAILURES, Metric.PUBLISH_FAILURES] },
  { title: 'Transient failures, by service', metrics: [Metric.TRANSIENT_FAILURES] },
  { title: 'Sagas that are stuck, by service', metrics: [Metric.SAGAS_STUCK] },
  { title: 'Timers: lateness (s)', metrics: [Metric.TIMER_LATENESS], statistic: 'Maximum' },
];

/**
 * Dashboard of an environment. Its widgets search by metric namespace and by the names of the stacks, so they need nothing
 * of the services, and show a new service without a change.
 *
 * @param graphs graphs of the app's own, which come first. A graph with a metric of the kit takes the place of the kit's
 *   graph of this metric instead.
 */
export function addDashboard(scope: Construct, settings: EnvironmentSettings, graphs: readonly ServiceGraph[]): void {
  // Without quotes, a term need not be the whole value. An unquoted term has letters and digits only.
  const own = `${settings.app.name} ${settings.environment}`.replaceAll('-', ' ');
  const search = (schema: string, terms: string, statistic: string) =>
    new MathExpression({
      expression: `SEARCH('{${schema}} ${terms}', '${statistic}', 60)`,
      label: '',
      period: Duration.minutes(1),
    });
  const graph = (title: string, ...left: MathExpression[]) => new GraphWidget({ title, left, width: 12 });
  const ofServices = ({ title, metrics, statistic = 'Sum' }: ServiceGraph) => {
    const schema = `${metricsNamespace(settings)},service`;
    return graph(title, ...metrics.map((metric) => search(schema, `MetricName="${metric}"`, statistic)));
  };
  const inboxes = (metric: string) =>
    search(`${metricsNamespace(settings)},consumer,service`, `MetricName="${metric}"`, 'Maximum');
  const sqs = (metric: string) => search('AWS/SQS,QueueName', `MetricName="${metric}" ${own}`, 'Maximum');
  const lambda = (metric: string, statistic: string) =>
    search('AWS/Lambda,FunctionName', `MetricName="${metric}" ${own}`, statistic);
  const api = (metrics: string, statistic: string) =>
    search('AWS/ApiGateway,ApiName,Stage', `${metrics} ${own}`, statistic);
  new Dashboard(scope, 'Dashboard', { defaultInterval: Duration.hours(3) }).addWidgets(
    ...mergeGraphs(graphs).map(ofServices),
    graph(
      'Inboxes: messages that wait, are parked, have failed',
      inboxes(InboxMetric.PENDING),
      inboxes(InboxMetric.PARKED),
      inboxes(InboxMetric.FAILED),
    ),
    graph('Inboxes: oldest message that waits (s)', inboxes(InboxMetric.OLDEST_PENDING)),
    graph('Queues: oldest message (s)', sqs('ApproximateAgeOfOldestMessage')),
    graph('Queues and dead letters: messages', sqs('ApproximateNumberOfMessagesVisible')),
    graph('Streams: age of what the relays read (ms)', lambda('IteratorAge', 'Maximum')),
    graph('Functions: errors', lambda('Errors', 'Sum')),
    graph('API: latency p99 (ms)', api('MetricName="Latency"', 'p99')),
    graph('API: 4xx and 5xx', api('(MetricName="4XXError" OR MetricName="5XXError")', 'Sum')),
  );
}

/** Returns the graphs of services: the app's own first, except those that replace one of the kit's. */
function mergeGraphs(graphs: readonly ServiceGraph[]): readonly ServiceGraph[] {
  const findReplacement = ({ metrics }: ServiceGraph): ServiceGraph | undefined =>
    graphs.find((graph) => graph.metrics.some((metric) => metrics.includes(metric)));
  const replacing = new Set(SERVICE_GRAPHS.map(findReplacement));
  return [
    ...graphs.filter((graph) => !replacing.has(graph)),
    ...SERVICE_GRAPHS.map((graph) => findReplacement(graph) ?? graph),
  ];
}
