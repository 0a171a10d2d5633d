import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnPermission } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { TracesEnv, TracesMetric } from '../aws/traces-names.js';
import { alarm, droppedInvocations, serviceMetric } from '../base/alarms.construct.js';
import type { Bundles } from '../base/bundles.js';
import { metricsNamespace } from '../base/metrics-namespace.js';
import { ServiceFunction } from '../base/service-function.construct.js';
import type { EnvironmentSettings } from '../base/settings.js';
import { exporterName, registerExporter } from '../base/span-subscription.js';
import type { TracesSettings } from '../base/traces-settings.js';

export interface SpanExporterProps {
  readonly settings: EnvironmentSettings;
  readonly traces: TracesSettings;
  readonly bundles: Pick<Bundles, 'code'>;
  /** Topic of the pages, which knows the one of the tickets. */
  readonly alarmTopic: ITopic;
}

/** Service in whose name the exporter counts. */
const SERVICE = 'platform';

/** Invocations at once. Lambda keeps what waits for up to six hours, so that traces never take the concurrency of the API. */
const CONCURRENCY = 5;

/**
 * Function that exports the traces of an environment. The logs of all functions bring it their spans; no function has a permission
 * for traces, and none waits for a receiver.
 */
export class SpanExporter extends Construct {
  constructor(scope: Construct, id: string, { settings, traces, bundles, alarmTopic }: SpanExporterProps) {
    super(scope, id);
    const exporter = new ServiceFunction(this, 'Export', {
      context: { service: SERVICE, settings, bundles },
      entry: 'kit/traces/export-spans',
      functionName: exporterName(settings),
      timeout: Duration.seconds(30),
      reservedConcurrency: CONCURRENCY,
      writesSpans: false,
      environment: traces.exporter === 'otlp' ? { [TracesEnv.ENDPOINT]: traces.endpoint } : {},
    });
    if (traces.exporter === 'x-ray') {
      exporter.grantActions(['xray:PutSpans', 'xray:PutSpansForIndexing'], '*');
      // Service Authorization Reference, "AWS X-Ray": the actions have no resource type.
      const reason = 'Spans belong to no resource, so X-Ray takes no narrower one.';
      for (const id of ['AwsSolutions-IAM5[Resource::*]', 'Serverless-LambdaStarPermissions'])
        Validations.of(exporter).acknowledge({ id, reason });
    }
    const { account, region, partition } = Stack.of(this);
    new CfnPermission(this, 'FromLogs', {
      action: 'lambda:InvokeFunction',
      functionName: exporter.function.functionArn,
      principal: 'logs.amazonaws.com',
      sourceArn: `arn:${partition}:logs:${region}:${account}:log-group:*`,
    });
    alarm(this, 'TracesLost', {
      // A failed export is repeated twice. AWS Lambda Developer Guide, "Types of metrics": dropped are the events that no attempt has processed.
      metric: new MathExpression({
        expression: 'FILL(dropped, 0) + FILL(refused, 0)',
        usingMetrics: {
          dropped: droppedInvocations(exporter),
          refused: serviceMetric(metricsNamespace(settings), SERVICE, TracesMetric.SPANS_LOST),
        },
        label: 'spans that did not arrive',
        period: Duration.minutes(5),
      }),
      threshold: 1,
      means: 'the receiver of traces refused spans, or could not be reached for three attempts: traces have gaps.',
      severity: 'ticket',
      topic: alarmTopic,
    });
    registerExporter(this);
  }
}
