import { compilePattern, type Field, type Pattern } from './compile.js';

/** A value in an event, and the places that lead to it: of each array that it is in, the element. */
interface Leaf {
  readonly value: unknown;
  readonly within: Within;
}
type Within = ReadonlyMap<object, number>;

const NOWHERE: Within = new Map();

/**
 * Matches an event against a pattern. AWS, "Creating Amazon EventBridge event patterns" and, with the same syntax,
 * "Control which events Lambda sends to your function". Arrays are matched as AWS's own Event Ruler does it (README,
 * "JSON Array Matching"): all fields of a pattern that lead into one array must match in the same of its elements.
 * @throws {InvalidPattern}
 */
export const matches = (pattern: Pattern, event: unknown): boolean =>
  compilePattern(pattern).some((fields) => checkFields(fields, event, new Map(), 0, NOWHERE));

/**
 * Checks the fields from a place on, each with every value that it has, until one combination is consistent.
 * @param known values of fields that were looked up before
 */
function checkFields(
  fields: readonly Field[],
  event: unknown,
  known: Map<Field, readonly Leaf[]>,
  at: number,
  within: Within,
): boolean {
  const field = fields[at];
  if (!field) return true;
  const leaves = known.get(field) ?? findLeaves(event, field.path);
  known.set(field, leaves);
  const present = leaves.flatMap((leaf) => {
    const both = mergeIndexes(within, leaf.within);
    return both ? [{ leaf, both }] : [];
  });
  if (field.mayBeMissing && present.length === 0 && checkFields(fields, event, known, at + 1, within)) return true;
  return present.some(({ leaf, both }) => field.fits(leaf.value) && checkFields(fields, event, known, at + 1, both));
}

/** Returns the values at a path: none if an object is there, or nothing. */
function findLeaves(event: unknown, path: readonly string[]): readonly Leaf[] {
  const leaves: Leaf[] = [];
  const look = (value: unknown, depth: number, within: Within): void => {
    const name = path[depth];
    if (Array.isArray(value)) {
      for (const [place, element] of value.entries()) {
        if (typeof element === 'object' && element !== null) look(element, depth, new Map([...within, [value, place]]));
        else if (name === undefined) leaves.push({ value: element, within });
      }
    } else if (name === undefined) {
      if (value !== undefined && (typeof value !== 'object' || value === null)) leaves.push({ value, within });
    } else if (typeof value === 'object' && value !== null && Object.hasOwn(value, name)) {
      look((value as Readonly<Record<string, unknown>>)[name], depth + 1, within);
    }
  };
  look(event, 0, NOWHERE);
  return leaves;
}

/** Joins two lists of places; `undefined` if they are different elements of one array. */
function mergeIndexes(one: Within, other: Within): Within | undefined {
  if (other.size === 0) return one;
  for (const [array, place] of other) if ((one.get(array) ?? place) !== place) return undefined;
  return new Map([...one, ...other]);
}
