import type { DeployedEvent, DeployedRoute } from '../server/reference-contract.js';

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly isRequired: boolean;
  readonly description: string;
  /** A value as it may be; empty if the document has none. */
  readonly example: string;
}

/** An example of a body. */
export interface Example {
  readonly name: string;
  /** JSON text. */
  readonly text: string;
}

/** An operation of the API: deployed, and described if there is a document. */
export interface Operation {
  /** `POST /orders` */
  readonly id: string;
  readonly route: DeployedRoute;
  readonly group: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly hasBody: boolean;
  readonly examples: readonly Example[];
}

/** An event or a command: waited for or published, and described if there is a document. */
export interface EventType extends DeployedEvent {
  /** `orderly.orders OrderPlaced` */
  readonly id: string;
  readonly summary: string;
  /** Versions that are described. */
  readonly versions: readonly string[];
  /** JSON text of the newest version's example. */
  readonly example?: string;
}

type Json = Readonly<Record<string, unknown>>;

/** Describes the deployed routes by a document of the OpenAPI Specification 3.1. @param document absent where an app has none */
export function readOperations(routes: readonly DeployedRoute[], document?: Json): readonly Operation[] {
  const paths = (document?.paths ?? {}) as Readonly<Record<string, Json>>;
  return routes.map((route): Operation => {
    const { method, path } = route;
    const item = paths[path] ?? {};
    const described = (item[method.toLowerCase()] ?? {}) as Json;
    const given = [...listOf(item.parameters), ...listOf(described.parameters)].map((one) => resolve(document, one));
    const inPath = [...path.matchAll(/\{(\w+)\+?\}/g)].map(
      ([, name = '']) => ({ name, in: 'path', required: true }) as Json,
    );
    const parameters = [...inPath.filter(({ name }) => !given.some((one) => one.name === name)), ...given];
    const body = resolve(document, described.requestBody);
    const content = (body.content ?? {}) as Readonly<Record<string, Json>>;
    return {
      id: `${method} ${path}`,
      route,
      group: textOf(listOf(described.tags)[0]) || (path.split('/')[1] ?? ''),
      summary: textOf(described.summary) || (route.function ?? 'The gateway answers by itself'),
      description: textOf(described.description),
      parameters: parameters.flatMap(toParameter),
      hasBody:
        described.requestBody !== undefined ||
        (item[method.toLowerCase()] === undefined && /^(POST|PUT|PATCH)$/.test(method)),
      examples: Object.values(content).flatMap((media) => examplesOf(document, media)),
    };
  });
}

/** Describes events by a document of the AsyncAPI Specification 3.0, and adds those that it describes and no rule waits for. */
export function readEvents(deployed: readonly DeployedEvent[], document?: Json): readonly EventType[] {
  const found = new Map<string, EventType>();
  for (const { source, type } of deployed) found.set(`${source} ${type}`, named(source, type));
  const { messages = {} } = (document?.components ?? {}) as { readonly messages?: Readonly<Record<string, Json>> };
  for (const [key, message] of Object.entries(messages)) {
    const { properties = {} } = (message.headers ?? {}) as { readonly properties?: Readonly<Record<string, Json>> };
    const type = textOf(properties['detail-type']?.const) || textOf(message.name);
    for (const source of listOf(properties.source?.enum ?? [properties.source?.const]).map(textOf)) {
      if (source === '' || type === '') continue;
      const known = found.get(`${source} ${type}`) ?? named(source, type);
      const [example] = listOf(message.examples) as readonly Json[];
      found.set(known.id, {
        ...known,
        summary: textOf(message.summary) || known.summary,
        versions: [...known.versions, key.split('.').at(-1) ?? ''],
        ...(example && { example: JSON.stringify(example.payload, null, 2) }),
      });
    }
  }
  return [...found.values()].sort((one, other) => one.id.localeCompare(other.id));
}

const named = (source: string, type: string): EventType => ({
  id: `${source} ${type}`,
  source,
  type,
  summary: '',
  versions: [],
});

/** Whether something has each word of a search, in any order and case. */
export function fitsSearch(search: string, ...texts: readonly string[]): boolean {
  const text = texts.join(' ').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function toParameter(given: Json): readonly Parameter[] {
  const { name, in: place, required, description } = given;
  if (typeof name !== 'string' || (place !== 'path' && place !== 'query' && place !== 'header')) return [];
  return [
    { name, in: place, isRequired: required === true, description: textOf(description), example: exampleOf(given) },
  ];
}

/** Returns the example of a parameter: its own, the first of several, or its schema's. */
function exampleOf({ example, examples, schema }: Json): string {
  const [first] = Object.values((examples ?? {}) as Readonly<Record<string, Json>>);
  const { example: own } = (schema ?? {}) as Json;
  const value = example ?? first?.value ?? own;
  return value === undefined ? '' : String(value);
}

function examplesOf(document: Json | undefined, { example, examples }: Json): readonly Example[] {
  const several = Object.entries((examples ?? {}) as Readonly<Record<string, Json>>).map(([name, one]) => {
    const { summary, value } = resolve(document, one);
    return { name: textOf(summary) || name, text: JSON.stringify(value, null, 2) };
  });
  return example === undefined ? several : [{ name: 'example', text: JSON.stringify(example, null, 2) }, ...several];
}

/** Follows a reference within the document: `#/components/parameters/Limit` (RFC 6901). */
function resolve(document: Json | undefined, value: unknown): Json {
  const { $ref } = (value ?? {}) as { readonly $ref?: unknown };
  if (typeof $ref !== 'string') return (value ?? {}) as Json;
  const names = $ref.replace(/^#\//, '').split('/');
  const found = names.reduce<unknown>(
    (place, name) => (place as Json | undefined)?.[name.replaceAll('~1', '/').replaceAll('~0', '~')],
    document,
  );
  return (found ?? {}) as Json;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
