import * as z from 'zod/mini';
import type { EventSchema, ServiceContract } from '../../packages/kit/messages/contract.js';

/** Contract of a release: all versions that it reads, as JSON Schema, and the version of each type that it writes. */
export interface ContractRecord {
  readonly release: string;
  readonly service: string;
  readonly events: Readonly<Record<string, TypeRecord>>;
  readonly commands: Readonly<Record<string, TypeRecord>>;
}

interface TypeRecord {
  readonly writes: number;
  /** JSON Schema by version. It omits rules that JSON Schema can't express (`refine`). */
  readonly versions: Readonly<Record<string, JsonSchema>>;
}

type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * Creates the record of a contract.
 * @param release version of the release that the record is kept for
 */
export function buildContractRecord(contract: ServiceContract, release: string): ContractRecord {
  const types = (schemas: Readonly<Record<string, EventSchema>>) =>
    Object.fromEntries(Object.entries(schemas).map(([type, schema]) => [type, buildTypeRecord(schema)]));
  const { service, events, commands = {} } = contract;
  return { release, service, events: types(events), commands: types(commands) };
}

function buildTypeRecord({ version, data, earlier = {}, writes = version }: EventSchema): TypeRecord {
  const shapes: readonly (readonly [string, z.ZodMiniType])[] = [
    ...Object.entries(earlier).map(([number, shape]) => [number, shape.data] as const),
    [String(version), data],
  ];
  return {
    writes,
    versions: Object.fromEntries(shapes.map(([number, shape]) => [number, toJsonSchema(shape)])),
  };
}

/** Converts the schema to plain JSON, so that a record from a file compares with a new one. */
const toJsonSchema = (shape: z.ZodMiniType): JsonSchema =>
  JSON.parse(JSON.stringify(z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' })));

/**
 * Finds changes that the previous release can't handle, beside this one during a deployment or after a rollback.
 * @returns one line per fault; empty if both releases are compatible
 */
export function faultsBetween(previous: ContractRecord, present: ContractRecord): readonly string[] {
  return (['events', 'commands'] as const).flatMap((kind) =>
    Object.entries(previous[kind]).flatMap(([type, before]) => {
      const now = present[kind][type];
      return now ? typeFaults(type, before, now) : [`${type}: is gone, but its messages are stored and sent again`];
    }),
  );
}

function typeFaults(type: string, before: TypeRecord, now: TypeRecord): readonly string[] {
  const readable = Math.max(...Object.keys(before.versions).map(Number));
  const faults = Object.entries(before.versions).flatMap(([version, shape]) => {
    const present = now.versions[version];
    if (!present) return [`${type} ${version}: is not read any more`];
    return differences(shape, present).map((path) => `${type} ${version}: ${path} changed without a new version`);
  });
  if (now.writes > readable) {
    faults.push(`${type} ${now.writes}: is written, but the previous release reads up to ${readable}`);
  }
  return faults;
}

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Finds the paths where two schemas differ. A new optional property is no difference if the older schema accepts
 * unknown properties.
 */
function differences(before: unknown, now: unknown, path = ''): readonly string[] {
  if (!isObject(before) || !isObject(now)) return isSameSchema(before, now) ? [] : [path || '/'];
  return [...new Set([...Object.keys(before), ...Object.keys(now)])].flatMap((keyword) => {
    const [old, present] = [before[keyword], now[keyword]];
    if (keyword === 'properties' && isObject(old) && isObject(present)) {
      const others = before.additionalProperties === false ? Object.keys(present) : [];
      return [...new Set([...Object.keys(old), ...others])].flatMap((name) =>
        differences(old[name], present[name], `${path}/${name}`),
      );
    }
    if (keyword === 'format' && isFormOfCodes(before.pattern, now.pattern)) return [];
    if (keyword === 'pattern' && isFormOfCodes(old, present)) return [];
    return differences(old, present, `${path}/${keyword}`);
  });
}

/**
 * Whether a list of a standard's codes became their form, which all of them have. Then this release reads more, and still
 * writes what the previous one reads: new requests are checked by the list (`lambdas/standard-codes.ts`).
 * @param before pattern of the list: `^(?:EUR|USD)$`
 */
export function isFormOfCodes(before: unknown, now: unknown): boolean {
  const [, codes] = typeof before === 'string' ? (/^\^\(\?:([A-Z]+(?:\|[A-Z]+)+)\)\$$/.exec(before) ?? []) : [];
  if (codes === undefined || typeof now !== 'string') return false;
  return codes.split('|').every((code) => new RegExp(now).test(code));
}

const isSameSchema = (one: unknown, other: unknown): boolean =>
  JSON.stringify(sortSets(one)) === JSON.stringify(sortSets(other));

/** Sorts the lists of a schema (required, enum), since they are sets. */
const sortSets = (value: unknown): unknown =>
  Array.isArray(value) ? value.map((member) => JSON.stringify(member)).sort() : value;
