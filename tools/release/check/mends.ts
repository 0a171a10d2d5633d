import type { Json, JsonObject } from '../../../packages/simulator/assembly/intrinsics.js';
import type { Refusal } from '../../../packages/simulator/deployments/state.js';
import type { Template } from '../../../packages/simulator/deployments/template.js';
import type { ReleaseStacks } from './releases.js';

/** Returns the resource and the attribute of it that an output has as its value. */
function exportedBy(release: ReleaseStacks, stack: string, output: string) {
  const { Outputs = {} } = (release.find(stack)?.template ?? {}) as Template;
  const { Ref, 'Fn::GetAtt': attribute } = (Outputs[output]?.Value ?? {}) as JsonObject;
  if (typeof Ref === 'string') return { logicalId: Ref };
  const [logicalId, ...parts] = (attribute ?? []) as readonly Json[];
  return typeof logicalId === 'string' ? { logicalId, attribute: parts.join('.') } : undefined;
}

/** Returns the label of what a stack exports. */
export function exportedLabel(before: ReleaseStacks, { stack, exported }: Refusal): string {
  const value = exportedBy(before, stack, exported?.output ?? '');
  return value ? before.label(stack, value.logicalId) : (exported?.name ?? stack);
}

/**
 * Returns the line that keeps an export for one release, after the last use of it is gone: `Stack.exportValue` in
 * aws-cdk-lib/core/lib/stack.d.ts. A resource that is gone too has to stay as long.
 */
export function keepExport(before: ReleaseStacks, after: ReleaseStacks, { stack, exported }: Refusal): string {
  const value = exportedBy(before, stack, exported?.output ?? '');
  if (!value) return `keep the output ${exported?.output} of ${stack} for one release`;
  const { logicalId, attribute } = value;
  const isThere = Object.hasOwn((after.find(stack)?.template as Template | undefined)?.Resources ?? {}, logicalId);
  const isChanged =
    isThere && Object.hasOwn((after.find(stack)?.template as Template)?.Outputs ?? {}, exported?.output ?? '');
  const label = before.label(stack, logicalId);
  if (isChanged) {
    return `keep ${label} as it is in this release: its replacement changes the value that is in use. Create the new one beside it, and remove this one in the release after nothing uses it`;
  }
  const found = (isThere ? after : before).expression(stack, logicalId);
  const use = attribute === undefined ? '.ref' : `.getAtt('${attribute}')`;
  const line = `this.exportValue((${found} as CfnResource)${use});`;
  const name = before.find(stack)?.displayName ?? stack;
  return isThere
    ? `in stack ${name}, for one release: ${line}`
    : `keep ${label} in stack ${name} for one release, and beside it: ${line}`;
}

/** Returns the entry of the list of exceptions that allows a finding. */
export const allowLine = (kind: string, environment: string, where: string): string =>
  `in tools/release/allowed.json, if it is meant: ${JSON.stringify({ kind, environments: [environment], where, reason: '...' })}`;
