import { Assembly, type StackSource } from '../assembly/assembly.js';
import { readStacks } from '../assembly/manifest.js';

/** Stacks of two releases beside each other, as a deployment has them while it runs or after it has ended early. */
export interface MixedSet {
  /** Names of the stacks that are of the later release, in the order of their deployment. */
  readonly fresh: readonly string[];
  /** Names of the stacks that are still of the earlier one. A stack that the later release doesn't have stays among them. */
  readonly old: readonly string[];
}

/** Two releases as folders of their cloud assemblies. */
export interface Releases {
  readonly before: string;
  readonly after: string;
}

/**
 * Returns the sets that `cdk deploy --all` can leave, the first one without a new stack, and the last one with all of them. It deploys
 * one stack after the other (`--concurrency` is 1 by default), each after those that it depends on, and ends at the first one that
 * fails: CloudFormation rolls that one back. So n stacks have n + 1 sets, and not 2^n. Source: `WorkGraph.doParallel` in
 * aws-cdk/lib/index.js, 2.1148.1.
 */
export function listMixedSets({ before, after }: Releases): readonly MixedSet[] {
  const namesIn = (folder: string): readonly string[] => readStacks(folder).map(({ name }) => name);
  const [earlier, later] = [namesIn(before), namesIn(after)];
  return Array.from({ length: later.length + 1 }, (_, count) => {
    const fresh = later.slice(0, count);
    return { fresh, old: earlier.filter((name) => !fresh.includes(name)) };
  });
}

/**
 * Returns the assembly of a set: each stack with the template of its release, and its functions with that release's code.
 * @throws {TemplateError} if a stack imports what no stack of the set exports
 */
export function mixAssembly({ before, after }: Releases, { fresh, old }: MixedSet): Assembly {
  const wanted = new Map<string, StackSource>();
  for (const [folder, names] of [
    [before, old],
    [after, fresh],
  ] as const)
    for (const stack of readStacks(folder)) if (names.includes(stack.name)) wanted.set(stack.name, { folder, stack });
  const ordered = new Map<string, StackSource>();
  const visit = (name: string, above: ReadonlySet<string>): void => {
    const source = wanted.get(name);
    if (!source || ordered.has(name) || above.has(name)) return;
    for (const needed of source.stack.dependencies) visit(needed, new Set([...above, name]));
    ordered.set(name, source);
  };
  for (const name of wanted.keys()) visit(name, new Set());
  return new Assembly(fresh.length > 0 ? after : before, undefined, [...ordered.values()]);
}

/** Describes a set: `Platform and Orders are new, Inventory and Api are old`. */
export function describeSet({ fresh, old }: MixedSet): string {
  if (fresh.length === 0) return 'every stack is old';
  if (old.length === 0) return 'every stack is new';
  const verb = (names: readonly string[]): string => (names.length === 1 ? 'is' : 'are');
  return `${fresh.join(', ')} ${verb(fresh)} new, ${old.join(', ')} ${verb(old)} old`;
}
