import { readFileSync } from 'node:fs';
import type { ApiRequest } from '../services/apigateway/messages.js';

/** A request that was recorded, and its name for people. */
export interface RecordedRequest extends ApiRequest {
  readonly name: string;
}

/**
 * Something that begins work in an app without an API, or that a person sets up beside its templates. Names are labels (paths of constructs below
 * their stacks), but those of secrets and parameters are as AWS has them.
 */
export type Step =
  | {
      readonly send: string;
      readonly body: unknown;
      readonly attributes?: Readonly<Record<string, string>>;
      /** Message group: a FIFO queue needs it. */
      readonly group?: string;
      readonly deduplicationId?: string;
    }
  | {
      readonly publish: string;
      readonly message: unknown;
      /** Message group: a FIFO topic needs it. */
      readonly group?: string;
      readonly deduplicationId?: string;
    }
  | { readonly event: string; readonly source: string; readonly detailType: string; readonly detail: unknown }
  | { readonly invoke: string; readonly payload: unknown }
  | { readonly execute: string; readonly input: unknown }
  | { readonly put: string; readonly item: Readonly<Record<string, unknown>> }
  | { readonly secret: string; readonly value: unknown }
  | { readonly parameter: string; readonly value: unknown };

/** A request to an API among steps: `{ "request": "POST /orders", "headers": {}, "body": {} }`. */
interface RequestStep {
  readonly request: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A step and its name for people. */
export interface NamedStep {
  readonly name: string;
  readonly step: Step;
}

/** What begins an app's work: a request to its API, or a step. */
export type Stimulus = RecordedRequest | NamedStep;

/** A file of requests that can't be read: what is wrong, where, and what would be right. */
export class RequestsUnreadable extends Error {
  override readonly name = 'RequestsUnreadable';
}

/** Headers that a connection has, and no recorded request. */
const OF_CONNECTION = /^(host|content-length|connection|accept-encoding|:.*)$/i;

/**
 * Reads requests from a file: an HTTP file (`.http`, `.rest`: RFC 9112's form, separated by `###`), a HAR (`.har`, W3C "HTTP Archive"), or
 * the examples of an OpenAPI document (`.json`), or steps (`.json`): `{ "steps": [{ "send": "Queue", "body": {} }] }`.
 * @param stage name of the API's stage, which addresses may begin with: it is taken away
 * @throws {RequestsUnreadable}
 */
export function readRequests(file: string, stage: string | undefined): readonly Stimulus[] {
  const text = readFileSync(file, 'utf8');
  const requests = /\.(http|rest)$/.test(file) ? readHttpFile(file, text) : readJson(file, text);
  if (requests.length === 0) throw new RequestsUnreadable(`${file} has no requests`);
  const below = (path: string): string =>
    stage !== undefined && (path === `/${stage}` || path.startsWith(`/${stage}/`))
      ? path.slice(stage.length + 1) || '/'
      : path;
  return requests.map((one) => ('step' in one ? one : { ...one, path: below(one.path) }));
}

function readJson(file: string, text: string): readonly Stimulus[] {
  let document: { readonly log?: object; readonly openapi?: string; readonly steps?: readonly (Step | RequestStep)[] };
  try {
    document = JSON.parse(text) as typeof document;
  } catch (error) {
    throw new RequestsUnreadable(
      `${file} is neither an HTTP file (.http, .rest) nor JSON (a HAR, or an OpenAPI document): ${(error as Error).message}`,
    );
  }
  if (document.log !== undefined) return readHar(document as unknown as Har);
  if (document.openapi !== undefined) return readOpenApi(document as unknown as OpenApi);
  if (document.steps !== undefined)
    return document.steps.map((step, at) =>
      'request' in step ? readRequestStep(file, step, at) : { name: nameStep(file, step, at), step },
    );
  throw new RequestsUnreadable(
    `${file} has neither "log" (a HAR), "openapi" (an OpenAPI document of version 3), nor "steps"`,
  );
}

/** @throws {RequestsUnreadable} */
function readRequestStep(file: string, { request, headers = {}, body = '' }: RequestStep, at: number): RecordedRequest {
  const [, method, target] = METHOD.exec(request) ?? [];
  if (method === undefined || target === undefined)
    throw new RequestsUnreadable(`${file}: step ${at + 1} requests "${request}"; expected POST /orders`);
  return toRequest(method, target, headers, typeof body === 'string' ? body : JSON.stringify(body));
}

/** Kinds of steps, and the members that each needs besides. */
const STEPS: Readonly<Record<string, readonly string[]>> = {
  send: ['body'],
  publish: ['message'],
  event: ['source', 'detailType', 'detail'],
  invoke: ['payload'],
  execute: ['input'],
  put: ['item'],
  secret: ['value'],
  parameter: ['value'],
  request: [],
};

/** @throws {RequestsUnreadable} if it is no step */
function nameStep(file: string, step: Step, at: number): string {
  const given = step as unknown as Readonly<Record<string, unknown>>;
  const kind = Object.keys(STEPS).find((one) => typeof given[one] === 'string');
  const missing = (kind === undefined ? [] : (STEPS[kind] ?? [])).filter((name) => given[name] === undefined);
  if (kind !== undefined && missing.length === 0) return `${kind} ${String(given[kind])}`;
  throw new RequestsUnreadable(
    `${file}: step ${at + 1} ${kind === undefined ? 'has no kind' : `(${kind}) lacks ${missing.join(', ')}`}; a step is one of ${Object.entries(
      STEPS,
    )
      .map(([one, members]) => `{ ${[one, ...members].join(', ')} }`)
      .join(', ')}`,
  );
}

const METHOD = /^(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\s+(\S+)/;

function readHttpFile(file: string, text: string): readonly RecordedRequest[] {
  return text.split(/^###.*$/m).flatMap((part, at) => {
    const lines = part.split(/\r?\n/);
    const begin = lines.findIndex((line) => line.trim() !== '' && !/^\s*(#|\/\/|@)/.test(line));
    if (begin < 0) return [];
    const [, method, target] = METHOD.exec(lines[begin] ?? '') ?? [];
    if (method === undefined || target === undefined)
      throw new RequestsUnreadable(
        `${file}: request ${at + 1} begins with "${lines[begin]}"; expected a method and a path, as in POST /orders`,
      );
    const rest = lines.slice(begin + 1);
    const blank = rest.findIndex((line) => line.trim() === '');
    const head = blank < 0 ? rest : rest.slice(0, blank);
    const body =
      blank < 0
        ? ''
        : rest
            .slice(blank + 1)
            .join('\n')
            .trim();
    const headers = Object.fromEntries(
      head.map((line) => [line.slice(0, line.indexOf(':')).trim(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    return [toRequest(method, target, headers, body)];
  });
}

/** A target may be a whole address; variables of the file's tool stand for the host. */
const pathOf = (target: string): string => target.replace(/^(https?:\/\/[^/?]+|\{\{[^}]+\}\})/, '') || '/';

function toRequest(
  method: string,
  target: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): RecordedRequest {
  const path = pathOf(target);
  const sent = Object.fromEntries(Object.entries(headers).filter(([name]) => name !== '' && !OF_CONNECTION.test(name)));
  return { name: `${method} ${path}`, method, path, headers: sent, ...(body !== '' && { body }) };
}

interface Har {
  readonly log: {
    readonly entries: readonly {
      readonly request: {
        readonly method: string;
        readonly url: string;
        readonly headers: readonly { readonly name: string; readonly value: string }[];
        readonly postData?: { readonly text?: string };
      };
    }[];
  };
}

const readHar = ({ log: { entries } }: Har): readonly RecordedRequest[] =>
  entries.map(({ request: { method, url, headers, postData } }) =>
    toRequest(method, url, Object.fromEntries(headers.map(({ name, value }) => [name, value])), postData?.text ?? ''),
  );

interface Example {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}
interface Operation {
  readonly parameters?: readonly (Example & {
    readonly name: string;
    readonly in: string;
    readonly schema?: Example;
  })[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, Example>> };
}
interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const exampleOf = ({ example, examples = {} }: Example): unknown => example ?? Object.values(examples)[0]?.value;

/** Only operations whose parameters and body all have examples can be sent: others are left out. */
const readOpenApi = ({ paths }: OpenApi): readonly RecordedRequest[] =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { parameters = [], requestBody }]) => {
      if (!METHOD.test(`${method.toUpperCase()} /`)) return [];
      const values = parameters.map((one) => ({ ...one, value: exampleOf(one) ?? exampleOf(one.schema ?? {}) }));
      const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
      const body = content && exampleOf(content);
      if (values.some((one) => one.in === 'path' && one.value === undefined) || (content && body === undefined))
        return [];
      const target = values
        .filter((one) => one.in === 'path')
        .reduce((whole, one) => whole.replace(`{${one.name}}`, encodeURIComponent(String(one.value))), path);
      const headers = values.filter((one) => one.in === 'header' && one.value !== undefined);
      return [
        toRequest(
          method.toUpperCase(),
          target,
          {
            ...(type !== undefined && { 'Content-Type': type }),
            ...Object.fromEntries(headers.map((one) => [one.name, String(one.value)])),
          },
          body === undefined ? '' : JSON.stringify(body),
        ),
      ];
    }),
  );
