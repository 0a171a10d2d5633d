import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { clock } from '../aws/clock.js';
import { Env } from '../aws/environment.js';
import { correlationIdFrom, newId, traceparentFrom } from '../aws/ids.js';
import { Metric } from '../aws/metric-names.js';
import { readCorsOrigins, requireEnv, requireListEnv } from '../aws/read-environment.js';
import { count, describeError, logger, publishMetrics } from '../aws/telemetry.js';
import { WriteConflict } from '../aws/write-conflict.js';
import { AggregateDeleted } from '../event-store/event-store.js';
import { ANSWER_HEADERS } from './answer-headers.js';
import { type Caller, CLOCK_SKEW_SECONDS, Unauthenticated } from './caller.js';
import { isDotSegment } from './caller-id.js';
import { withCorsHeaders } from './cors.js';
import { computeEntityTag, matchesTag } from './entity-tag.js';
import { Problem } from './errors.js';
import { headerReader, listHeaderReader, type ReadHeader, refuseRepeatedHeaders } from './headers.js';
import {
  describeUnknownParameter,
  parameterFault,
  parseBody,
  parseQuery,
  pointerFault,
  refuseLargeBody,
  validate,
} from './request-parsing.js';
import { withRequestSpan } from './request-span.js';
import type { Answer, AnswerOf, Deprecated, RouteAnswers } from './route.js';

z.config({
  ...en(),
  // Zod's own text is "expected int, received number".
  customError: ({ code, expected }) =>
    code === 'invalid_type' && expected === 'int' ? 'expected a whole number' : undefined,
});

/**
 * Requests that an endpoint accepts, and its answers; a route's declaration has them. All other requests are refused
 * before its handler runs.
 */
export interface EndpointOptions<
  Body,
  Query,
  Role extends string = string,
  Answers extends RouteAnswers = RouteAnswers,
> {
  /** Roles that may call. @default all roles of the application */
  readonly roles?: readonly Role[];
  /** Schema of the body. @default no body is read */
  readonly body?: z.ZodMiniType<Body>;
  /** Schema of the query's values, which are text. @default no parameter is accepted */
  readonly query?: z.ZodMiniType<Query>;
  /** Answers by status. A handler that returns another one does not compile. @default any answer */
  readonly answers?: Answers;
  /** Since when it is deprecated; see the route's declaration. @default it is not */
  readonly deprecated?: Deprecated;
  /** Whether its answers have an `ETag`; see the route's declaration. @default false */
  readonly conditional?: boolean;
  /** Path parameters that name a person. No log contains them. @default none */
  readonly personalParameters?: readonly string[];
}

/** A request that passed all checks. */
export interface Request<Body, Query, Role extends string = string> {
  /** Id of this one request. Its commits name it as their trigger. */
  readonly id: string;
  readonly caller: Caller<Role>;
  readonly method: string;
  /** Concrete path without the stage: `/orders/3f…/cancellation`. */
  readonly path: string;
  readonly body: Body;
  readonly query: Query;
  /**
   * Returns a path parameter.
   * @throws {Problem} 404 if the path does not have it; 400 if it does not match `schema`, or is `.` or `..`
   */
  readonly parameter: (name: string, schema?: z.ZodMiniType<string>) => string;
  readonly header: ReadHeader;
  /** Reads a header whose value is a list: all its lines, with commas between them. */
  readonly listHeader: ReadHeader;
  readonly correlationId: string;
  readonly traceparent: string;
}

const SESSION_HEADERS = ['session-id', 'request-number', 'answered-up-to'] as const;

/**
 * Returns the parts of a request that its idempotency key or session number is read from and checked against.
 * @example
 * const key = parseIdempotencyKey(toKeyedRequest(request));
 */
export const toKeyedRequest = ({ header, caller, method, path, query, body }: Request<unknown, unknown>) => {
  const [id, number, answeredUpTo] = SESSION_HEADERS.map(header);
  const session = (id ?? number ?? answeredUpTo) === undefined ? undefined : { id, number, answeredUpTo };
  return { header: header('idempotency-key'), client: clientOf(caller), method, path, query, body, session };
};

/** Returns the owner of idempotency keys and sessions: role and id. */
export const clientOf = ({ role, id }: Caller): string => `${role}:${id}`;

/**
 * Returns the trace for everything that a request writes. The request is the trigger.
 * @example
 * const { loaded } = await createOnce({ store, key, trace: toTrace(request), command });
 */
export const toTrace = ({ id, caller, correlationId, traceparent }: Request<unknown, unknown>) => ({
  trigger: id,
  actor: clientOf(caller),
  correlationId,
  traceparent,
});

/**
 * Creates a function behind API Gateway (REST, proxy integration).
 *
 * It checks the request, calls `handle`, and answers JSON, a text with a media type of its own, or a problem (RFC 9457). The checks have this order: token
 * 401, role 403, repeated headers 400, size 413, media type 415, body and query 400. No answer contains a stack trace,
 * a table's name or an error of the SDK; the log has them under the same correlation id.
 * @example
 * // POST /tickets
 * export const handler = endpoint(
 *   { roles: ['customer'], body: z.strictObject({ subject: z.string() }) },
 *   async ({ caller, body }) => ({ status: 201, body: await openTicket(caller.id, body.subject) }),
 * );
 * @throws {SettingMissing} at start, if the construct didn't set the application's name or its operator roles
 */
export function endpoint<
  Body = undefined,
  Query = unknown,
  Role extends string = string,
  Answers extends RouteAnswers = RouteAnswers,
  Status extends keyof Answers & number = keyof Answers & number,
>(
  options: EndpointOptions<Body, Query, Role, Answers>,
  handle: (request: Request<Body, Query, Role>) => Promise<AnswerOf<Answers, Status>>,
): (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult> {
  const app = requireEnv(Env.APP);
  const operatorRoles = requireListEnv(Env.OPERATOR_ROLES);
  const origins = readCorsOrigins();
  const deprecation = toDeprecationHeaders(options.deprecated);
  const answerRequest = async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
    const header = headerReader(event);
    const listHeader = listHeaderReader(event);
    const respond = (answer: Answer, type: string) => {
      const headers = { ...answer.headers, ...deprecation };
      return withCorsHeaders(toResult({ ...answer, headers }, correlationId, type), header, origins);
    };
    const correlationId = correlationIdFrom(header('x-correlation-id'));
    const id = newId();
    logger.resetKeys();
    logger.appendKeys({ correlationId, requestId: id });
    const answer = async (): Promise<Answer> => {
      const request = await admitRequest(options, event, { id, correlationId, header, listHeader }, operatorRoles);
      const answered = await handle(request);
      return options.conditional ? withEntityTag(answered, listHeader('if-none-match')) : answered;
    };
    try {
      return respond(await answer(), 'application/json');
    } catch (error) {
      const problem = toProblem(error);
      const { code, status } = problem;
      if (status >= 500) {
        logger.error('request failed', { code, ...describeError(error) });
        if (code === 'internal') count(Metric.REQUEST_FAULTS);
      } else {
        const why = error instanceof Unauthenticated ? { reason: error.message } : {};
        logger.info('request refused', { code, status, ...why });
      }
      const { retryAfterSeconds } = problem.extra;
      const headers = {
        ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
        ...(status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
      };
      const body = problem.toJSON(app, id);
      return respond({ status, body, headers }, 'application/problem+json');
    } finally {
      publishMetrics();
    }
  };
  return process.env.KIT_TRACES === 'on' ? withRequestSpan(answerRequest) : answerRequest;
}

/**
 * Returns `endpoint` for one application: the compiler knows its roles, and all its routes share `defaults`.
 * @example
 * export const endpoint = endpointFor<'agent' | 'visitor'>({ personalParameters: ['visitorId'] });
 */
export const endpointFor =
  <Role extends string>(defaults: Pick<EndpointOptions<unknown, unknown>, 'personalParameters'> = {}) =>
  <
    Body = undefined,
    Query = unknown,
    Answers extends RouteAnswers = RouteAnswers,
    Status extends keyof Answers & number = keyof Answers & number,
  >(
    options: EndpointOptions<Body, Query, Role, Answers>,
    handle: (request: Request<Body, Query, Role>) => Promise<AnswerOf<Answers, Status>>,
  ) =>
    endpoint({ ...defaults, ...options }, handle);

async function admitRequest<Body, Query, Role extends string>(
  { roles, body, query, personalParameters = [] }: EndpointOptions<Body, Query, Role>,
  event: APIGatewayProxyEvent,
  request: Pick<Request<Body, Query>, 'id' | 'correlationId' | 'header' | 'listHeader'>,
  operatorRoles: readonly string[],
): Promise<Request<Body, Query, Role>> {
  const caller = await authenticateCaller<Role>(event, request.header);
  logger.appendKeys({ role: caller.role });
  if (operatorRoles.includes(caller.role)) logOperator(caller.id, event, personalParameters);
  if (roles && !roles.includes(caller.role)) {
    throw new Problem(
      'forbidden',
      `this route requires the role ${roles.join(' or ')}; the token has the role ${caller.role}`,
    );
  }
  refuseRepeatedHeaders(event);
  refuseLargeBody(event);
  return {
    ...request,
    caller,
    method: event.httpMethod,
    path: buildPath(event),
    body: body ? validate(body, parseBody(event, request.header), pointerFault) : (undefined as Body),
    query: validate(
      query ?? (z.strictObject({}) as z.ZodMiniType<unknown> as z.ZodMiniType<Query>),
      parseQuery(event),
      parameterFault,
      describeUnknownParameter(query),
    ),
    parameter: (name, schema) => {
      const value = decodeParameter(event.pathParameters?.[name]);
      if (value === undefined || value === '') throw new Problem('not-found', 'no resource has this address');
      if (isDotSegment(value)) {
        const errors = [{ parameter: name, detail: 'expected an id other than . and .., which no path can have' }];
        throw new Problem('invalid-request', 'the address has a segment that clients resolve', { errors });
      }
      return schema ? validate(schema, value, (_, detail) => ({ parameter: name, detail })) : value;
    },
    traceparent: traceparentFrom(request.header('traceparent')),
  };
}

/**
 * Logs what an operator asks for, before it is looked up. The log names an operator by `sub`, which is never
 * another role's id. No log names a person whom the request is about; the commits do.
 */
function logOperator(
  operator: string,
  { httpMethod, resource, pathParameters }: APIGatewayProxyEvent,
  personalParameters: readonly string[],
): void {
  const of = Object.fromEntries(
    Object.entries(pathParameters ?? {}).filter(([name]) => !personalParameters.includes(name)),
  );
  logger.appendKeys({ operator });
  logger.info('operator request', { method: httpMethod, route: resource, of });
}

/**
 * Returns the caller that the gateway's authorizer found. Without an authorizer (in an emulator) the same check runs
 * here, unless the bundle was made for a gateway that always has one: the check is a twentieth of its code.
 */
async function authenticateCaller<Role extends string>(
  event: APIGatewayProxyEvent,
  header: ReadHeader,
): Promise<Caller<Role>> {
  const context = event.requestContext.authorizer;
  // The authorizer accepts the application's roles only.
  if (!context?.sub) {
    // `Bundles` puts the setting here, and leaves out a branch that never runs, with what it loads.
    if (process.env.KIT_AUTHORIZER !== 'gateway') {
      const { authenticate } = await import('./auth.js');
      return (await authenticate(header('authorization'))) as Caller<Role>;
    }
    throw new Unauthenticated('the gateway named no caller');
  }
  const caller = { id: String(context.sub), role: context.role as Role, expires: Number(context.exp) };
  if (!(caller.expires + CLOCK_SKEW_SECONDS > clock.epochSeconds())) throw new Unauthenticated('expired meanwhile');
  return caller;
}

/** Decodes a path parameter: API Gateway leaves it as it was sent. @returns `undefined` if it is malformed */
function decodeParameter(value: string | undefined): string | undefined {
  try {
    return value && decodeURIComponent(value);
  } catch {
    return undefined;
  }
}

/**
 * Builds the path from the route, since `event.path` contains the base path of a custom domain. However a client encodes a
 * parameter, its resource has one path, so that a repeat by another client library is a repeat. What would look like another
 * path stays encoded.
 */
const buildPath = ({ resource, pathParameters }: APIGatewayProxyEvent): string =>
  resource.replace(/\{(\w+)\}/g, (_, name: string) =>
    (decodeParameter(pathParameters?.[name]) ?? '').replace(/[%/]/g, encodeURIComponent),
  );

const THROTTLING_ERROR_NAME =
  /^(ProvisionedThroughputExceeded|RequestLimitExceeded|RequestThrottled|Throttl|TooManyRequests)/;

/** Maps errors to answers. No other code does. */
function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof Unauthenticated)
    return new Problem('unauthenticated', 'send a valid token as Authorization: Bearer <JWT>');
  if (error instanceof AggregateDeleted)
    return new Problem('not-found', 'the resource was deleted: create one with another id', {}, { cause: error });
  const name = error instanceof Error ? error.name : '';
  if (THROTTLING_ERROR_NAME.test(name)) return new Problem('throttled', 'try again later', { retryAfterSeconds: 1 });
  if (error instanceof WriteConflict) {
    const versions = error.versions ? { versions: error.versions } : {};
    return new Problem('conflict', 'another request changed the same resource: try again', {
      retryAfterSeconds: 1,
      ...versions,
    });
  }
  if (name === 'TransactionInProgressException') {
    return new Problem('in-progress', 'the same request is still in progress: try again', { retryAfterSeconds: 1 });
  }
  return new Problem('internal', 'an internal error occurred: quote the X-Correlation-Id of this answer to support');
}

/**
 * Adds the `ETag` to an answer of 200, and makes it 304 for a client that has it. The other headers stay (RFC 9110, 15.4.5).
 * @throws {Error} for a body without `version`: a fault of the handler
 */
function withEntityTag(answer: Answer, ifNoneMatch: string | undefined): Answer {
  if (answer.status !== 200) return answer;
  const { version } = answer.body as { readonly version?: unknown };
  if (typeof version !== 'number') throw new Error('a conditional route answered without version: expected a number');
  const tag = computeEntityTag(version, serializeBody(answer.body, answer.mediaType));
  const headers = { ...answer.headers, ETag: tag };
  return matchesTag(ifNoneMatch, tag) ? { status: 304, body: undefined, headers } : { ...answer, headers };
}

/**
 * Returns the headers of a deprecated route. `Deprecation` is a date of structured fields (RFC 9745, 2.1: `@` and seconds since 1970), `Sunset` an
 * HTTP-date (RFC 8594, 3).
 */
const toDeprecationHeaders = (deprecated: Deprecated | undefined): Readonly<Record<string, string>> =>
  deprecated === undefined
    ? {}
    : {
        Deprecation: `@${Date.parse(deprecated.since) / 1000}`,
        ...(deprecated.sunset !== undefined && { Sunset: new Date(deprecated.sunset).toUTCString() }),
      };

const toResult = (
  { status, body, mediaType, headers }: Answer,
  correlationId: string,
  type: string,
): APIGatewayProxyResult => ({
  statusCode: status,
  headers: {
    ...ANSWER_HEADERS,
    ...(status !== 304 && { 'Content-Type': mediaType ?? type }),
    'X-Correlation-Id': correlationId,
    ...headers,
  },
  body: serializeBody(body, mediaType),
});

/** An answer without content (204, 304) has an empty body. */
const serializeBody = (body: unknown, mediaType: string | undefined): string => {
  if (body === undefined) return '';
  return mediaType === undefined ? JSON.stringify(body) : String(body);
};
