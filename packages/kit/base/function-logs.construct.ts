import { Stack } from 'aws-cdk-lib';
import { Unit } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { AGE_FIELD, Metric } from '../aws/metric-names.js';
import { metricsNamespace } from './metrics-namespace.js';
import { removalPolicyOf } from './retention.js';
import type { EnvironmentSettings } from './settings.js';

/** Construct ids of the log groups of a stack. They never change: with another id, a new group would begin empty. */
const LOGS = { endpoints: 'EndpointLogs', others: 'FunctionLogs' };

/**
 * Returns the log group of a stack's functions, or of those whose log names operators. It is created with the first function.
 *
 * Functions share a group, so that a stack has two instead of one for each function. Each execution environment has a stream of its own
 * there, and the stream's name contains the function's: `2026/11/29/<function>[$LATEST]<environment>` (AWS Lambda Developer Guide,
 * "Configuring CloudWatch log groups").
 */
export function functionLogs(
  scope: Construct,
  { settings, audited }: { readonly settings: EnvironmentSettings; readonly audited: boolean },
): LogGroup {
  const stack = Stack.of(scope);
  const id = audited ? LOGS.endpoints : LOGS.others;
  const existing = stack.node.tryFindChild(id);
  if (existing instanceof LogGroup) return existing;
  const logs = new LogGroup(stack, id, {
    retention: audited ? settings.auditRetention : settings.logRetention,
    removalPolicy: removalPolicyOf(settings),
  });
  if (!audited) measureAges(logs, settings);
  return logs;
}

/**
 * Makes a metric of the field that says how old a message was when it was handled, by service. In embedded metric format each line
 * would have 115 bytes more for it, a quarter of a line.
 */
function measureAges(logs: LogGroup, settings: EnvironmentSettings): void {
  const age = `$.${AGE_FIELD}`;
  logs.addMetricFilter('Ages', {
    filterPattern: FilterPattern.numberValue(age, '>=', 0),
    metricNamespace: metricsNamespace(settings),
    metricName: Metric.PROCESSING_AGE,
    metricValue: age,
    unit: Unit.SECONDS,
    dimensions: { service: '$.service' },
  });
}
