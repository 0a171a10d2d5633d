import type { Account } from './account.js';
import { deleteResources, leave } from './delete-stack.js';
import type { ResourcesUnderWay } from './resources-under-way.js';
import type { Change, DeployedStack, PhysicalResource, StackStatus } from './state.js';

/** How a rollback ends, and what it did to the resources. */
export interface RolledBack {
  readonly status: StackStatus;
  readonly changes: readonly Change[];
}

/**
 * Remainder that a rollback leaves of a resource that was created by the same operation. AWS CloudFormation, "DeletionPolicy attribute": `Retain`
 * leaves it, and `RetainExceptOnCreate` does not, "except for the stack operation that initially created the resource".
 */
const staysOnRollback = (policy: string | undefined): boolean => policy === 'Retain';

/**
 * Rolls back the first creation of a stack. It stays without resources as ROLLBACK_COMPLETE, and can only be deleted. What its service
 * does not delete stays in it, as ROLLBACK_FAILED: AWS CloudFormation, "Stack status codes".
 */
export function rollBackCreation(account: Account, draft: ResourcesUnderWay): RolledBack {
  const { name, number } = draft;
  const resources = new Map(draft.created.map(({ logicalId, resource }) => [logicalId, resource]));
  const { kept, changes, refused } = deleteResources(account, { name, resources }, staysOnRollback);
  const status = refused.length === 0 ? 'ROLLBACK_COMPLETE' : 'ROLLBACK_FAILED';
  const nothing = { outputs: new Map(), exports: new Map(), imports: new Set<string>() };
  const terminationProtection = false;
  account.stacks.set(name, {
    name,
    number,
    status,
    terminationProtection,
    template: {},
    resources: kept,
    ...nothing,
  });
  return { status, changes };
}

/**
 * Rolls back an update: the updated resources get their old properties, and the new ones go, as far as their policies and services let
 * them. What stays has no stack.
 */
export function rollBackUpdate(account: Account, before: DeployedStack, draft: ResourcesUnderWay): RolledBack {
  for (const physical of draft.updated) account.put(physical);
  const changes = draft.created.toReversed().map(({ logicalId, resource: { physicalId, definition } }) => {
    const physical = account.physical.get(physicalId) as PhysicalResource;
    const isKept = staysOnRollback(definition.DeletionPolicy);
    const change = leave(account, before.name, logicalId, physical, isKept);
    return typeof change === 'string' ? (leave(account, before.name, logicalId, physical, true) as Change) : change;
  });
  account.stacks.set(before.name, { ...before, status: 'UPDATE_ROLLBACK_COMPLETE' });
  return { status: 'UPDATE_ROLLBACK_COMPLETE', changes };
}
