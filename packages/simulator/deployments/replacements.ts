import type { Json, JsonObject } from '../assembly/intrinsics.js';
import { isSame } from './template.js';

/**
 * Change of a resource by CloudFormation when one of its properties changes. `perhaps` depends on more than the property, and
 * `unknown` has no source.
 */
export type Replacement = 'never' | 'perhaps' | 'always' | 'unknown';

/** A property whose resolved value is another one. */
export interface PropertyChange {
  readonly type: string;
  readonly property: string;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/** Answers what a change of a property does. The simulator has no list of its own: `@aws-cdk/cloudformation-diff` has one. */
export type ReplacementOf = (change: PropertyChange) => Replacement;

/** Used where nobody knows. */
export const UNKNOWN_REPLACEMENTS: ReplacementOf = () => 'unknown';

/** Returns the changed properties, and what their changes do. */
export function changesBetween(
  type: string,
  before: JsonObject,
  after: JsonObject,
  replacementOf: ReplacementOf,
): readonly (PropertyChange & { readonly replacement: Replacement })[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((property) => !isSame(before[property], after[property]))
    .map((property) => ({ type, property, before: before[property], after: after[property] }))
    .map((change) => ({ ...change, replacement: definitions(change) ?? replacementOf(change) }));
}

/**
 * Attributes of a table's keys and indexes. AWS::DynamoDB::Table, AttributeDefinitions: "Update requires: Some interruptions.
 * Replacement if you edit an existing AttributeDefinition." So one that is added or removed, as with an index, replaces nothing.
 */
function definitions({ type, property, before, after }: PropertyChange): Replacement | undefined {
  if (!/^AWS::DynamoDB::(Global)?Table$/.test(type) || property !== 'AttributeDefinitions') return undefined;
  const byName = (list: Json | undefined) =>
    new Map(((list ?? []) as readonly JsonObject[]).map((one) => [one.AttributeName, one.AttributeType]));
  const present = byName(after);
  const edited = [...byName(before)].some(([name, kind]) => present.has(name) && present.get(name) !== kind);
  return edited ? 'always' : 'never';
}
