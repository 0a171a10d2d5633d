import type { RouteAnswer } from '../../../packages/kit/routes.js';
import type { Api, ApiRoute } from './api.js';
import { STORY } from './examples.js';
import { buildParameters, HEADERS, PATH_SCHEMAS } from './parameters.js';
import { PROBLEM, problemAnswers, problemExamples } from './problems.js';
import { convertSchemas, type Json, type Schemas } from './schemas.js';
import { type Answers, type Call, resolveReferences } from './story.js';
import { buildWebhooks, WEBHOOK_SCHEMAS } from './webhooks.js';

/** The members of the document that tests and clients read. */
export interface OpenApi extends Json {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string } & Json;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}

export interface Operation extends Json {
  readonly operationId: string;
  readonly parameters: readonly Json[];
  readonly requestBody?: Json;
  readonly responses: Readonly<Record<string, Json>>;
}

const DESCRIPTION = `Every request but the one for this document has a token of your identity provider, and every answer an
\`X-Correlation-Id\`.

**Repeats.** A request that got no answer, a 5xx, 429 or a 409 with \`Retry-After\` is sent again *with the same*
\`Idempotency-Key\` or number. It has one effect and one answer; a repeated answer has \`Idempotency-Replayed: true\`. Routes
without a key are repeatable by nature.

**Lists.** \`?limit=\` is 1 to 100, 20 by default. \`?cursor=\` is the \`nextCursor\` of the previous page, unchanged and with the
same filter. The last page has no \`nextCursor\`.

**Conditional requests.** \`If-Match\` with the \`version\` that you have read, or with an \`ETag\`, refuses a change of what you haven't seen
(409 \`conflict\`). \`If-None-Match\` with the \`ETag\` of an order answers 304 while it is the same.

**Errors** are problem details (RFC 9457). Decide by \`type\` = \`urn:orderly:problem:<code>\`. [Each code has a section](problems.md) that says what
it means and what to do. A method that a path doesn't have is
405 \`method-not-allowed\` with \`Allow\`.

**Changes.** A release may add routes, optional fields and parameters, members of answers, values of an answer's enumeration and
problem codes: ignore what you don't know. A route that will go is deprecated before: its answers have \`Deprecation\` and, six months ahead,
\`Sunset\`.`;

/** Tags in the order of the document. Each service has one. */
const SERVICES: Readonly<Record<string, string>> = {
  orders: 'Orders and their history; idempotency keys.',
  catalog: 'Products and their prices.',
  baskets: "The caller's basket.",
  inventory: 'Stock.',
  accounts: 'Credit limits and what customers owe.',
  payments: 'Payments and refunds.',
  rewards: 'Points and tiers.',
  users: 'Profiles and the status of users.',
  reports: 'Reports of days.',
  webhooks: 'Webhooks, by which shops and operators hear of orders. In deployments that have them.',
  operations: 'What operators ask: health, failures, losses.',
  api: 'This document.',
};

/** Generates the OpenAPI document of an API. It depends on nothing but the API. */
export function generateOpenApi(api: Api): OpenApi {
  const order = Object.keys(SERVICES);
  const routes = api.routes.toSorted((one, other) => order.indexOf(one.service) - order.indexOf(other.service));
  const schemas = convertSchemas(api.schemas, [...routes.flatMap(schemasUsedBy), ...PATH_SCHEMAS, ...WEBHOOK_SCHEMAS]);
  const webhooks = routes.some(({ service }) => service === 'webhooks') ? { webhooks: buildWebhooks(schemas) } : {};
  const responses = new Map<string, Json>();
  const paths = new Map<string, Record<string, Operation>>();
  for (const one of routes) {
    const { path, method } = one.route;
    const operation = buildOperation(api, one, schemas, (name, response) => responses.set(name, response));
    paths.set(path, { ...paths.get(path), [method.toLowerCase()]: operation });
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Orderly',
      version: api.release,
      summary: 'Orders whose effects happen once.',
      description: DESCRIPTION,
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    externalDocs: { description: 'Each problem by its code: what it means, and what to do.', url: 'problems.md' },
    servers: [
      {
        url: 'https://{api}.execute-api.{region}.amazonaws.com/v1',
        description: 'A deployment. The output `ApiUrl` of its API stack is this address.',
        variables: { api: { default: 'api' }, region: { default: 'eu-west-1' } },
      },
      { url: 'http://127.0.0.1:4566/v1', description: '`npm start`.' },
    ],
    tags: Object.entries(SERVICES).map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(paths),
    ...webhooks,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'Token of the identity provider. Its `sub` is the id of the customer; a claim names the role.',
        },
      },
      schemas: { Problem: PROBLEM, ...schemas.components() },
      parameters: HEADERS,
      headers: ANSWER_HEADERS,
      responses: Object.fromEntries(responses),
      examples: problemExamples(api),
    },
  };
}

const ANSWER_HEADERS = {
  CorrelationId: { description: "The request's own id, or a new one.", schema: { type: 'string' } },
  Replayed: {
    description: '`true` if this answers a repeat; absent otherwise.',
    schema: { type: 'string', enum: ['true'] },
  },
  RetryAfter: {
    description: 'Seconds after which the same request may pass. Without this header it is refused for good.',
    schema: { type: 'string', pattern: '^\\d+$' },
  },
  WwwAuthenticate: { description: 'Always `Bearer`.', schema: { type: 'string' } },
} as const satisfies Json;

const schemasUsedBy = ({ route: { body, query, answers } }: ApiRoute) =>
  [body, query, ...Object.values(answers).map((answer) => answer.body)].filter((schema) => schema !== undefined);

function buildOperation(
  api: Api,
  one: ApiRoute,
  schemas: Schemas,
  add: (name: string, response: Json) => void,
): Operation {
  const { service, route } = one;
  const { answers } = api;
  const shown = answers ? STORY.filter(({ operation, problem }) => operation === route.id && !problem) : [];
  const roles = route.roles;
  const description = [
    route.description,
    describeDeprecation(route),
    route.isPublic ? undefined : roles ? `For ${roles.map((role) => `${role}s`).join(' and ')}.` : 'For every role.',
  ];
  return {
    operationId: route.id,
    tags: [service],
    summary: route.summary,
    ...(route.deprecated && { deprecated: true }),
    description: description.filter(Boolean).join('\n\n'),
    security: route.isPublic
      ? []
      : (roles ?? []).length > 0
        ? roles?.map((role) => ({ token: [role] }))
        : [{ token: [] }],
    parameters: buildParameters(route, schemas),
    ...(route.body && { requestBody: buildRequestBody(route, schemas, shown, answers ?? {}) }),
    responses: {
      ...Object.fromEntries(
        Object.entries(listAnswers(route)).map(([status, answer]) => [
          status,
          buildAnswer(
            answer,
            route.repeat !== undefined,
            schemas,
            shown.filter((call) => call.status === Number(status)),
            answers ?? {},
          ),
        ]),
      ),
      ...problemAnswers(api, one, add),
    },
  };
}

const describeDeprecation = ({ deprecated }: ApiRoute['route']): string | undefined =>
  deprecated &&
  `Deprecated since ${deprecated.since}${deprecated.sunset === undefined ? '' : `; it may be gone after ${deprecated.sunset}`}.`;

const ETAG = { ETag: 'Changes with the body. `If-None-Match` and `If-Match` take it.' };

/** Returns the answers to accepted requests, with those that `endpoint` adds to the declared ones. */
function listAnswers({
  answers,
  conditional,
  waits,
  deprecated,
}: ApiRoute['route']): Readonly<Record<string, RouteAnswer>> {
  const more = {
    ...(deprecated && { Deprecation: 'Time since which the route is deprecated (RFC 9745).' }),
    ...(deprecated?.sunset && { Sunset: 'Time after which the route may be gone (RFC 8594).' }),
    ...(conditional && ETAG),
    ...(waits && {
      'Preference-Applied': 'The preference that was met: `wait=20`. Absent if the answer did not wait.',
    }),
  };
  return {
    ...Object.fromEntries(
      Object.entries(answers).map(([status, answer]) => [
        status,
        { ...answer, headers: { ...more, ...answer.headers } },
      ]),
    ),
    ...(conditional && { 304: { description: 'Still the same', headers: { ...more, ...answers[200]?.headers } } }),
  };
}

function buildRequestBody(
  { body, bodyTypes = [] }: ApiRoute['route'],
  schemas: Schemas,
  calls: readonly Call[],
  answers: Answers,
): Json {
  if (!body) return {};
  const content = {
    schema: schemas.of(body),
    ...buildExamples(
      calls.filter((call) => call.body !== undefined),
      (call) => resolveReferences(call.body, answers),
    ),
  };
  const { required = [] } = schemas.whole(body) as { readonly required?: readonly string[] };
  // A body that is left out is an empty object.
  return {
    required: required.length > 0,
    content: Object.fromEntries(['application/json', ...bodyTypes].map((type) => [type, content])),
  };
}

function buildAnswer(
  { description, body, text, headers = {} }: RouteAnswer,
  isRepeatable: boolean,
  schemas: Schemas,
  calls: readonly Call[],
  answers: Answers,
): Json {
  const isText = ({ name }: Call) => typeof answers[name] === 'string';
  const entries = (some: readonly Call[]) => buildExamples(some, ({ name }) => answers[name]);
  return {
    description,
    headers: {
      'X-Correlation-Id': { $ref: '#/components/headers/CorrelationId' },
      ...(isRepeatable ? { 'Idempotency-Replayed': { $ref: '#/components/headers/Replayed' } } : {}),
      ...Object.fromEntries(
        Object.entries(headers).map(([name, meaning]) => [name, { description: meaning, schema: { type: 'string' } }]),
      ),
    },
    ...(body && {
      content: {
        'application/json': { schema: schemas.of(body), ...entries(calls.filter((call) => !isText(call))) },
        ...(text && { [text]: { schema: { type: 'string' }, ...entries(calls.filter(isText)) } }),
      },
    }),
  };
}

const buildExamples = (calls: readonly Call[], value: (call: Call) => unknown): Json => {
  const examples = calls.flatMap((call) => {
    const shown = value(call);
    return shown === undefined ? [] : [[call.name, { summary: call.summary, value: shown }]];
  });
  return examples.length === 0 ? {} : { examples: Object.fromEntries(examples) };
};
