import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, MathExpression, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import {
  type ILambdaDeploymentConfig,
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, type IFunction, type IVersion } from 'aws-cdk-lib/aws-lambda';
import { Metric } from '../aws/metric-names.js';
import { acknowledgeCompliance } from './acknowledge.js';
import { serviceMetric } from './alarms.construct.js';
import type { CanarySettings } from './canary-settings.js';
import { metricsNamespace } from './metrics-namespace.js';
import { LIVE_ALIAS } from './outputs.js';
import type { ServiceFunction } from './service-function.construct.js';

const CONFIGURATIONS: Readonly<Record<CanarySettings['minutes'], ILambdaDeploymentConfig>> = {
  5: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
  10: LambdaDeploymentConfig.CANARY_10PERCENT_10MINUTES,
  15: LambdaDeploymentConfig.CANARY_10PERCENT_15MINUTES,
  30: LambdaDeploymentConfig.CANARY_10PERCENT_30MINUTES,
};

const ALIAS = 'Live';
/** Faults within a minute that end a canary. A new release that is broken has them at a tenth of the calls. */
const MAX_FAULTS = 3;

/**
 * Returns what callers of a function invoke: the function, or its alias where releases are deployed progressively (setting
 * `canary`). It is for the API and for queues. A stream is read by one release at a time, because its order is that of its shards.
 */
export function liveFunction(handler: ServiceFunction): IFunction {
  const { canary } = handler.context.settings;
  if (!canary) return handler.function;
  return (handler.node.tryFindChild(ALIAS) as Alias | undefined as IFunction | undefined) ?? addCanary(handler, canary);
}

/**
 * Adds the alias through which a function is called, and its deployment group: CodeDeploy moves the alias to a new version, first
 * for a tenth of the calls. Three faults within a minute move it back, and CloudFormation rolls the stack back: invocations that
 * fail, requests that are answered with `internal`, and messages that become failure records.
 *
 * Both versions count: CodeDeploy stops a deployment while its alarm is on, whichever version raised it ("Monitoring deployments
 * with CloudWatch alarms in CodeDeploy").
 */
function addCanary(handler: ServiceFunction, canary: CanarySettings): IFunction {
  const { function: lambda, context } = handler;
  const { service, settings } = context;
  const namespace = metricsNamespace(settings);
  const alias = new Alias(handler, ALIAS, { aliasName: LIVE_ALIAS, version: lambda.currentVersion as IVersion });
  const perMinute = { period: Duration.minutes(1), statistic: Stats.SUM };
  const alarm = new Alarm(handler, 'CanaryFaults', {
    alarmDescription: `CanaryFaults: a release of ${service} fails, so CodeDeploy takes it back.`,
    metric: new MathExpression({
      expression: 'FILL(errors, 0) + FILL(requests, 0) + FILL(messages, 0)',
      period: Duration.minutes(1),
      usingMetrics: {
        errors: alias.metricErrors(perMinute),
        requests: serviceMetric(namespace, service, Metric.REQUEST_FAULTS).with(perMinute),
        messages: serviceMetric(namespace, service, Metric.CONSUMER_FAILURES).with(perMinute),
      },
    }),
    threshold: MAX_FAULTS,
    evaluationPeriods: 1,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
  acknowledgeCompliance(alarm, {
    CloudWatchAlarmAction:
      'CodeDeploy reads its state. Operators hear of the same faults by the alarms that notify them.',
  });
  const { application, role } = deploymentsOf(Stack.of(handler));
  role.addToPolicy(
    new PolicyStatement({
      actions: ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig'],
      resources: [lambda.functionArn, `${lambda.functionArn}:${LIVE_ALIAS}`],
    }),
  );
  const group = new LambdaDeploymentGroup(handler, 'Canary', {
    application,
    alias,
    role: role.withoutPolicyUpdates(),
    deploymentConfig: CONFIGURATIONS[canary.minutes],
    alarms: [alarm],
  });
  // The policy is there before the first deployment of the group, and until after its last one.
  group.node.addDependency(role);
  return alias as IFunction;
}

/** Returns the application and the role that all deployment groups of a stack share. */
function deploymentsOf(stack: Stack): { readonly application: LambdaApplication; readonly role: Role } {
  const existing = stack.node.tryFindChild('Canaries');
  if (existing) {
    return { application: existing as LambdaApplication, role: existing.node.findChild('Role') as Role };
  }
  const application = new LambdaApplication(stack, 'Canaries');
  const role = new Role(application, 'Role', { assumedBy: new ServicePrincipal('codedeploy.amazonaws.com') });
  role.addToPolicy(new PolicyStatement({ actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] }));
  Validations.of(role).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason: 'cloudwatch:DescribeAlarms takes no narrower resource in the policy that AWS manages for CodeDeploy.',
  });
  return { application, role };
}
