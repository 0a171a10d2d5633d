import type { Cloud } from '../../../packages/simulator/cloud/cloud.js';

/**
 * Returns the event source mapping by which a function reads: a scenario switches it off and on again.
 * @param label of the function
 * @throws {Error} if the function reads nothing
 */
export function findMapping({ sources }: Cloud, label: string): Cloud['sources'][number] {
  const found = sources.find(({ fn }) => fn.label === label);
  if (!found) throw new Error(`nothing reads for ${label}`);
  return found;
}
