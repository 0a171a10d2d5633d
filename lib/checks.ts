import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';

/**
 * Checks every resource by two rule packs when the app is synthesized: a finding that isn't acknowledged, with its
 * reason beside the resource, lets `cdk synth` and `cdk deploy` end with an error.
 */
export function checkByRulePacks(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
}
