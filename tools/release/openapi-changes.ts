import { type Json, NUMBERS } from '../docs/openapi/schemas.js';
import { isFormOfCodes } from './contract-record.js';

/** OpenAPI document, as much as is compared. */
export interface ComparedDocument {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}

/** Members that no client's program depends on. */
const WORDS = ['description', 'summary', 'example', 'examples', 'tags', 'servers', 'license', 'title'];

/**
 * Tells whether a version may break clients of an earlier one.
 * Source: Semantic Versioning 2.0.0, 4 and 8: another major version, or another minor one below 1.0.0.
 */
export function mayBreak(version: string, earlier: string): boolean {
  const [major, minor] = version.split('.').map(Number);
  const [itsMajor, itsMinor] = earlier.split('.').map(Number);
  return major !== itsMajor || (major === 0 && minor !== itsMinor);
}

/**
 * Finds what breaks clients of the previous release: requests that are not taken any more, and answers that they do not know.
 *
 * A client ignores members, values of an enumeration and problems that it does not know, so new ones break nothing.
 * @returns one line a change
 * @throws {Error} for a keyword of JSON Schema that no schema has had so far
 */
export function breakingChanges(previous: ComparedDocument, present: ComparedDocument): readonly string[] {
  return Object.entries(previous.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, before]) => {
      const name = `${method.toUpperCase()} ${path}`;
      const now = present.paths[path]?.[method];
      if (!now) return [`${name}: is gone`];
      return [
        ...(now.operationId === before.operationId ? [] : ['operationId has changed']),
        ...callersLost(before, now),
        ...parametersLost(inlineReferences(previous, before.parameters), inlineReferences(present, now.parameters)),
        ...bodiesRefused(inlineReferences(previous, before.requestBody), inlineReferences(present, now.requestBody)),
        ...answersUnknown(inlineReferences(previous, before.responses), inlineReferences(present, now.responses)),
      ].map((change) => `${name}: ${change}`);
    }),
  );
}

/**
 * Replaces references by what they refer to. A reference from inside of what it refers to (a tree) becomes any value: it is
 * compared where it stands first.
 */
function inlineReferences(document: ComparedDocument, part: unknown, inside: readonly string[] = []): unknown {
  if (Array.isArray(part)) return part.map((item) => inlineReferences(document, item, inside));
  if (typeof part !== 'object' || part === null) return part;
  const { $ref, ...beside } = part as Json;
  if (typeof $ref === 'string') {
    const [, , kind = '', name = ''] = $ref.split('/');
    const found = inside.includes($ref)
      ? {}
      : inlineReferences(document, document.components[kind]?.[name], [...inside, $ref]);
    return { ...(found as Json), ...(inlineReferences(document, beside, inside) as Json) };
  }
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => [name, inlineReferences(document, value, inside)]),
  );
}

/** Callers by their alternatives in `security`: a role each. */
function callersLost(before: Json, now: Json): readonly string[] {
  const callers = ({ security = [] }: Json) => (security as readonly Json[]).map((one) => JSON.stringify(one));
  const present = callers(now);
  if (present.length === 0) return []; // without a token
  const had = callers(before);
  if (had.length === 0) return ['needs a token'];
  return had.filter((one) => !present.includes(one)).map((one) => `is refused to ${one}`);
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: Json;
}

function parametersLost(before: unknown, now: unknown): readonly string[] {
  const [had, has] = [(before ?? []) as readonly Parameter[], (now ?? []) as readonly Parameter[]];
  const same = (one: Parameter) => (other: Parameter) => one.in === other.in && one.name === other.name;
  const lost = had.flatMap((one) => {
    const found = has.find(same(one));
    if (!found) return [`parameter ${one.name} is gone`];
    return isNumberInText(one, found) ? [] : findMisfits(one.schema ?? {}, found.schema ?? {}, `parameter ${one.name}`);
  });
  const wanted = has
    .filter((one) => one.required && !had.find(same(one))?.required)
    .map(({ name }) => `parameter ${name} is required`);
  return [...lost, ...wanted];
}

/**
 * Tells whether a parameter is documented as a number now, and was as text that is one. Nothing changes for a client: `limit=2` is the same
 * request, whether a program has `2` or `'2'`, and the numbers are those that the text could say.
 */
function isNumberInText(before: Parameter, now: Parameter): boolean {
  const numbers = NUMBERS.get(before.schema?.pattern);
  return numbers !== undefined && JSON.stringify(numbers) === JSON.stringify(now.schema);
}

interface Content {
  readonly required?: boolean;
  readonly content?: Readonly<Record<string, { readonly schema?: Json }>>;
  readonly headers?: Json;
}

function bodiesRefused(before: unknown, now: unknown): readonly string[] {
  const [had, has] = [(before ?? {}) as Content, (now ?? {}) as Content];
  if (has.required && !had.required) return ['a body is required'];
  return Object.entries(had.content ?? {}).flatMap(([type, { schema = {} }]) => {
    const taken = has.content?.[type]?.schema;
    return taken ? findMisfits(schema, taken, 'body') : [`a body of ${type} is refused`];
  });
}

/** Compares answers to accepted requests. Refusals have one shape, and a client decides by their codes. */
function answersUnknown(before: unknown, now: unknown): readonly string[] {
  const accepted = (responses: unknown) =>
    Object.entries(responses as Readonly<Record<string, Content>>).filter(([status]) => status < '400');
  const had = new Map(accepted(before));
  const has = new Map(accepted(now));
  const unknown = [...has.keys()]
    // Only to `If-None-Match`, which no client sends that has never got an `ETag`.
    .filter((status) => !had.has(status) && status !== '304')
    .map((status) => `answers ${status}, too`);
  const lost = [...had].flatMap(([status, { content = {}, headers = {} }]) => {
    const found = has.get(status);
    if (!found) return [`does not answer ${status} any more`];
    const gone = Object.keys(headers).filter((name) => !(name in (found.headers ?? {})));
    return [
      ...gone.map((name) => `${status}: header ${name} is gone`),
      ...Object.entries(content).flatMap(([type, { schema = {} }]) => {
        const given = found.content?.[type]?.schema;
        return given ? findMisfits(given, schema, `answer ${status}`, true) : [`${status}: ${type} is gone`];
      }),
    ];
  });
  return [...unknown, ...lost];
}

/**
 * Finds where a value of one schema may not be one of another.
 * @param isAnswer whether more values of an enumeration are no misfit
 */
function findMisfits(from: Json, to: Json, at: string, isAnswer = false): readonly string[] {
  const alternatives = (to.anyOf ?? [to]) as readonly Json[];
  return ((from.anyOf ?? [from]) as readonly Json[]).flatMap((one) => {
    const tried = alternatives.map((other) => misfitsOfOne(one, other, at, isAnswer));
    if (tried.some((faults) => faults.length === 0)) return [];
    return tried.length === 1 ? (tried[0] ?? []) : [`${at}: a new alternative`];
  });
}

function misfitsOfOne(from: Json, to: Json, at: string, isAnswer: boolean): readonly string[] {
  refuseUnknownKeywords(from, at);
  refuseUnknownKeywords(to, at);
  const [types, known] = [from, to].map(({ type = [] }) => [type].flat() as readonly string[]) as [string[], string[]];
  const fits = (type: string) => known.includes(type) || (type === 'integer' && known.includes('number'));
  if (known.length > 0 && !(types.length > 0 && types.every(fits))) return [`${at}: ${known} and ${types}`];
  const values = ({ enum: several, const: single }: Json) => several ?? (single === undefined ? undefined : [single]);
  const [given, listed] = [values(from), values(to)] as readonly (readonly unknown[] | undefined)[];
  const otherValues =
    listed === undefined || (given !== undefined && isAnswer)
      ? []
      : given
        ? given.filter((one) => !listed.includes(one))
        : ['any'];
  return [
    ...otherValues.map((value) => `${at}: the value ${JSON.stringify(value)}`),
    ...LIMITS.filter((limit) => isBeyond(limit, from[limit], to[limit])).map((limit) => `${at}: ${limit}`),
    ...membersMisfit(from, to, at, isAnswer),
    ...(to.items === undefined
      ? []
      : findMisfits((from.items ?? {}) as Json, to.items as Json, `${at}/items`, isAnswer)),
  ];
}

const LIMITS = [
  'minimum',
  'exclusiveMinimum',
  'minLength',
  'minItems',
  'maximum',
  'exclusiveMaximum',
  'maxLength',
  'maxItems',
  'pattern',
  'format',
] as const;

const COMPARED: ReadonlySet<string> = new Set([
  ...LIMITS,
  ...WORDS,
  'type',
  'enum',
  'const',
  'properties',
  'required',
  'additionalProperties',
  'items',
]);

/** @throws {Error} for a keyword that nothing here compares: a change of it would pass unseen */
function refuseUnknownKeywords(schema: Json, at: string): void {
  const unknown = Object.keys(schema).filter((keyword) => !COMPARED.has(keyword));
  if (unknown.length > 0) throw new Error(`tools/release/openapi-changes.ts does not compare ${unknown} (${at})`);
}

/** Patterns that were widened, and what takes all of their texts, too. `If-Match` takes an `ETag`. */
const WIDER: ReadonlyMap<unknown, unknown> = new Map([
  [
    String.raw`^("(0|[1-9]\d{0,8})"|(0|[1-9]\d{0,8}))$`,
    String.raw`^("(0|[1-9]\d{0,8})(-[0-9a-f]{8})?"|(0|[1-9]\d{0,8}))$`,
  ],
]);

/** Tells whether the limit of one schema lets pass what the limit of the other one does not. */
function isBeyond(limit: (typeof LIMITS)[number], from: unknown, to: unknown): boolean {
  if (to === undefined) return false;
  if (from === undefined) return true;
  if (limit === 'pattern' || limit === 'format')
    return from !== to && !isFormOfCodes(from, to) && !(WIDER.get(from) === to);
  return /^min|Minimum$/.test(limit) ? Number(from) < Number(to) : Number(from) > Number(to);
}

function membersMisfit(from: Json, to: Json, at: string, isAnswer: boolean): readonly string[] {
  const [given, known] = [(from.properties ?? {}) as Json, (to.properties ?? {}) as Json];
  const required = (to.required ?? []) as readonly string[];
  const sure = (from.required ?? []) as readonly string[];
  return [
    ...required.filter((name) => !sure.includes(name)).map((name) => `${at}/${name} may be missing`),
    ...Object.entries(given).flatMap(([name, schema]) => {
      const other = known[name];
      if (other !== undefined) return findMisfits(schema as Json, other as Json, `${at}/${name}`, isAnswer);
      return to.additionalProperties === false ? [`${at}/${name} is unknown`] : [];
    }),
    // A client may read a member that is optional.
    ...(isAnswer ? Object.keys(known).filter((name) => !(name in given)) : []).map((name) => `${at}/${name} is gone`),
  ];
}
