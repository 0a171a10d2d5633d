import { type JsonObject, TemplateError } from '../assembly/intrinsics.js';
import type { Account } from './account.js';
import { isRetained, leave } from './delete-stack.js';
import { refusedIndexes } from './indexes.js';
import { nameKey, physicalName } from './physical-names.js';
import { changesBetween } from './replacements.js';
import {
  type Action,
  type Change,
  type DeployedStack,
  type PhysicalResource,
  type Refusal,
  Refused,
  type StackResource,
} from './state.js';
import type { ResourceDefinition, Template } from './template.js';
import type { StackUnderWay } from './values.js';

/** Resource that is deleted after everything else has succeeded. */
interface Replaced {
  readonly logicalId: string;
  readonly physical: PhysicalResource;
  readonly isKept: boolean;
}

/** The resources of a stack while an operation creates and updates them. */
export class ResourcesUnderWay implements StackUnderWay {
  readonly number: number;
  readonly resources: Map<string, StackResource>;
  readonly changes: Change[] = [];
  /** Created by this operation: logical id, and what it is defined by. */
  readonly created: { readonly logicalId: string; readonly resource: StackResource }[] = [];
  readonly imported = new Set<string>();
  /** Resources as they were before this operation updated them. */
  readonly updated: PhysicalResource[] = [];
  private readonly replaced: Replaced[] = [];

  constructor(
    private readonly account: Account,
    readonly before: DeployedStack | undefined,
    readonly name: string,
    readonly template: Template,
    private readonly tolerates: (refusal: Refusal) => boolean,
  ) {
    this.number = before?.number ?? account.next();
    this.resources = new Map(before?.resources);
  }

  resource(logicalId: string): PhysicalResource {
    const found = this.account.physical.get(this.resources.get(logicalId)?.physicalId ?? '');
    if (!found) throw new TemplateError(`${this.name}: there is no ${logicalId} to refer to`);
    return found;
  }

  imports(name: string): void {
    this.imported.add(name);
  }

  /** Ends the operation, unless all of this is tolerated. @throws {Refused} */
  refuse(...refusals: readonly Refusal[]): void {
    const refused = refusals.filter((refusal) => !this.tolerates(refusal));
    if (refused.length > 0) throw new Refused(...refused);
  }

  /** Creates, updates or replaces a resource. @throws {Refused} */
  apply(logicalId: string, definition: ResourceDefinition, properties: JsonObject): void {
    const had = this.resources.get(logicalId);
    const physical = had && this.account.physical.get(had.physicalId);
    if (!had || !physical) {
      this.create(logicalId, definition, properties);
      return;
    }
    if (physical.type !== definition.Type) {
      const message = `Update of resource type is not permitted. The new template modifies resource type of the following resources: [${logicalId}]`;
      throw new Refused({ kind: 'template', stack: this.name, logicalId, message });
    }
    const { type, id: physicalId, contents } = physical;
    const changed = changesBetween(type, physical.properties, properties, this.account.replacementOf);
    this.resources.set(logicalId, { physicalId, definition });
    if (changed.length === 0) return;
    const refusedIndex = refusedIndexes(type, physical.properties, properties);
    if (changed.some(({ replacement }) => replacement === 'always')) {
      const names = changed.filter(({ replacement }) => replacement === 'always').map(({ property }) => property);
      this.replace(logicalId, definition, properties, physical, names);
      return;
    }
    if (refusedIndex !== undefined)
      this.refuse({ kind: 'second-index', stack: this.name, logicalId, message: refusedIndex });
    for (const { replacement, property } of changed) {
      const action: Action =
        replacement === 'perhaps' ? 'perhaps-replace' : replacement === 'unknown' ? 'unknown' : 'update';
      this.changes.push({ stack: this.name, logicalId, type, action, properties: [property], physicalId, contents });
    }
    this.updated.push(physical);
    this.account.put({ ...physical, properties });
  }

  /** Prepares the deletion of what the template does not have any more. */
  dropAbsent(present: ReadonlySet<string>): void {
    for (const [logicalId, { physicalId, definition }] of this.resources) {
      if (present.has(logicalId)) continue;
      const physical = this.account.physical.get(physicalId);
      this.resources.delete(logicalId);
      if (physical) this.replaced.push({ logicalId, physical, isKept: isRetained(definition.DeletionPolicy) });
    }
  }

  /**
   * Deletes what was removed or replaced. What its service refuses to delete stays without a stack, and the update is complete all the
   * same: AWS re:Post, "Why is my CloudFormation stack stuck in the UPDATE_COMPLETE_CLEANUP_IN_PROGRESS state?"
   */
  cleanUp(): readonly Change[] {
    return this.replaced.toReversed().map(({ logicalId, physical, isKept }) => {
      const change = leave(this.account, this.name, logicalId, physical, isKept);
      return typeof change === 'string'
        ? (leave(this.account, this.name, logicalId, physical, true) as Change)
        : change;
    });
  }

  private create(logicalId: string, definition: ResourceDefinition, properties: JsonObject): void {
    const { Type: type } = definition;
    const name = physicalName(type, properties);
    const other = name === undefined ? undefined : this.account.findNamed(type, name.unique);
    if (other) {
      const message = `${name?.unique} already exists: ${type}, created by ${other.stack}/${other.logicalId}`;
      throw new Refused({ kind: 'name-exists', stack: this.name, logicalId, message });
    }
    const called = name?.called ?? `${this.name}-${logicalId}-${this.account.next()}`;
    const physicalId = name === undefined ? called : nameKey(type, name.unique);
    const stack = this.name;
    const made = { id: physicalId, type, called, name: name?.unique, stack, logicalId, properties, contents: 0 };
    this.account.put(made);
    this.resources.set(logicalId, { physicalId, definition });
    this.created.push({ logicalId, resource: { physicalId, definition } });
    this.changes.push({ stack, logicalId, type, action: 'create', properties: [], physicalId, contents: 0 });
  }

  /**
   * Creates a resource in place of another. With a name of its own it is refused, since the new one exists beside the old one for a
   * while: AWS CloudFormation, "Name type". Whether the old one stays: "UpdateReplacePolicy attribute".
   */
  private replace(
    logicalId: string,
    definition: ResourceDefinition,
    properties: JsonObject,
    old: PhysicalResource,
    names: readonly string[],
  ): void {
    if (old.name !== undefined && physicalName(old.type, properties)?.unique === old.name) {
      const message = `CloudFormation cannot update a stack when a custom-named resource requires replacing. Rename ${old.name} and update the stack again.`;
      throw new Refused({ kind: 'name-kept-by-replacement', stack: this.name, logicalId, message });
    }
    const { id: physicalId, type, contents } = old;
    const isKept = isRetained(definition.UpdateReplacePolicy);
    this.replaced.push({ logicalId, physical: old, isKept });
    this.create(logicalId, definition, properties);
    this.changes.pop();
    this.changes.push({
      stack: this.name,
      logicalId,
      type,
      action: 'replace',
      properties: names,
      physicalId,
      contents,
    });
  }
}
