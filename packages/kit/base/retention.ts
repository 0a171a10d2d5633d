import { Annotations, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { EnvironmentSettings } from './settings.js';

/**
 * Returns what CloudFormation does with a resource that has data when its stack no longer has it.
 *
 * In an environment that keeps data, the resource is retained when it leaves the stack or is replaced, but not when the
 * creation of its stack is rolled back: it is empty then, and each repetition of the deployment would leave one more behind
 * (CloudFormation, "DeletionPolicy attribute", `RetainExceptOnCreate`).
 */
export const removalPolicyOf = ({ keepsData }: Pick<EnvironmentSettings, 'keepsData'>): RemovalPolicy =>
  keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;

/**
 * Returns whether tables and stacks are protected from deletion: if the environment keeps data, unless a first deployment is
 * under way.
 */
export const isProtected = ({ keepsData, protection = 'on' }: Pick<EnvironmentSettings, 'keepsData' | 'protection'>) =>
  keepsData && protection === 'on';

/** Warns at each synth of an environment that keeps data without protection. */
export function warnIfUnprotected(scope: Construct, settings: EnvironmentSettings): void {
  if (!settings.keepsData || isProtected(settings)) return;
  Annotations.of(Stack.of(scope)).addWarningV2(
    `${settings.app.name}:unprotected`,
    `tables and stack of '${settings.environment}' are not protected from deletion: when the first deployment has succeeded, deploy again with protection 'on'`,
  );
}
