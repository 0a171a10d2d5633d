import { problemType, requestUrn } from '../../../packages/kit/aws/app-names.js';
import type { Api, ApiRoute } from './api.js';
import { STORY, UNASKED } from './examples.js';
import type { Json } from './schemas.js';

/** Schema of problem details (RFC 9457), with the extension members that any problem may have. */
export const PROBLEM: Json = {
  type: 'object',
  description: 'Problem details (RFC 9457). `detail` says what was wrong and what would be right.',
  properties: {
    type: { type: 'string', description: '`urn:orderly:problem:<code>`. Decide by it; the texts may change.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    instance: {
      type: 'string',
      description:
        '`urn:orderly:request:<id>`: this one request, as the log names it. Absent in answers of the firewall.',
    },
    errors: {
      type: 'array',
      maxItems: 20,
      description: 'The first 20 faults of the request.',
      items: {
        type: 'object',
        properties: {
          detail: { type: 'string' },
          pointer: { type: 'string', description: 'Place in the body, a JSON pointer (RFC 6901).' },
          parameter: { type: 'string', description: 'Name of the parameter in the path or the query.' },
          header: { type: 'string' },
        },
        required: ['detail'],
      },
    },
    expectedVersion: { type: 'integer', description: 'Version that the change was decided on (`conflict`).' },
    foundVersion: { type: 'integer', description: 'Version of the resource now (`conflict`).' },
    limit: { type: 'string', description: 'Limit that was reached (`limit-reached`).' },
    reason: { type: 'string', description: 'Business reason, by the name that orders have for it (`not-orderable`).' },
    closesAt: {
      type: 'string',
      format: 'date-time',
      description: 'Time from which on what was asked for exists (`not-closed-yet`).',
    },
  },
  required: ['type', 'title', 'status', 'detail'],
};

/** Returns the codes of all problems that a route may answer with. */
export function listCodes({ route }: ApiRoute): readonly string[] {
  const { method, roles, body, repeat, ifMatch = false, problems = [] } = route;
  if (route.isPublic) return ['blocked', 'throttled', 'internal'];
  const writes = method !== 'GET' && (repeat !== undefined || method !== 'POST');
  return [
    ...new Set([
      'invalid-request',
      ...(repeat ? ['key-missing', 'in-progress', 'key-reused', 'key-expired'] : []),
      ...(repeat === 'key or number' ? ['session-not-open', 'number-out-of-range'] : []),
      'unauthenticated',
      ...(roles ? ['forbidden'] : []),
      'blocked',
      ...(writes || ifMatch ? ['conflict'] : []),
      'too-large',
      ...(body ? ['unsupported-media-type'] : []),
      ...problems,
      'throttled',
      'internal',
    ]),
  ];
}

/** Returns the answers to refused requests by status, as references, and adds what they refer to. */
export function problemAnswers(
  api: Api,
  one: ApiRoute,
  add: (name: string, response: Json) => void,
): Readonly<Record<string, Json>> {
  const byStatus = new Map<number, string[]>();
  for (const code of listCodes(one)) {
    const { status } = findProblemKind(api, code);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  // Answers of the gateway itself: the authorizer does not answer, or a function takes too long.
  if (!one.route.isPublic) byStatus.set(AUTHORIZER_SILENT, ['internal']);
  byStatus.set(504, ['internal']);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const name = [status, ...codes].join('.');
      add(name, buildResponse(api, status, codes));
      return [status, { $ref: `#/components/responses/${name}` }];
    }),
  );
}

/** @throws {Error} if no module declares the code */
export function findProblemKind({ problems }: Api, code: string) {
  const kind = problems.get(code);
  if (!kind) throw new Error(`no problem has the code ${code}`);
  return kind;
}

/** Codes after which the same request, with the same key, may pass. */
const WITH_RETRY_AFTER: readonly string[] = ['in-progress', 'conflict', 'throttled', 'limit-reached'];

/** Status of the gateway's answer if it can't ask the authorizer. */
const AUTHORIZER_SILENT = 503;

/** Codes of the answers of `prod`'s firewall, which AWS lets have no other type than `application/json`. */
const FROM_FIREWALL: readonly string[] = ['blocked', 'too-large', 'throttled'];

/** Member of an answer's description with the codes of its problems. */
export const CODES = 'x-problem-codes';

/**
 * One schema for all problems, so that generated clients have one class for them. A schema of its own for each answer is dropped by some
 * generators, and becomes over a thousand classes in others; and an enumeration of codes would make them fail for a code that a later
 * release adds.
 */
const PROBLEM_REFERENCE: Json = { $ref: '#/components/schemas/Problem' };

function buildResponse(api: Api, status: number, codes: readonly string[]): Json {
  const known = codes.filter((code) => findProblemKind(api, code).status === status);
  const ofFirewall = codes.filter((code) => FROM_FIREWALL.includes(code));
  return {
    description: codes.map((code) => `\`${code}\`: ${findProblemKind(api, code).title}.`).join(' '),
    headers: {
      'X-Correlation-Id': { $ref: '#/components/headers/CorrelationId' },
      ...(status === AUTHORIZER_SILENT || codes.some((code) => WITH_RETRY_AFTER.includes(code))
        ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }
        : {}),
      ...(status === 401 ? { 'WWW-Authenticate': { $ref: '#/components/headers/WwwAuthenticate' } } : {}),
    },
    // For readers of the document; `DocumentedApi` of the tests judges answers by it.
    [CODES]: codes,
    content: {
      'application/problem+json': {
        schema: PROBLEM_REFERENCE,
        ...(known.length > 0 && {
          examples: Object.fromEntries(known.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
        }),
      },
      ...(ofFirewall.length > 0 && { 'application/json': { schema: PROBLEM_REFERENCE } }),
    },
  };
}

/** Returns an example of each problem that a route may answer with. */
export function problemExamples(api: Api): Readonly<Record<string, Json>> {
  const codes = [...new Set(api.routes.flatMap(listCodes))].toSorted();
  return Object.fromEntries(codes.map((code) => [code, findExample(api, code)]));
}

/** @throws {Error} if the story meets no such problem */
function findExample(api: Api, code: string): Json {
  const unasked = UNASKED[code];
  if (unasked) {
    const { status, title } = findProblemKind(api, code);
    const instance = requestUrn(api.app, '01a1fd15-57ca-7054-b87f-b340764a308b');
    const { summary, detail } = unasked;
    return { summary, value: { type: problemType(api.app, code), title, status, detail, instance } };
  }
  const call = STORY.find(({ problem }) => problem === code);
  if (!call) throw new Error(`tools/docs/openapi/examples.ts has no example of ${code}`);
  return { summary: call.summary, value: api.answers?.[call.name] ?? {} };
}
