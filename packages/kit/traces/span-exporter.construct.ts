import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { CfnPermission } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { TracesEnv } from '../aws/traces-names.js';
import type { Bundles } from '../base/bundles.js';
import { ServiceFunction } from '../base/service-function.construct.js';
import type { EnvironmentSettings } from '../base/settings.js';
import { exporterName, registerExporter } from '../base/span-subscription.js';
import type { TracesSettings } from '../base/traces-settings.js';

export interface SpanExporterProps {
  readonly settings: EnvironmentSettings;
  readonly traces: TracesSettings;
  readonly bundles: Pick<Bundles, 'code'>;
}

/** Invocations at once. Lambda keeps what waits for up to six hours, so that traces never take the concurrency of the API. */
const CONCURRENCY = 5;

/**
 * Function that exports the traces of an environment. The logs of all functions bring it their spans; no function has a permission
 * for traces, and none waits for a receiver.
 */
export class SpanExporter extends Construct {
  constructor(scope: Construct, id: string, { settings, traces, bundles }: SpanExporterProps) {
    super(scope, id);
    const exporter = new ServiceFunction(this, 'Export', {
      context: { service: 'platform', settings, bundles },
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
    registerExporter(this);
  }
}
