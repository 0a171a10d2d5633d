import { CfnElement, CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/**
 * Prefix of the logical ids that this kit chooses itself: the construct ids from the stack down to `scope`, without
 * `Default`. So the constructs of a stack of their own have ids without a prefix (`Table`), and several services fit into
 * one stack (`BoardTable`, `SalesTable`). CDK refuses to synthesize two equal ids.
 */
export function logicalPrefix(scope: Construct): string {
  const { scopes } = scope.node;
  return scopes
    .slice(scopes.indexOf(Stack.of(scope)) + 1)
    .map(({ node }) => node.id)
    .filter((id) => id !== 'Default')
    .join('')
    .replaceAll(/[^A-Za-z0-9]/g, '');
}

/**
 * Gives a resource a logical id that depends on `scope` and `name` only. A construct that moves inside the scope, or gets
 * another id there, must not replace a table: CloudFormation would create an empty one.
 */
export function pinLogicalId(resource: Construct, scope: Construct, name: string): void {
  const cfn = resource.node.defaultChild;
  if (CfnElement.isCfnElement(cfn)) cfn.overrideLogicalId(logicalPrefix(scope) + name);
}

/** Adds an output whose key has no hash, so that tools find it by its name. */
export function addPinnedOutput(scope: Construct, name: string, value: string): void {
  new CfnOutput(scope, name, { value }).overrideLogicalId(logicalPrefix(scope) + name);
}
