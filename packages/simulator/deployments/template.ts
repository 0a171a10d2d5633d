import { type Json, type JsonObject, TemplateError } from '../assembly/intrinsics.js';

/** A resource of a template. */
export interface ResourceDefinition {
  readonly Type: string;
  readonly Properties?: JsonObject;
  readonly Condition?: string;
  readonly DependsOn?: string | readonly string[];
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

/** The parts of a template that decide a deployment. */
export interface Template {
  readonly Resources?: Readonly<Record<string, ResourceDefinition>>;
  readonly Parameters?: Readonly<Record<string, { readonly Default?: Json }>>;
  readonly Conditions?: Readonly<Record<string, Json>>;
  readonly Mappings?: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, Json>>>>>>;
  readonly Outputs?: Readonly<
    Record<string, { readonly Value: Json; readonly Export?: { readonly Name: Json }; readonly Condition?: string }>
  >;
}

/**
 * Returns the resources so that each follows what it refers to or depends on. CloudFormation creates and updates them in such an order,
 * and deletes them in the reverse one: AWS CloudFormation, "DependsOn attribute".
 * @throws {TemplateError} if they depend on each other
 */
export function inOrderOfCreation(resources: Readonly<Record<string, ResourceDefinition>>): readonly string[] {
  const order: string[] = [];
  const state = new Map<string, 'open' | 'done'>();
  const visit = (id: string): void => {
    if (state.get(id) === 'done') return;
    if (state.get(id) === 'open') throw new TemplateError(`Circular dependency between resources: ${id}`);
    state.set(id, 'open');
    const { Properties = {}, DependsOn = [] } = resources[id] as ResourceDefinition;
    const needed = new Set([...[DependsOn].flat(), ...referencesOf(Properties)]);
    for (const other of needed) if (Object.hasOwn(resources, other)) visit(other);
    state.set(id, 'done');
    order.push(id);
  };
  for (const id of Object.keys(resources)) visit(id);
  return order;
}

/** Returns the logical ids and parameters that a value refers to. */
export function referencesOf(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((member) => referencesOf(member as Json));
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value as JsonObject).flatMap(([key, member]) => {
    if (key === 'Ref') return [String(member)];
    if (key === 'Fn::GetAtt') {
      return [typeof member === 'string' ? (member.split('.')[0] ?? '') : String((member as readonly Json[])[0])];
    }
    if (key !== 'Fn::Sub') return referencesOf(member);
    const [text] = Array.isArray(member) ? member : [member];
    const named = [...String(text).matchAll(/\$\{([^!}.]+)[^}]*\}/g)].map(([, name = '']) => name);
    return [...named, ...(Array.isArray(member) ? referencesOf(member.slice(1) as Json) : [])];
  });
}

/** Tells whether two values of templates are the same, whatever the order of members. */
export function isSame(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [its, others] = [one as JsonObject, other as JsonObject];
  const keys = Object.keys(its);
  return (
    keys.length === Object.keys(others).length &&
    keys.every((key) => Object.hasOwn(others, key) && isSame(its[key], others[key]))
  );
}
