import { type AccountAndRegion, DEFAULT_ACCOUNT_AND_REGION } from '../assembly/identity.js';
import { nameKey } from './physical-names.js';
import { type ReplacementOf, UNKNOWN_REPLACEMENTS } from './replacements.js';
import type { DeployedStack, PhysicalResource, StackResource } from './state.js';

/** Contents of an account in one region, as far as deployments see it: stacks, and resources that exist without one. */
export class Account {
  readonly stacks = new Map<string, DeployedStack>();
  readonly physical = new Map<string, PhysicalResource>();
  private readonly byName = new Map<string, string>();
  private serial = 0;

  /** @param replacementOf answers what a change of a property does. @default nobody knows */
  constructor(
    readonly replacementOf: ReplacementOf = UNKNOWN_REPLACEMENTS,
    readonly home: AccountAndRegion = DEFAULT_ACCOUNT_AND_REGION,
  ) {}

  /** Returns an account in the same state, in which something else may happen. */
  copy(): Account {
    const copy = new Account(this.replacementOf, this.home);
    for (const [name, stack] of this.stacks) copy.stacks.set(name, stack);
    for (const [id, resource] of this.physical) copy.physical.set(id, resource);
    for (const [key, id] of this.byName) copy.byName.set(key, id);
    copy.serial = this.serial;
    return copy;
  }

  /** Resources that exist although no stack has them. */
  get leftovers(): readonly PhysicalResource[] {
    const owned = new Set([...this.stacks.values()].flatMap(({ resources }) => [...resources.values()].map(toId)));
    return [...this.physical.values()].filter(({ id }) => !owned.has(id));
  }

  next(): number {
    this.serial += 1;
    return this.serial;
  }

  /** Returns what has this name already. */
  findNamed(type: string, name: string): PhysicalResource | undefined {
    return this.physical.get(this.byName.get(nameKey(type, name)) ?? '');
  }

  put(resource: PhysicalResource): void {
    this.physical.set(resource.id, resource);
    if (resource.name !== undefined) this.byName.set(nameKey(resource.type, resource.name), resource.id);
  }

  remove({ id, type, name }: PhysicalResource): void {
    this.physical.delete(id);
    if (name !== undefined) this.byName.delete(nameKey(type, name));
  }

  /** Returns the physical resource of a stack's resource. @throws {RangeError} if there is none */
  resource(stack: string, logicalId: string): PhysicalResource {
    const id = this.stacks.get(stack)?.resources.get(logicalId)?.physicalId;
    const found = this.physical.get(id ?? '');
    if (!found) throw new RangeError(`stack ${stack} has no resource ${logicalId}`);
    return found;
  }

  /** Puts messages, items or objects into a resource. */
  fill(stack: string, logicalId: string, contents: number): void {
    this.put({ ...this.resource(stack, logicalId), contents });
  }

  setTerminationProtection(stack: string, terminationProtection: boolean): void {
    const found = this.stacks.get(stack);
    if (found) this.stacks.set(stack, { ...found, terminationProtection });
  }

  /** Returns the stack that exports a name. */
  exporterOf(name: string): DeployedStack | undefined {
    return [...this.stacks.values()].find(({ exports }) => exports.has(name));
  }

  /** Returns the names of the stacks that import an export. */
  importersOf(name: string): readonly string[] {
    return [...this.stacks.values()].filter(({ imports }) => imports.has(name)).map((stack) => stack.name);
  }
}

const toId = ({ physicalId }: StackResource): string => physicalId;

/** ARN of a stack, with a UUID that another stack of the same name does not have. */
export const stackId = (home: AccountAndRegion, { name, number }: Pick<DeployedStack, 'name' | 'number'>): string => {
  const digits = number.toString(16).padStart(8, '0');
  return home.arn('cloudformation', `stack/${name}/${digits}-0000-4000-8000-0000${digits}`);
};
