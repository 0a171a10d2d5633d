import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { problemType, requestUrn } from '../aws/app-names.js';
import { ANSWER_HEADERS } from './answer-headers.js';

/** Where the correlation id of an answer comes from: the authorizer knows the caller's own, before it there is only ours. */
const FROM_AUTHORIZER = 'context.authorizer.correlationId';
const FROM_REQUEST = 'context.requestId';

interface Problem {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
}

interface GatewayProblem extends Problem {
  readonly type: ResponseType;
  /** Whether the authorizer has run by then. @default false */
  readonly authorized?: boolean;
}

const unknownRoute = (type: ResponseType): GatewayProblem => ({
  type,
  status: 404,
  code: 'not-found',
  title: 'Not found',
  detail: 'No route matches this method and path.',
});
const unauthenticated = { code: 'unauthenticated', status: 401, title: 'Authentication required' };
const throttled = {
  code: 'throttled',
  status: 429,
  title: 'Too many requests',
  detail: 'Slow down, and try again later.',
};
const invalid = { code: 'invalid-request', status: 400, title: 'Invalid request' };
const internal = {
  code: 'internal',
  title: 'Internal error',
  detail: 'An internal error occurred. You may repeat the request.',
};

/**
 * What the gateway answers by itself. Nothing here is signed by SigV4, so whatever it calls a missing or broken signature
 * is a route that doesn't exist: with a bearer token it takes the header for a signature.
 */
const PROBLEMS: readonly GatewayProblem[] = [
  unknownRoute(ResponseType.MISSING_AUTHENTICATION_TOKEN),
  unknownRoute(ResponseType.INVALID_SIGNATURE),
  unknownRoute(ResponseType.EXPIRED_TOKEN),
  unknownRoute(ResponseType.RESOURCE_NOT_FOUND),
  // The authorizer denies what it can't verify; a role that may not is the handler's 403.
  {
    type: ResponseType.ACCESS_DENIED,
    ...unauthenticated,
    detail: 'The token is missing, malformed, expired or from another issuer.',
    authorized: true,
  },
  { type: ResponseType.UNAUTHORIZED, ...unauthenticated, detail: 'The token is missing.' },
  { type: ResponseType.INVALID_API_KEY, ...unauthenticated, detail: 'The key is unknown.' },
  {
    type: ResponseType.WAF_FILTERED,
    status: 403,
    code: 'blocked',
    title: 'Request blocked',
    detail: 'The firewall treats the request, or its address, as an attack. The token and the role are not the reason.',
  },
  {
    type: ResponseType.REQUEST_TOO_LARGE,
    status: 413,
    code: 'too-large',
    title: 'Request too large',
    detail: 'A body may have at most 128 KB.',
  },
  { type: ResponseType.THROTTLED, ...throttled },
  { type: ResponseType.QUOTA_EXCEEDED, ...throttled },
  { type: ResponseType.BAD_REQUEST_BODY, ...invalid, detail: 'The body is unreadable.' },
  { type: ResponseType.BAD_REQUEST_PARAMETERS, ...invalid, detail: 'A parameter is missing or malformed.' },
  {
    type: ResponseType.UNSUPPORTED_MEDIA_TYPE,
    status: 415,
    code: 'unsupported-media-type',
    title: 'Unsupported media type',
    detail: 'Send the body as application/json.',
  },
  { type: ResponseType.API_CONFIGURATION_ERROR, ...internal, status: 500 },
  { type: ResponseType.AUTHORIZER_CONFIGURATION_ERROR, ...internal, status: 500 },
  { type: ResponseType.AUTHORIZER_FAILURE, ...internal, status: 500 },
  { type: ResponseType.INTEGRATION_FAILURE, ...internal, status: 500, authorized: true },
  { type: ResponseType.INTEGRATION_TIMEOUT, ...internal, status: 504, authorized: true },
  // What has no type of its own: API Gateway's answer to an unknown route with a bearer token is one of them.
  unknownRoute(ResponseType.DEFAULT_4XX),
  { type: ResponseType.DEFAULT_5XX, ...internal, status: 500 },
];

/**
 * A problem (RFC 9457) as a template of the gateway's, in the shape of the handlers' own.
 *
 * `instance` is the request's id: a path would have to be escaped, and these templates can't.
 */
export const problemTemplate = (app: string, { status, code, title, detail }: Problem): string =>
  JSON.stringify({
    type: problemType(app, code),
    title,
    status,
    detail,
    instance: requestUrn(app, '$context.requestId'),
  });

/** Values of headers, as API Gateway writes what stands for itself. */
export const quoted = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`]));

/** Makes every answer of the gateway itself a problem with a correlation id and the headers of all answers. */
export function answerProblems(api: RestApi, app: string): void {
  for (const { type, authorized = false, ...problem } of PROBLEMS) {
    const { status } = problem;
    api.addGatewayResponse(type.responseType, {
      type,
      statusCode: String(status),
      responseHeaders: {
        ...quoted({
          ...ANSWER_HEADERS,
          'Content-Type': 'application/problem+json',
          ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
          ...(status === 429 && { 'Retry-After': '1' }),
        }),
        'X-Correlation-Id': authorized ? FROM_AUTHORIZER : FROM_REQUEST,
      },
      // The template of `application/json` serves every Accept header; what it makes is named by the header above.
      templates: { 'application/json': problemTemplate(app, problem) },
    });
  }
}
