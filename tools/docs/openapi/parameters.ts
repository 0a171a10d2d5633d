import type * as z from 'zod/mini';
import { Sku } from '../../../lambdas/orders/contract.js';
import { ReportDate } from '../../../lambdas/reports/contract.js';
import { MAX_WAIT_SECONDS, WAITS_AT_ONCE } from '../../../packages/kit/http/contract.js';
import { CallerId, type RouteDeclaration } from '../../../packages/kit/routes.js';
import { type Json, NUMBERS, type Schemas } from './schemas.js';

/** Parameters of paths by their names. An id that no resource has is 404, whatever its shape. */
const IN_PATH: Readonly<Record<string, { readonly description: string; readonly schema?: z.ZodMiniType }>> = {
  orderId: { description: 'Id of the order.' },
  paymentId: { description: 'Id of the payment. The payment of an order has the id of the order.' },
  customerId: { description: "The customer's id at the identity provider.", schema: CallerId },
  userId: { description: "The user's id at the identity provider.", schema: CallerId },
  sku: { description: 'SKU of the product.', schema: Sku },
  id: { description: 'Id of an order, an event or a command, or a correlation id.' },
  sessionId: { description: 'Id of the session.' },
  webhookId: { description: 'Id of the webhook.' },
  deliveryId: { description: 'Id of the delivery.' },
  date: { description: 'Day as yyyy-mm-dd, in the time zone of the reports.', schema: ReportDate },
};

/** Schemas that parameters of paths use. */
export const PATH_SCHEMAS: readonly z.ZodMiniType[] = Object.values(IN_PATH).flatMap(({ schema }) => schema ?? []);

const visible = { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' };
const number = (least: 0 | 1): Json => ({
  type: 'string',
  pattern: least === 0 ? '^(0|[1-9]\\d{0,11})$' : '^[1-9]\\d{0,11}$',
});

const KEY =
  'Any text, the same for each repeat of this request, and a new one for each new request. A repeat gets the first answer. A key from `POST /idempotency-keys` may be used too.';
const AUTO = ' With `auto`, the hash of the body is the key; the body must then have a `clientReference`.';
const key = (required: boolean, more: string): Json => ({
  name: 'Idempotency-Key',
  in: 'header',
  required,
  description: `${KEY}${more}`,
  schema: visible,
});

/** Headers that requests may have, by their names in the document. */
export const HEADERS = {
  CorrelationId: {
    name: 'X-Correlation-Id',
    in: 'header',
    description:
      'Id of your own for what you do here. It is in the answer and in every log line, and it is stored for ever with what you wrote: put no names into it. An id of another form is replaced by a new one.',
    schema: { type: 'string', examples: ['cart-17-checkout'] },
  },
  IdempotencyKey: key(true, ''),
  IdempotencyKeyAuto: key(true, AUTO),
  IdempotencyKeyUnlessNumber: key(false, ' Required unless the request has a number in a session.'),
  IdempotencyKeyAutoUnlessNumber: key(false, `${AUTO} Required unless the request has a number in a session.`),
  SessionId: {
    name: 'Session-Id',
    in: 'header',
    description: 'Session of a numbered request, in the place of `Idempotency-Key`.',
    schema: visible,
  },
  RequestNumber: {
    name: 'Request-Number',
    in: 'header',
    description: 'Number in the session, from 1: the same for each repeat of this request.',
    schema: number(1),
  },
  AnsweredUpTo: {
    name: 'Answered-Up-To',
    in: 'header',
    description:
      'The client has the answers of all numbers up to this one. By default the number before this request, which is right for a client that sends one after the other.',
    schema: number(0),
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'Version that you have read, as `3` or `"3"`, or the `ETag` of an answer; 0 if it does not exist yet. At another version, nothing changes: 409 `conflict`.',
    schema: { type: 'string', pattern: '^("(0|[1-9]\\d{0,8})(-[0-9a-f]{8})?"|(0|[1-9]\\d{0,8}))$' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: '`ETag` of the answer that you have: 304 if it is still the same.',
    schema: { type: 'string' },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description: `\`wait=20\`: the answer comes as soon as it is final, and after so many seconds at the latest; more than ${MAX_WAIT_SECONDS} count as ${MAX_WAIT_SECONDS}. ${WAITS_AT_ONCE} requests of a caller may wait at once: a further one is answered at once, without \`Preference-Applied\` (RFC 7240).`,
    schema: { type: 'string', examples: [`wait=${MAX_WAIT_SECONDS}`] },
  },
} as const satisfies Readonly<Record<string, Json>>;

/** Returns the parameters of a route: of its path, of its query, and headers. */
export function buildParameters(route: RouteDeclaration<string, string>, schemas: Schemas): readonly Json[] {
  return [
    ...[...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => inPath(name, schemas)),
    ...inQuery(route.query, schemas),
    ...listHeaders(route).map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ];
}

function inPath(name: string, schemas: Schemas): Json {
  const parameter = IN_PATH[name];
  if (!parameter) throw new Error(`tools/docs/openapi/parameters.ts has no parameter ${name}`);
  const { description, schema } = parameter;
  return { name, in: 'path', required: true, description, schema: schema ? schemas.of(schema) : { type: 'string' } };
}

function inQuery(query: z.ZodMiniType | undefined, schemas: Schemas): readonly Json[] {
  if (!query) return [];
  const { properties = {}, required = [] } = schemas.whole(query) as {
    readonly properties?: Readonly<Record<string, Json>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    ...(required.includes(name) && { required: true }),
    description,
    schema: NUMBERS.get(schema.pattern) ?? schema,
  }));
}

function listHeaders(route: RouteDeclaration<string, string>): readonly (keyof typeof HEADERS)[] {
  const { repeat, autoKey = false, ifMatch = false, isPublic = false, conditional = false, waits = false } = route;
  const suffix = repeat === 'key or number' ? 'UnlessNumber' : '';
  return [
    ...(repeat ? [`IdempotencyKey${autoKey ? 'Auto' : ''}${suffix}` as const] : []),
    ...(repeat === 'key or number' ? (['SessionId', 'RequestNumber', 'AnsweredUpTo'] as const) : []),
    ...(ifMatch ? (['IfMatch'] as const) : []),
    ...(isPublic || conditional ? (['IfNoneMatch'] as const) : []),
    ...(waits ? (['Prefer'] as const) : []),
    'CorrelationId',
  ];
}
