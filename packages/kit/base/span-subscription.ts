import { Stack } from 'aws-cdk-lib';
import { CfnSubscriptionFilter, type LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct, IConstruct } from 'constructs';
import { SPAN } from '../aws/traces-names.js';
import { joinName } from './physical-names.js';
import { type EnvironmentSettings, SettingsError } from './settings.js';

/** Longest name of a function (AWS Lambda API Reference, "CreateFunction"). */
const MAX_NAME = 64;

/** Exporters of traces and subscriptions to them, by the root of their app. */
const exporters = new WeakMap<IConstruct, Construct>();
const waiting = new WeakMap<IConstruct, CfnSubscriptionFilter[]>();

/**
 * Returns the name of the function that exports an environment's traces. A name that follows from the settings needs no export of
 * a stack: so traces can be turned off by one deployment, although stacks refer to the function.
 */
export const exporterName = ({ app, environment }: EnvironmentSettings): string =>
  joinName([app.name, environment, 'traces'], MAX_NAME);

/** Makes an exporter known to the functions of its app. They are created after it, in its stack and in others. */
export function registerExporter(exporter: Construct): void {
  const { root } = exporter.node;
  exporters.set(root, exporter);
  for (const subscription of waiting.get(root) ?? []) subscription.node.addDependency(exporter);
}

/**
 * Subscribes the exporter of traces to a log group of functions, once. CloudWatch Logs API Reference, "PutSubscriptionFilter": the function must
 * exist, with a permission for logs.
 * @throws {SettingsError} if the bundles were made without traces
 */
export function subscribeToSpans(
  logs: LogGroup,
  settings: EnvironmentSettings,
  bundles: { readonly traces?: boolean },
): void {
  if (bundles.traces === false)
    throw new SettingsError(
      `the bundles of '${settings.environment}' write no spans, and its settings have traces: expected new Bundles(folder, { traces: true })`,
    );
  if (logs.node.tryFindChild('Spans')) return;
  const subscription = new CfnSubscriptionFilter(logs, 'Spans', {
    logGroupName: logs.logGroupName,
    filterPattern: `{ $.kind = "${SPAN}" }`,
    destinationArn: Stack.of(logs).formatArn({
      service: 'lambda',
      resource: `function:${exporterName(settings)}`,
    }),
  });
  const { root } = logs.node;
  const exporter = exporters.get(root);
  if (exporter) subscription.node.addDependency(exporter);
  else waiting.set(root, [...(waiting.get(root) ?? []), subscription]);
  logs.node.addValidation({
    validate: () =>
      exporters.has(root)
        ? []
        : [
            `the settings of '${settings.environment}' have traces, and nothing exports them: expected new Platform(..., { settings, bundles }) in the app`,
          ],
  });
}
