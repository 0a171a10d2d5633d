import * as z from 'zod/mini';

/** A part of a document. */
export type Json = { readonly [name: string]: unknown };

/** JSON Schemas of the document. */
export interface Schemas {
  /** Returns a schema as it stands at its place: a reference, if it has a name. */
  of(schema: z.ZodMiniType): Json;
  /** Returns the schema itself, even if it has a name. */
  whole(schema: z.ZodMiniType): Json;
  /** Returns the schemas that were referred to until now, by their names. */
  components(): Readonly<Record<string, Json>>;
}

const PLACE = '#/components/schemas/';

/**
 * Converts schemas to JSON Schema (draft 2020-12, the dialect of OpenAPI 3.1).
 * @param named schemas that may be referred to, by their names
 * @param used schemas of bodies, answers and queries
 */
export function convertSchemas(named: ReadonlyMap<string, z.ZodMiniType>, used: readonly z.ZodMiniType[]): Schemas {
  const registry = z.registry<{ id: string }>();
  const names = new Map<z.ZodMiniType, string>();
  for (const [name, schema] of named) names.set(schema, name);
  const anonymous = new Map<z.ZodMiniType, string>();
  for (const schema of new Set(used)) if (!names.has(schema)) anonymous.set(schema, `anonymous.${anonymous.size}`);
  for (const [schema, id] of [...names, ...anonymous]) registry.add(schema, { id });
  const converted = z.toJSONSchema(registry, { io: 'input', unrepresentable: 'any', uri: (id) => PLACE + id }).schemas;
  const components = new Map<string, Json>();
  const add = (name: string): void => {
    if (components.has(name)) return;
    components.set(name, tidy(converted[name]) as Json);
    follow(components.get(name));
  };
  const follow = <Part>(schema: Part): Part => {
    for (const [, name = ''] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) add(name);
    return schema;
  };
  const whole = (schema: z.ZodMiniType): Json =>
    follow(tidy(converted[names.get(schema) ?? anonymous.get(schema) ?? '']) as Json);
  return {
    whole,
    of(schema) {
      const name = names.get(schema);
      return name === undefined ? whole(schema) : follow({ $ref: PLACE + name });
    },
    components: () => Object.fromEntries([...components].toSorted(([one], [other]) => (one < other ? -1 : 1))),
  };
}

/** Members that say again what others say, or that belong to a file of its own. */
const NOISE = new Set(['$schema', '$id']);

/** Formats whose patterns, by zod, say the same at length. */
const EXACT_FORMATS: readonly unknown[] = ['date-time', 'date', 'uuid'];

/** Patterns that say a format, or that only some readers of JSON Schema understand, and what the document says instead. */
const PATTERNS: ReadonlyMap<unknown, Json> = new Map<unknown, Json>([
  [z.regexes.date.source, { format: 'date' }],
  [
    String.raw`^[^\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]*$`,
    {
      pattern: String.raw`^[^\u0000-\u001f\u007f-\u009f]*$`,
      description: 'No control characters, no lone surrogates, no noncharacters of Unicode.',
    },
  ],
]);

/**
 * Patterns of text that is a number, and the numbers that they take. Parameters are text on the wire, and functions read them by the
 * pattern; a document that says so makes generated clients take text from their callers.
 */
export const NUMBERS: ReadonlyMap<unknown, Json> = new Map<unknown, Json>([
  [String.raw`^([1-9]\d?|100)$`, { type: 'integer', minimum: 1, maximum: 100 }],
  [String.raw`^\d{1,15}$`, { type: 'integer', minimum: 0, maximum: 999_999_999_999_999 }],
]);

/** Removes what only a machine would have written. @throws {Error} for a pattern that not every reader understands */
function tidy(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(tidy);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { format, pattern, allOf = [], ...others } = schema as Json;
  const isSaidByFormat = typeof pattern !== 'string' || EXACT_FORMATS.includes(format);
  if (typeof pattern === 'string' && pattern.includes('\\p{') && !PATTERNS.has(pattern))
    throw new Error(`tools/docs/openapi/schemas.ts has no simpler pattern for ${pattern}`);
  return Object.fromEntries(
    Object.entries({
      ...others,
      ...(format === undefined || format === 'currency_code' ? {} : { format }),
      ...(isSaidByFormat ? (typeof pattern === 'object' ? { pattern } : {}) : (PATTERNS.get(pattern) ?? { pattern })),
      // Several patterns of one text.
      ...Object.assign({}, ...(allOf as readonly Json[]).map(tidy)),
    })
      .filter(([name]) => !NOISE.has(name))
      .filter(([name, value]) => !(/^(min|max)imum$/.test(name) && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER))
      .map(([name, value]) => [name, tidy(value)]),
  );
}
