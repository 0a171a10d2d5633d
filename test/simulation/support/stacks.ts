import type { StackOutputs } from '../../../packages/kit/operator/stacks.js';
import type { Assembly } from '../../../packages/simulator/assembly/assembly.js';

/** Outputs of a deployment, as CloudFormation tells an operator: by the last part of the stack's name. */
export function stacksOf({ outputs }: Assembly): StackOutputs {
  const stacks: Record<string, Record<string, string>> = {};
  for (const [key, value] of outputs) {
    const [, stack = '', name = ''] = /-(\w+)\.(\w+)$/.exec(key) ?? [];
    stacks[stack] = { ...stacks[stack], [name]: String(value) };
  }
  return stacks;
}
