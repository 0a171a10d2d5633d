import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { orderlyApi } from '../../tools/docs/openapi/api.js';
import { generateOpenApi, type OpenApi, type Operation } from '../../tools/docs/openapi/document.js';
import { CODES } from '../../tools/docs/openapi/problems.js';
import type { ApiAnswer, ApiRequest } from '../acceptance/world.js';

/** Headers that every answer may have, whatever the route. */
const EVERYWHERE = new Set([
  'cache-control',
  'content-type',
  'content-length',
  'connection',
  'date',
  'keep-alive',
  'server',
  'strict-transport-security',
  'transfer-encoding',
  'x-content-type-options',
]);

/** Headers of API Gateway, and of an emulator. */
const GATEWAYS = /^x-(amzn?-|localstack$)/;

/** Status of answers that belong to no operation: the path or the method does not exist, or nobody may know it. */
const BESIDE: readonly number[] = [401, 404, 405];

interface Response {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, unknown>>;
  readonly [CODES]?: readonly string[];
}

/** The API's document, as a judge of answers. */
export class DocumentedApi {
  private readonly ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  private readonly paths: readonly (readonly [pattern: RegExp, path: string])[];

  constructor(private readonly document: OpenApi) {
    this.ajv.addSchema(forbidUnknownMembers(document) as object, 'document');
    // `/users/me` before `/users/{userId}`.
    this.paths = Object.keys(document.paths)
      .toSorted((one, other) => one.split('{').length - other.split('{').length)
      .map((path) => [new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`), path]);
  }

  static async ofOrderly(): Promise<DocumentedApi> {
    return new DocumentedApi(generateOpenApi({ ...(await orderlyApi()), answers: undefined }));
  }

  /** Returns what an answer has that the document does not: one line a fault, none if it is documented. */
  findFaults(
    request: Pick<ApiRequest, 'method' | 'path'>,
    answer: Omit<ApiAnswer<unknown>, 'body'>,
  ): readonly string[] {
    const { pathname } = new URL(request.path, 'https://api.test');
    const path = this.paths.find(([pattern]) => pattern.test(pathname))?.[1];
    const method = request.method.toLowerCase();
    const operation = path === undefined ? undefined : this.document.paths[path]?.[method];
    const name = `${request.method} ${path ?? pathname} ${answer.status}`;
    if (!operation) return BESIDE.includes(answer.status) ? [] : [`${name}: no such route`];
    const [place, response] = this.findResponse(path ?? '', method, operation, answer.status);
    if (!response) return [`${name}: no such status`];
    const type = answer.headers['content-type']?.split(';')[0] ?? '';
    const documented = new Set([
      ...EVERYWHERE,
      ...Object.keys(response.headers ?? {}).map((name) => name.toLowerCase()),
    ]);
    return [
      ...Object.keys(answer.headers).filter((header) => !documented.has(header) && !GATEWAYS.test(header)),
      ...this.faultsOfBody(place, response, type, answer.text),
      ...findOtherProblem(response, answer),
    ].map((fault) => `${name}: ${fault}`);
  }

  private findResponse(path: string, method: string, { responses }: Operation, status: number) {
    const response = responses[status] as Response | undefined;
    const shared = response?.$ref?.split('/').at(-1);
    return shared === undefined
      ? ([pointer('paths', path, method, 'responses', String(status)), response] as const)
      : ([
          pointer('components', 'responses', shared),
          this.document.components.responses?.[shared] as Response,
        ] as const);
  }

  private faultsOfBody(place: string, { content }: Response, type: string, text: string): readonly string[] {
    if (!content) return text === '' ? [] : ['a body'];
    if (!(type in content)) return [`the media type '${type}'`];
    const validate = this.validator(`${place}/content/${escaped(type)}/schema`);
    if (validate(/json$/.test(type) ? JSON.parse(text) : text)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }

  private validator(place: string): ValidateFunction {
    const validate = this.ajv.getSchema(`document#${place}`);
    if (!validate) throw new Error(`the document has no ${place}`);
    return validate;
  }
}

/** Compares the code and the status of a problem with those that the document has for this answer. */
function findOtherProblem(response: Response, { status, text }: Pick<ApiAnswer<unknown>, 'status' | 'text'>): string[] {
  const codes = response[CODES];
  if (!codes) return [];
  const problem = JSON.parse(text) as { readonly type?: string; readonly status?: number };
  const code = problem.type?.split(':').at(-1) ?? '';
  return [
    ...(codes.includes(code) ? [] : [`the problem '${code}'`]),
    ...(problem.status === status ? [] : [`status ${problem.status} in the body`]),
  ];
}

const escaped = (name: string): string => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
const pointer = (...names: readonly string[]): string => names.map((name) => `/${escaped(name)}`).join('');

/**
 * Returns the document without room for members that it does not name. Clients have to accept such members, since a release may
 * add some; this release has none.
 */
function forbidUnknownMembers(part: unknown, isOneOfAll = false): unknown {
  if (Array.isArray(part)) return part.map((item) => forbidUnknownMembers(item, isOneOfAll));
  if (typeof part !== 'object' || part === null) return part;
  const members = Object.fromEntries(
    Object.entries(part).map(([name, value]) => [name, forbidUnknownMembers(value, name === 'allOf')]),
  );
  const isOpen = 'properties' in part && 'type' in part && !('additionalProperties' in part) && !isOneOfAll;
  return isOpen ? { ...members, additionalProperties: false } : members;
}
