import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, HIPAASecurityChecks, NIST80053R5Checks, PCIDSS321Checks, ServerlessChecks } from 'cdk-nag';

/**
 * Returns the rule packs that check every resource. None of them checks a table: they look for `AWS::DynamoDB::Table`, and
 * these tables are `AWS::DynamoDB::GlobalTable`. test/lib/data.test.ts asserts the properties of tables.
 */
export const rulePacks = (app: App) => [
  new AwsSolutionsChecks(app),
  new ServerlessChecks(app),
  new NIST80053R5Checks(app),
  new PCIDSS321Checks(app),
  new HIPAASecurityChecks(app),
];

/**
 * Checks every resource by the rule packs when the app is synthesized. `cdk synth` and `cdk deploy` fail for a finding that
 * is not acknowledged, with a reason, beside its resource.
 */
export function checkByRulePacks(app: App): void {
  Validations.of(app).addPlugins(...rulePacks(app));
}
