import type { StackArtifact } from '../assembly/manifest.js';
import type { Account } from './account.js';
import { deleteStack } from './delete-stack.js';
import { type DeployOptions, deployStack } from './deploy-stack.js';
import type { Outcome, StackStatus } from './state.js';
import { isSame } from './template.js';

/** Facts about a stack that `cdk deploy` needs. */
export type CdkStack = Pick<StackArtifact, 'name' | 'template' | 'terminationProtection'>;

/** States that the CDK calls a creation failure (`isCreationFailure` in aws-cdk/lib/index.js). */
const CREATION_FAILED: readonly StackStatus[] = ['ROLLBACK_COMPLETE', 'ROLLBACK_FAILED'];
const COMPLETE: readonly StackStatus[] = ['CREATE_COMPLETE', 'UPDATE_COMPLETE'];

/**
 * Deploys one stack as `cdk deploy --exclusively` does. Source: `deployStack` and `changeSetDeployment` in aws-cdk/lib/index.js,
 * 2.1148.1. A stack whose first creation has failed is deleted first. Termination protection is set before the change set is executed,
 * so a stack whose first creation fails is protected. A stack whose template is the deployed one is skipped.
 */
export function cdkDeploy(account: Account, stack: CdkStack, options: DeployOptions = {}): Outcome {
  const { name, template, terminationProtection } = stack;
  const failed = account.stacks.get(name);
  if (failed && CREATION_FAILED.includes(failed.status)) {
    const deleted = deleteStack(account, name);
    if (deleted.refusals.length > 0) return deleted;
  }
  const before = account.stacks.get(name);
  if (before && COMPLETE.includes(before.status) && isSame(before.template, template)) {
    account.setTerminationProtection(name, terminationProtection);
    return { stack: name, status: before.status, refusals: [], changes: [] };
  }
  const outcome = deployStack(account, { name, template }, options);
  account.setTerminationProtection(name, terminationProtection);
  return outcome;
}

/** Where a deployment of several stacks fails. */
export interface FailAt {
  readonly stack: string;
  readonly logicalId: string;
}

/**
 * Deploys stacks as `cdk deploy --all` does, in the order in which an assembly has them, and ends at the first one that is refused.
 * @returns an outcome for each stack that was tried
 */
export function cdkDeployAll(account: Account, stacks: readonly CdkStack[], failAt?: FailAt): readonly Outcome[] {
  const outcomes: Outcome[] = [];
  for (const stack of stacks) {
    const outcome = cdkDeploy(account, stack, failAt?.stack === stack.name ? { failAt: failAt.logicalId } : {});
    outcomes.push(outcome);
    if (outcome.refusals.length > 0) break;
  }
  return outcomes;
}

/** Destroys stacks as `cdk destroy --all` does, in the reverse order, and ends at the first one that is refused. */
export function cdkDestroyAll(account: Account, stacks: readonly Pick<CdkStack, 'name'>[]): readonly Outcome[] {
  const outcomes: Outcome[] = [];
  for (const { name } of stacks.toReversed()) {
    const outcome = deleteStack(account, name);
    outcomes.push(outcome);
    if (outcome.refusals.length > 0) break;
  }
  return outcomes;
}

/** Returns what refused, of several outcomes. */
export const refusalsOf = (outcomes: readonly Outcome[]) => outcomes.flatMap(({ refusals }) => refusals);
