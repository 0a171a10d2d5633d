import type { StackOutputs } from '../../../packages/operator/deployment/stacks.js';
import type { Assembly } from '../../../packages/simulator/assembly/assembly.js';

/** Returns the outputs of a deployment by the last part of the stack's name, as an operator's command reads them. */
export function readStackOutputs({ outputs }: Assembly): StackOutputs {
  const stacks: Record<string, Record<string, string>> = {};
  for (const [key, value] of outputs) {
    const [, stack = '', name = ''] = /-(\w+)\.(\w+)$/.exec(key) ?? [];
    stacks[stack] = { ...stacks[stack], [name]: String(value) };
  }
  return stacks;
}
