import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, HIPAASecurityChecks, NIST80053R5Checks, PCIDSS321Checks, ServerlessChecks } from 'cdk-nag';

/**
 * The rule packs that every resource is checked by. None of them sees a table: they look for `AWS::DynamoDB::Table`, and
 * ours are global ones. What tables must have is asserted in test/lib/data.test.ts.
 */
export const rulePacks = (app: App) => [
  new AwsSolutionsChecks(app),
  new ServerlessChecks(app),
  new NIST80053R5Checks(app),
  new PCIDSS321Checks(app),
  new HIPAASecurityChecks(app),
];

/**
 * Checks every resource by the rule packs when the app is synthesized: a finding that isn't acknowledged, with its
 * reason beside the resource, lets `cdk synth` and `cdk deploy` end with an error.
 */
export function checkByRulePacks(app: App): void {
  Validations.of(app).addPlugins(...rulePacks(app));
}
