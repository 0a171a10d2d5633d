import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';

/** Where the correlation id of an answer comes from: the authorizer knows the caller's own, before it there is only ours. */
const FROM_AUTHORIZER = 'context.authorizer.correlationId';
const FROM_REQUEST = 'context.requestId';

interface Problem {
  readonly type: ResponseType;
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  /** Whether the authorizer has run by then. @default false */
  readonly authorized?: boolean;
}

const unknownRoute = (type: ResponseType): Problem => ({
  type,
  status: 404,
  code: 'not-found',
  title: 'There is no such thing',
  detail: 'There is no such route.',
});
const unauthenticated = { code: 'unauthenticated', status: 401, title: 'A valid token is needed' };
const throttled = {
  code: 'throttled',
  status: 429,
  title: 'Too many requests',
  detail: 'Try again later, less often.',
};
const invalid = { code: 'invalid-request', status: 400, title: 'The request is not valid' };
const internal = {
  code: 'internal',
  title: 'Something went wrong here',
  detail: 'The fault is ours; the request may be repeated.',
};

/**
 * What the gateway answers by itself. Nothing here is signed by SigV4, so whatever it calls a missing or broken signature
 * is a route or a method that doesn't exist: with a bearer token it takes the header for a signature.
 */
const PROBLEMS: readonly Problem[] = [
  unknownRoute(ResponseType.MISSING_AUTHENTICATION_TOKEN),
  unknownRoute(ResponseType.INVALID_SIGNATURE),
  unknownRoute(ResponseType.EXPIRED_TOKEN),
  unknownRoute(ResponseType.RESOURCE_NOT_FOUND),
  // The authorizer denies what it can't verify; a role that may not is the handler's 403.
  {
    type: ResponseType.ACCESS_DENIED,
    ...unauthenticated,
    detail: 'The token is missing, malformed, expired or not of our issuer.',
    authorized: true,
  },
  { type: ResponseType.UNAUTHORIZED, ...unauthenticated, detail: 'The token is missing.' },
  { type: ResponseType.INVALID_API_KEY, ...unauthenticated, detail: 'The key is unknown.' },
  {
    type: ResponseType.WAF_FILTERED,
    status: 403,
    code: 'blocked',
    title: 'Request blocked',
    detail: 'The firewall takes the request, or its address, for an attack. Token and role are not the reason.',
  },
  {
    type: ResponseType.REQUEST_TOO_LARGE,
    status: 413,
    code: 'too-large',
    title: 'The request is too large',
    detail: 'A body may have up to 128 KB.',
  },
  { type: ResponseType.THROTTLED, ...throttled },
  { type: ResponseType.QUOTA_EXCEEDED, ...throttled },
  { type: ResponseType.BAD_REQUEST_BODY, ...invalid, detail: "The body can't be read." },
  { type: ResponseType.BAD_REQUEST_PARAMETERS, ...invalid, detail: 'A parameter is missing or malformed.' },
  {
    type: ResponseType.UNSUPPORTED_MEDIA_TYPE,
    ...invalid,
    status: 415,
    detail: 'The body has a media type that is not served here.',
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
 * Makes every answer of the gateway itself a problem (RFC 9457) in the shape of the handlers' own, with a correlation id.
 *
 * `instance` is the request's id: a path would have to be escaped, and these templates can't.
 */
export function answerProblems(api: RestApi): void {
  for (const { type, status, code, title, detail, authorized = false } of PROBLEMS) {
    const body = {
      type: `urn:orderly:problem:${code}`,
      title,
      status,
      detail,
      instance: 'urn:orderly:request:$context.requestId',
    };
    api.addGatewayResponse(type.responseType, {
      type,
      statusCode: String(status),
      responseHeaders: {
        'Content-Type': "'application/problem+json'",
        'X-Correlation-Id': authorized ? FROM_AUTHORIZER : FROM_REQUEST,
        ...(status === 401 && { 'WWW-Authenticate': "'Bearer'" }),
        ...(status === 429 && { 'Retry-After': "'1'" }),
      },
      // The template of `application/json` serves every Accept header; what it makes is named by the header above.
      templates: { 'application/json': JSON.stringify(body) },
    });
  }
}
