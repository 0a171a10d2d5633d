import type { Api, ApiRoute } from './api.js';
import type { OpenApi, Operation } from './document.js';
import { findProblemKind, listCodes } from './problems.js';
import type { Json } from './schemas.js';

const HEAD = '// Made by npm run docs from docs/openapi.json.\n';

/** Generates what the client knows at run time: method, path and status of each operation, and whether it takes a key. */
export function generateClientOperations({ routes }: Api): string {
  const entries = routes
    .map(({ route: { id, method, path, repeat, answers } }) => {
      const [status, ...others] = Object.keys(answers).filter((one) => one.startsWith('2'));
      if (status === undefined || others.length > 0) throw new Error(`${id}: expected one status of success`);
      return `  ${id}: '${method} ${path} ${status}${repeat ? ' key' : ''}',`;
    })
    .toSorted();
  return `${HEAD}
/** Method, path and status of success of each operation, and \`key\` if it takes one. */
export const OPERATIONS = {
${entries.join('\n')}
} as const;
`;
}

/** Generates the types of the client: the schemas of the document, and what each operation takes and answers. */
export function generateClientTypes(api: Api, document: OpenApi): string {
  const schemas = Object.entries(document.components.schemas ?? {}).map(
    ([name, schema]) => `${comment(schema)}export type ${name} = ${toTypeScript(schema)};`,
  );
  const operations = api.routes
    .toSorted((one, other) => (one.route.id < other.route.id ? -1 : 1))
    .map((one) => renderOperation(one, document));
  const codes = [...new Set(api.routes.flatMap(listCodes))].toSorted();
  return `${HEAD}
${schemas.join('\n\n')}

/** Codes of all problems. */
export type ProblemCode =
${codes.map((code) => `  /** ${findProblemKind(api, code).status}: ${findProblemKind(api, code).title} */\n  | '${code}'`).join('\n')};

/** Requests and answers of each operation. */
export interface Operations {
${operations.join('\n')}
}
`;
}

function renderOperation(one: ApiRoute, document: OpenApi): string {
  const { id, path, method, summary, repeat, ifMatch = false, waits = false, answers } = one.route;
  const operation = document.paths[path]?.[method.toLowerCase()];
  if (!operation) throw new Error(`the document has no ${id}`);
  const parameters = (place: string) =>
    (operation.parameters as unknown as readonly Parameter[]).filter((parameter) => parameter.in === place);
  const inPath = parameters('path').map(({ name, description }) => `/** ${description} */ readonly ${name}: string;`);
  const query = parameters('query').map(
    ({ name, description, required, schema }) =>
      `/** ${description} */ readonly ${name}${required ? '' : '?'}: ${asParameter(schema)};`,
  );
  const isQueryRequired = parameters('query').some(({ required }) => required);
  const texts = Object.values(answers).flatMap(({ text }) => text ?? []);
  const takes = [
    ...(query.length > 0 ? [`readonly query${isQueryRequired ? '' : '?'}: { ${query.join(' ')} };`] : []),
    ...renderBody(operation),
    ...(ifMatch
      ? ['/** Version that you have read. At another one, nothing changes: `conflict`. */ readonly ifMatch?: number;']
      : []),
    ...(waits
      ? ['/** Seconds for which to wait for a final answer, at most 20. @default 0 */ readonly wait?: number;']
      : []),
    ...texts.map((type) => `/** The answer is text of this media type. @default JSON */ readonly accept?: '${type}';`),
  ];
  const members = (all: readonly string[]) => (all.length === 0 ? 'unknown' : `{ ${all.join(' ')} }`);
  return `  /** ${summary}. */
  readonly ${id}: {
    readonly path: ${members(inPath)};
    readonly takes: ${members(takes)};
    readonly repeat: ${repeat ? `'${repeat}'` : 'undefined'};
    readonly answer: ${renderAnswer(operation)};
    readonly problems: ${listCodes(one)
      .map((code) => `'${code}'`)
      .join(' | ')};
  };`;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description: string;
  readonly required?: boolean;
  readonly schema: Json;
}

/** Numbers are sent as text. */
const asParameter = (schema: Json): string => (schema.enum || schema.const ? toTypeScript(schema) : 'string | number');

interface Content {
  readonly required?: boolean;
  readonly content?: Readonly<Record<string, { readonly schema: Json }>>;
}

function renderBody({ requestBody }: Operation): readonly string[] {
  const { required = false, content } = (requestBody ?? {}) as Content;
  const schema = content?.['application/json']?.schema;
  return schema ? [`readonly body${required ? '' : '?'}: ${toTypeScript(schema)};`] : [];
}

function renderAnswer({ responses }: Operation): string {
  const schemas = Object.entries(responses as Readonly<Record<string, Content>>)
    .filter(([status]) => status < '300')
    .map(([, { content }]) => content?.['application/json']?.schema);
  return schemas.map((schema) => (schema ? toTypeScript(schema) : 'undefined')).join(' | ');
}

/**
 * Converts a schema to a type.
 * @throws {Error} for a keyword that no schema has had so far
 */
export function toTypeScript(schema: Json): string {
  const { $ref, anyOf, allOf, enum: values, const: value, type } = schema;
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1);
  if (Array.isArray(anyOf)) return anyOf.map(toTypeScript).join(' | ');
  if (Array.isArray(allOf)) return allOf.map(toTypeScript).join(' & ');
  if (Array.isArray(values)) return values.map((one) => JSON.stringify(one)).join(' | ');
  if (value !== undefined) return JSON.stringify(value);
  if (Array.isArray(type)) return type.map((one) => toTypeScript({ type: one })).join(' | ');
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `readonly (${toTypeScript((schema.items ?? {}) as Json)})[]`;
    case 'object':
      return renderObject(schema);
    case undefined:
      return 'unknown';
    default:
      throw new Error(`no type is known for ${JSON.stringify(schema)}`);
  }
}

function renderObject({ properties = {}, required = [] }: Json): string {
  const members = Object.entries(properties as Readonly<Record<string, Json>>).map(
    ([name, schema]) =>
      `${comment(schema)}readonly ${quoteMember(name)}${(required as readonly string[]).includes(name) ? '' : '?'}: ${toTypeScript(schema)};`,
  );
  return members.length === 0
    ? 'Readonly<Record<string, unknown>>'
    : `{\n${members.join('\n').replaceAll(/^/gm, '  ')}\n}`;
}

/** Returns the name of a member as TypeScript writes it. */
const quoteMember = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`);

/** Returns the comment before a member or a type, with its line break; nothing without a description. */
const comment = ({ description }: Json): string =>
  typeof description === 'string' ? `/** ${description.replaceAll('*/', '* /').replaceAll('\n', '\n * ')} */\n` : '';
