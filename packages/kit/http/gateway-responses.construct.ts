import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { problemType, requestUrn } from '../aws/app-names.js';
import { ANSWER_HEADERS } from './answer-headers.js';
import { gatewayCorsHeaders } from './cors.construct.js';
import { quoteValues } from './mock-method.construct.js';

/**
 * Sources of an answer's correlation id: the authorizer knows the caller's own id; before it runs, only the request's
 * id is known.
 */
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
  /** Whether the same request may pass a second later: then the answer has a `Retry-After`. @default false */
  readonly passesLater?: boolean;
  /** Whether the authorizer has run before this answer. @default false */
  readonly authorized?: boolean;
}

const unauthenticated = { code: 'unauthenticated', status: 401, title: 'Authentication required' };
const throttled = {
  code: 'throttled',
  status: 429,
  title: 'Too many requests',
  detail: 'Slow down, and try again later.',
  passesLater: true,
};
const invalid = { code: 'invalid-request', status: 400, title: 'Invalid request' };
const internal = {
  code: 'internal',
  title: 'Internal error',
  detail: 'An internal error occurred. You may repeat the request.',
};

/**
 * The token is not verified. The gateway doesn't say whether the authorizer was throttled or failed, and it documents both as
 * "failing to connect to" or "failed to authenticate" (Amazon API Gateway, "Gateway response types"): so this is no 429.
 */
const unverified = {
  ...internal,
  status: 503,
  detail: 'The token can not be verified at the moment. Repeat the request.',
  passesLater: true,
};

/**
 * Answers that the gateway gives by itself.
 *
 * `INTEGRATION_FAILURE` is the answer to a request whose function Lambda did not begin: "If the Lambda API rejects the invocation
 * request, API Gateway returns a 500 error code. If the function runs but returns an error, or returns a response in the wrong
 * format, API Gateway returns a 502" (AWS Lambda, "Handling Lambda errors with an API Gateway API"). Lambda's throttle, its 429, is
 * such a rejection and has this type (stackoverflow.com/questions/36363280); an error of a function's own has `DEFAULT_5XX`, a missing
 * permission `API_CONFIGURATION_ERROR`, and a timeout `INTEGRATION_TIMEOUT`. No code has run, so a repeat is safe. An outage of Lambda
 * has the same type; its clients come back, too.
 *
 * No route here is signed by SigV4. If the gateway reports a missing or broken signature, the route does not exist: with a bearer
 * token, the gateway mistakes the header for a signature. So the fallback for 4XX is "not found", and the fallback for 5XX is an
 * internal error. The API has no usage plan and no keys, so no answer is about those.
 */
const PROBLEMS: readonly GatewayProblem[] = [
  // The authorizer denies tokens that it can't verify. If a role lacks permission, the handler answers 403.
  {
    type: ResponseType.ACCESS_DENIED,
    ...unauthenticated,
    // A variable of the context is replaced in a template (Amazon API Gateway, "Set up gateway responses", simple variable substitution).
    detail: 'The token is refused. $context.authorizer.refusal',
    authorized: true,
  },
  // Before the authorizer: the request has no header `Authorization`.
  { type: ResponseType.UNAUTHORIZED, ...unauthenticated, detail: 'The token is missing.' },
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
    detail: 'A body may have at most 64 KB.',
  },
  { type: ResponseType.THROTTLED, ...throttled },
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
  { type: ResponseType.AUTHORIZER_CONFIGURATION_ERROR, ...unverified },
  { type: ResponseType.AUTHORIZER_FAILURE, ...unverified },
  { type: ResponseType.INTEGRATION_FAILURE, ...throttled, authorized: true },
  { type: ResponseType.INTEGRATION_TIMEOUT, ...internal, status: 504, authorized: true },
  // Fallbacks for answers without a type of their own, such as API Gateway's answer to an unknown route with a bearer
  // token.
  {
    type: ResponseType.DEFAULT_4XX,
    status: 404,
    code: 'not-found',
    title: 'Not found',
    detail: 'No route matches this method and path.',
  },
  // A function that failed, too: the types of answers before the authorizer are above.
  { type: ResponseType.DEFAULT_5XX, ...internal, status: 500, authorized: true },
];

/**
 * Returns a problem (RFC 9457) as a template for the gateway, in the same shape as the handlers' problems.
 *
 * `instance` is the request's id. A path would have to be escaped, and these templates can't escape.
 */
export const problemTemplate = (app: string, { status, code, title, detail }: Problem): string =>
  JSON.stringify({
    type: problemType(app, code),
    title,
    status,
    detail,
    instance: requestUrn(app, '$context.requestId'),
  });

/**
 * Makes every answer of the gateway itself a problem, with a correlation id and the common headers.
 * @param origins whose pages may read it. With several, pages can read only answers after the authorizer
 */
export function addProblemResponses(
  api: RestApi,
  { app, origins }: { readonly app: string; readonly origins: readonly string[] },
): void {
  for (const { type, authorized = false, passesLater = false, ...problem } of PROBLEMS) {
    const { status } = problem;
    api.addGatewayResponse(type.responseType, {
      type,
      statusCode: String(status),
      responseHeaders: {
        ...quoteValues({
          ...ANSWER_HEADERS,
          'Content-Type': 'application/problem+json',
          ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
          ...(passesLater && { 'Retry-After': '1' }),
        }),
        'X-Correlation-Id': authorized ? FROM_AUTHORIZER : FROM_REQUEST,
        ...gatewayCorsHeaders(origins, { authorized }),
      },
      // The template of `application/json` serves every Accept header. The header above sets the answer's real type.
      templates: { 'application/json': problemTemplate(app, problem) },
    });
  }
}
