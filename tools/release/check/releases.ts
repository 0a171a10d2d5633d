import {
  readConstructPaths,
  readLabels,
  readStacks,
  type StackArtifact,
} from '../../../packages/simulator/assembly/manifest.js';

/** The stacks of a release, in the order of their deployment. */
export class ReleaseStacks {
  private readonly byName: ReadonlyMap<string, StackArtifact>;
  private readonly labels = new Map<string, ReadonlyMap<string, string>>();

  constructor(readonly stacks: readonly StackArtifact[]) {
    this.byName = new Map(stacks.map((stack) => [stack.name, stack]));
  }

  /** @param folder of its assembly */
  static of = (folder: string): ReleaseStacks => new ReleaseStacks(readStacks(folder));

  find(name: string): StackArtifact | undefined {
    return this.byName.get(name);
  }

  /** Returns the names of the stacks that a stack needs, directly or through others. */
  needs(name: string): ReadonlySet<string> {
    const needed = new Set<string>();
    const add = (one: string): void => {
      for (const other of this.find(one)?.dependencies ?? []) {
        if (!needed.has(other)) {
          needed.add(other);
          add(other);
        }
      }
    };
    add(name);
    return needed;
  }

  /** Returns the label of a resource: `Orders/PlaceOrder/Function`. */
  label(stack: string, logicalId: string): string {
    const artifact = this.find(stack);
    const known = this.labels.get(stack) ?? (artifact ? readLabels(artifact.metadata) : new Map<string, string>());
    this.labels.set(stack, known);
    return known.get(logicalId) ?? `${stack}/${logicalId}`;
  }

  /** Returns the expression that finds a resource's construct from its stack: `this.node.findChild('Table')`. */
  expression(stack: string, logicalId: string): string | undefined {
    const artifact = this.find(stack);
    const path = artifact && readConstructPaths(artifact.metadata).get(logicalId);
    if (!artifact || path === undefined) return undefined;
    const inside = path.slice(`/${artifact.displayName}/`.length).split('/');
    return inside.reduce((found, id) => `${found}.node.findChild('${id}')`, 'this');
  }
}
