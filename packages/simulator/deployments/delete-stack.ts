import type { Account } from './account.js';
import { whyNotDeleted } from './refused-deletions.js';
import type { Change, DeployedStack, Outcome, PhysicalResource, Refusal, StackResource } from './state.js';
import { inOrderOfCreation } from './template.js';

/** Resources that CloudFormation keeps when they leave a stack: AWS CloudFormation, "DeletionPolicy attribute". */
export const isRetained = (policy: string | undefined): boolean =>
  policy === 'Retain' || policy === 'RetainExceptOnCreate';

/**
 * Deletes a stack. It is refused while termination protection is on, and while another stack imports an export ("Cannot delete export
 * ... as it is in use by ..."): AWS CloudFormation, "Protect CloudFormation stacks from being deleted" and "Fn::ImportValue". What its
 * services don't delete stays in the stack, which is then DELETE_FAILED.
 */
export function deleteStack(account: Account, name: string): Outcome {
  const stack = account.stacks.get(name);
  if (!stack) return { stack: name, status: undefined, refusals: [], changes: [] };
  const refusals = refusalsOf(account, stack);
  if (refusals.length > 0) return { stack: name, status: stack.status, refusals, changes: [] };
  const { kept, changes, refused } = deleteResources(account, stack, isRetained);
  if (refused.length === 0) account.stacks.delete(name);
  else account.stacks.set(name, { ...stack, status: 'DELETE_FAILED', resources: kept });
  return { stack: name, status: refused.length === 0 ? undefined : 'DELETE_FAILED', refusals: refused, changes };
}

function refusalsOf(account: Account, { name, terminationProtection, exports }: DeployedStack): readonly Refusal[] {
  if (terminationProtection) {
    const message = `Stack [${name}] cannot be deleted while TerminationProtection is enabled`;
    return [{ kind: 'termination-protection', stack: name, message }];
  }
  return [...exports.keys()].flatMap((exported) => {
    const importedBy = account.importersOf(exported).filter((other) => other !== name);
    if (importedBy.length === 0) return [];
    const message = `Cannot delete export ${exported} as it is in use by ${importedBy.join(' and ')}`;
    return [
      { kind: 'export-in-use' as const, stack: name, message, exported: { name: exported, output: '', importedBy } },
    ];
  });
}

/**
 * Deletes the resources of a stack, those first that others don't need.
 * @param retains tells by its deletion policy whether a resource stays in the account
 * @returns what could not be deleted, and what happened to the others
 */
export function deleteResources(
  account: Account,
  { name, resources }: Pick<DeployedStack, 'name' | 'resources'>,
  retains: (policy: string | undefined) => boolean,
): {
  readonly kept: ReadonlyMap<string, StackResource>;
  readonly changes: readonly Change[];
  readonly refused: readonly Refusal[];
} {
  const kept = new Map<string, StackResource>();
  const changes: Change[] = [];
  const refused: Refusal[] = [];
  const definitions = Object.fromEntries([...resources].map(([id, { definition }]) => [id, definition]));
  for (const logicalId of inOrderOfCreation(definitions).toReversed()) {
    const { physicalId, definition } = resources.get(logicalId) as StackResource;
    const physical = account.physical.get(physicalId) as PhysicalResource;
    const change = leave(account, name, logicalId, physical, retains(definition.DeletionPolicy));
    if (typeof change !== 'string') {
      changes.push(change);
      continue;
    }
    kept.set(logicalId, { physicalId, definition });
    refused.push({ kind: 'not-deleted', stack: name, logicalId, message: `${definition.Type} stays: ${change}` });
  }
  return { kept, changes, refused };
}

/** Takes a resource out of a stack. @returns what happened to it, or why its service refuses to delete it */
export function leave(
  account: Account,
  stack: string,
  logicalId: string,
  physical: PhysicalResource,
  isKept: boolean,
): Change | string {
  const { type, contents, id } = physical;
  const change = { stack, logicalId, type, properties: [], physicalId: id, contents };
  if (isKept) return { ...change, action: 'retain' };
  const refused = whyNotDeleted(type, physical.properties, contents);
  if (refused !== undefined) return refused;
  account.remove(physical);
  return { ...change, action: 'delete' };
}
