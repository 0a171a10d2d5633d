import { InvalidPattern } from './invalid.js';
import { compileTest, parseExists, type Test } from './operators.js';

/** A pattern, a filter, or a part of one. */
export type Pattern = { readonly [name: string]: unknown };

/** A field of a pattern: where its values are in an event, and which of them fit. */
export interface Field {
  readonly path: readonly string[];
  /** Whether the field fits if it isn't there. */
  readonly mayBeMissing: boolean;
  readonly fits: Test;
}

/** Fields by their paths, which Ruler joins by dots. */
type Fields = ReadonlyMap<string, Field>;

/** Names that would be operators in the place of a field: with one of them, `$or` is a field's name. */
const RESERVED = new Set(
  `exactly equals-ignore-case prefix suffix anything-but exists wildcard numeric cidr = < <= > >= regex not-wildcard
  not-equals-ignore-case date-after date-on-or-after date-before date-on-or-before in-date-range ip-address-in-range
  ip-address-not-in-range`.split(/\s+/),
);

const compiled = new WeakMap<Pattern, readonly (readonly Field[])[]>();

/**
 * Reads a pattern: alternatives (`$or`), each with its fields in the order of their paths, as Event Ruler goes through
 * them.
 * @throws {InvalidPattern}
 */
export function compilePattern(pattern: Pattern): readonly (readonly Field[])[] {
  const known = compiled.get(pattern);
  if (known) return known;
  const alternatives = addFields(pattern, [], [new Map()]).map((fields) =>
    [...fields].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, field]) => field),
  );
  compiled.set(pattern, alternatives);
  return alternatives;
}

/** Adds the fields of a part of a pattern to each of the alternatives so far; the last one of a path counts. */
function addFields(pattern: Pattern, path: readonly string[], alternatives: readonly Fields[]): readonly Fields[] {
  let all = alternatives;
  for (const [name, wanted] of Object.entries(pattern)) {
    if (isChoice(name, wanted)) {
      const before = all;
      all = wanted.flatMap((choice) => addFields(choice, path, before));
      continue;
    }
    const own = [...path, name];
    if (Array.isArray(wanted)) {
      const field = fieldAt(own, wanted);
      all = all.map((fields) => new Map([...fields, [own.join('.'), field]]));
    } else if (isObject(wanted)) {
      if (Object.keys(wanted).length === 0) throw new InvalidPattern('Empty objects are not allowed');
      all = addFields(wanted, own, all);
    } else throw new InvalidPattern(`"${name}" must be an object or an array`);
  }
  return all;
}

/** @throws {InvalidPattern} if it is `$or` with something else than patterns, or with one alone */
function isChoice(name: string, wanted: unknown): wanted is readonly Pattern[] {
  if (name !== '$or' || !Array.isArray(wanted)) return false;
  const objects = wanted.filter(isObject);
  if (objects.some((choice) => Object.keys(choice).some((field) => RESERVED.has(field)))) return false;
  if (objects.length < wanted.length)
    throw new InvalidPattern('Only JSON object is allowed in array of $or relationship.');
  if (wanted.length < 2) throw new InvalidPattern('There must have at least 2 Objects in $or relationship.');
  return true;
}

function fieldAt(path: readonly string[], wanted: readonly unknown[]): Field {
  if (wanted.length === 0) throw new InvalidPattern('Empty arrays are not allowed');
  const tests = wanted.map(compileTest);
  return {
    path,
    mayBeMissing: wanted.some((test) => parseExists(test) === false),
    fits: (value) => tests.some((test) => test(value)),
  };
}

const isObject = (value: unknown): value is Pattern =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
