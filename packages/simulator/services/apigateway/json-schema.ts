import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '../../assembly/intrinsics.js';

/** Finds the schema that a reference names: one within the document, or another model's. */
export type FindSchema = (reference: string) => Json | undefined;

type Check = (value: Json, given: Json, schema: JsonObject, at: string, find: FindSchema) => readonly string[];

/**
 * Compares a value with a JSON schema of draft 4, which models of REST APIs have. Amazon API Gateway, "Data models for REST APIs"; JSON Schema
 * draft 4, "Validation". Formats are not checked.
 * @returns what is wrong, and where; nothing if the value is valid
 */
export function findSchemaErrors(value: Json, schema: Json, find: FindSchema, at = ''): readonly string[] {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return [];
  const own = schema as JsonObject;
  if (typeof own.$ref === 'string') {
    const found = find(own.$ref);
    return found === undefined ? [`${at}: there is no schema ${own.$ref}`] : findSchemaErrors(value, found, find, at);
  }
  return Object.entries(own).flatMap(([name, given]) => {
    const check = Object.hasOwn(CHECKS, name) ? CHECKS[name] : undefined;
    return check?.(value, given, own, at, find) ?? [];
  });
}

/** Whether all keywords of a schema are known. @returns the first one that isn't */
export function findUnknownKeyword(schema: Json): string | undefined {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return undefined;
  for (const [name, given] of Object.entries(schema as JsonObject)) {
    if (!Object.hasOwn(CHECKS, name) && !INERT.has(name)) return name;
    const below =
      BELOW_NAMES.has(name) && typeof given === 'object' && given !== null ? Object.values(given) : [given].flat();
    for (const one of BELOW_NAMES.has(name) || BELOW.has(name) ? below : []) {
      const unknown = findUnknownKeyword(one as Json);
      if (unknown !== undefined) return unknown;
    }
  }
  return undefined;
}

/** Keywords without an effect on what is valid. */
const INERT = new Set([
  '$ref',
  '$schema',
  'default',
  'definitions',
  'description',
  'example',
  'format',
  'id',
  'title',
  'exclusiveMaximum',
  'exclusiveMinimum',
]);
/** Keywords whose members, or items, are schemas. */
const BELOW_NAMES = new Set(['properties', 'patternProperties', 'definitions']);
const BELOW = new Set(['additionalProperties', 'allOf', 'anyOf', 'items', 'not', 'oneOf']);

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const typeOf = (value: Json): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
const listOf = (given: Json): readonly Json[] => (Array.isArray(given) ? (given as readonly Json[]) : []);

const isOfType = (value: Json, type: Json): boolean =>
  type === 'integer' ? typeof value === 'number' && Number.isInteger(value) : typeOf(value) === type;

/** A check of numbers, of lengths of texts, of lists or of objects. */
const bound =
  (
    size: (value: Json) => number | undefined,
    isBroken: (size: number, limit: number, schema: JsonObject) => boolean,
    what: string,
  ): Check =>
  (value, given, schema, at) => {
    const found = size(value);
    return found !== undefined && isBroken(found, Number(given), schema) ? [`${at}: ${what} ${String(given)}`] : [];
  };
const ofNumber = (value: Json): number | undefined => (typeof value === 'number' ? value : undefined);
const ofText = (value: Json): number | undefined => (typeof value === 'string' ? [...value].length : undefined);
const ofList = (value: Json): number | undefined => (Array.isArray(value) ? value.length : undefined);
const ofObject = (value: Json): number | undefined => (isObject(value) ? Object.keys(value).length : undefined);

const isValid = (value: Json, schema: Json, at: string, find: FindSchema): boolean =>
  findSchemaErrors(value, schema, find, at).length === 0;

const CHECKS: Readonly<Record<string, Check>> = {
  type: (value, given, _, at) =>
    [given].flat().some((type) => isOfType(value, type as Json))
      ? []
      : [`${at}: ${typeOf(value)} is no ${String(given)}`],
  enum: (value, given, _, at) =>
    listOf(given).some((one) => isDeepStrictEqual(one, value)) ? [] : [`${at}: is none of the allowed values`],
  required: (value, given, _, at) =>
    isObject(value)
      ? listOf(given)
          .filter((name) => !Object.hasOwn(value, String(name)))
          .map((name) => `${at}: ${String(name)} is missing`)
      : [],
  properties: (value, given, _, at, find) =>
    isObject(value)
      ? Object.entries(given as JsonObject).flatMap(([name, below]) =>
          Object.hasOwn(value, name) ? findSchemaErrors(value[name] as Json, below, find, `${at}/${name}`) : [],
        )
      : [],
  patternProperties: (value, given, _, at, find) =>
    isObject(value)
      ? Object.entries(given as JsonObject).flatMap(([pattern, below]) =>
          Object.entries(value)
            .filter(([name]) => new RegExp(pattern).test(name))
            .flatMap(([name, member]) => findSchemaErrors(member, below, find, `${at}/${name}`)),
        )
      : [],
  additionalProperties: (value, given, { properties = {}, patternProperties = {} }, at, find) => {
    if (!isObject(value) || given === true) return [];
    const patterns = Object.keys(patternProperties as JsonObject).map((one) => new RegExp(one));
    const others = Object.keys(value).filter(
      (name) => !Object.hasOwn(properties as JsonObject, name) && !patterns.some((one) => one.test(name)),
    );
    return others.flatMap((name) =>
      given === false
        ? [`${at}: ${name} is not allowed`]
        : findSchemaErrors(value[name] as Json, given, find, `${at}/${name}`),
    );
  },
  items: (value, given, _, at, find) =>
    listOf(value).flatMap((one, index) => {
      const schema = Array.isArray(given) ? listOf(given)[index] : given;
      return schema === undefined ? [] : findSchemaErrors(one, schema, find, `${at}/${index}`);
    }),
  uniqueItems: (value, given, _, at) =>
    given === true &&
    listOf(value).some((one, index) => listOf(value).findIndex((other) => isDeepStrictEqual(one, other)) < index)
      ? [`${at}: two items are the same`]
      : [],
  pattern: (value, given, _, at) =>
    typeof value === 'string' && !new RegExp(String(given), 'u').test(value)
      ? [`${at}: does not match ${String(given)}`]
      : [],
  multipleOf: bound(ofNumber, (found, limit) => !Number.isInteger(found / limit), 'is no multiple of'),
  minimum: bound(
    ofNumber,
    (found, limit, { exclusiveMinimum }) => (exclusiveMinimum === true ? found <= limit : found < limit),
    'is below',
  ),
  maximum: bound(
    ofNumber,
    (found, limit, { exclusiveMaximum }) => (exclusiveMaximum === true ? found >= limit : found > limit),
    'is above',
  ),
  minLength: bound(ofText, (found, limit) => found < limit, 'is shorter than'),
  maxLength: bound(ofText, (found, limit) => found > limit, 'is longer than'),
  minItems: bound(ofList, (found, limit) => found < limit, 'has fewer items than'),
  maxItems: bound(ofList, (found, limit) => found > limit, 'has more items than'),
  minProperties: bound(ofObject, (found, limit) => found < limit, 'has fewer members than'),
  maxProperties: bound(ofObject, (found, limit) => found > limit, 'has more members than'),
  allOf: (value, given, _, at, find) => listOf(given).flatMap((one) => findSchemaErrors(value, one, find, at)),
  anyOf: (value, given, _, at, find) =>
    listOf(given).some((one) => isValid(value, one, at, find)) ? [] : [`${at}: fits none of anyOf`],
  oneOf: (value, given, _, at, find) =>
    listOf(given).filter((one) => isValid(value, one, at, find)).length === 1
      ? []
      : [`${at}: does not fit exactly one of oneOf`],
  not: (value, given, _, at, find) => (isValid(value, given, at, find) ? [`${at}: fits what it must not`] : []),
};
