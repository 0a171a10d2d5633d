import { readFileSync } from 'node:fs';
import { METHOD, parseHttpFile } from './http-file.js';
import { answersOf, fillUuids } from './placeholders.js';
import {
  belowStage,
  type NamedStep,
  type RecordedRequest,
  RequestsUnreadable,
  type Step,
  type Stimulus,
  toRequest,
  toWait,
} from './stimulus.js';

/** A request to an API among steps: `{ "request": "POST /orders", "headers": {}, "body": {} }`. */
interface RequestStep {
  readonly request: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A step as a file has it. */
type WrittenStep = (Step | RequestStep) & { readonly name?: string };

/**
 * Reads requests from a file: an HTTP file (`.http`, `.rest`: RFC 9112's form, separated by `###`), a HAR (`.har`, W3C "HTTP Archive"), or
 * the examples of an OpenAPI document (`.json`), or steps (`.json`): `{ "steps": [{ "send": "Queue", "body": {} }] }`.
 * @param stage name of the API's stage, which addresses may begin with: it is taken away
 * @throws {RequestsUnreadable}
 */
export function readRequests(file: string, stage: string | undefined): readonly Stimulus[] {
  const text = fillUuids(readFileSync(file, 'utf8'));
  const requests = /\.(http|rest)$/.test(file) ? parseHttpFile(file, text) : readJson(file, text);
  if (requests.length === 0) throw new RequestsUnreadable(`${file} has no requests`);
  checkAnswers(file, requests);
  return requests.map((one) => ('step' in one ? one : { ...one, path: belowStage(one.path, stage) }));
}

/** @throws {RequestsUnreadable} if a request needs the answer to one that doesn't come before */
function checkAnswers(file: string, requests: readonly Stimulus[]): void {
  const known = new Set<string>();
  for (const request of requests) {
    const unknown = answersOf(JSON.stringify(request)).find((name) => !known.has(name));
    if (unknown !== undefined)
      throw new RequestsUnreadable(
        `${file}: ${request.name} needs an answer to ${unknown}, but no request before it has this name; give it by a comment "# @name ${unknown}" above the request, or by "name" in a step`,
      );
    if (request.as === undefined) continue;
    if (!/^[\w-]+$/.test(request.as))
      throw new RequestsUnreadable(
        `${file}: the name "${request.as}" of ${request.name} can't stand in {{...}}; expected letters, digits, _ and -, as in created`,
      );
    known.add(request.as);
  }
}

function readJson(file: string, text: string): readonly Stimulus[] {
  let document: { readonly log?: object; readonly openapi?: string; readonly steps?: readonly WrittenStep[] };
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
    return document.steps.map(({ name, ...step }, at) => ({
      ...readStep(file, step, at),
      ...(name !== undefined && { as: name }),
    }));
  throw new RequestsUnreadable(
    `${file} has neither "log" (a HAR), "openapi" (an OpenAPI document of version 3), nor "steps"`,
  );
}

/** @throws {RequestsUnreadable} */
function readStep(file: string, step: WrittenStep, at: number): RecordedRequest | NamedStep {
  if ('request' in step) return readRequestStep(file, step, at);
  const name = nameStep(file, step, at);
  return 'wait' in step ? toWait(String(step.wait), `${file}: step ${at + 1}`) : { name, step };
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
  wait: [],
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
