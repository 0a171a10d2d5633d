import type { Resource } from '../../assembly/assembly.js';
import type { ApiResponse } from './messages.js';

/** `$context` of a request. */
export type Context = Readonly<Record<string, unknown>>;

/** Answers of the gateway without an integration, unless the template sets them. */
interface Default {
  readonly status: number;
  /** `$context.error.message`; `null` where AWS gives none. */
  readonly message: string | null;
  /** `x-amzn-ErrorType` of the answer. */
  readonly error: string;
}

const INTERNAL = { message: 'Internal server error', error: 'InternalServerErrorException' };

/**
 * Answers that the model gives. Amazon API Gateway, "Gateway response types"; LocalStack's tests that were recorded at
 * AWS: `test_gateway_response_put`, `test_routing_not_found`, `test_aws_proxy_response_payload_format_validation`; AWS Lambda,
 * "Handling Lambda errors with an API Gateway API" (500 for an invocation that Lambda refuses, 502 for a function that fails).
 */
const DEFAULTS = {
  ACCESS_DENIED: {
    status: 403,
    message: 'User is not authorized to access this resource',
    error: 'AccessDeniedException',
  },
  API_CONFIGURATION_ERROR: { status: 500, ...INTERNAL },
  AUTHORIZER_CONFIGURATION_ERROR: { status: 500, message: null, error: 'AuthorizerConfigurationException' },
  AUTHORIZER_FAILURE: { status: 500, message: null, error: 'AuthorizerFailureException' },
  BAD_REQUEST_BODY: { status: 400, message: 'Invalid request body', error: 'BadRequestException' },
  BAD_REQUEST_PARAMETERS: { status: 400, message: 'Invalid request parameters', error: 'BadRequestException' },
  DEFAULT_5XX: { status: 502, ...INTERNAL },
  INTEGRATION_FAILURE: { status: 500, ...INTERNAL },
  INTEGRATION_TIMEOUT: {
    status: 504,
    message: 'Endpoint request timed out',
    error: 'InternalServerErrorException',
  },
  INVALID_API_KEY: { status: 403, message: 'Forbidden', error: 'ForbiddenException' },
  MISSING_AUTHENTICATION_TOKEN: {
    status: 403,
    message: 'Missing Authentication Token',
    error: 'MissingAuthenticationTokenException',
  },
  REQUEST_TOO_LARGE: { status: 413, message: 'Request Too Long', error: 'RequestTooLargeException' },
  THROTTLED: { status: 429, message: 'Too Many Requests', error: 'TooManyRequestsException' },
  UNAUTHORIZED: { status: 401, message: 'Unauthorized', error: 'UnauthorizedException' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'Unsupported Media Type', error: 'BadRequestException' },
} satisfies Readonly<Record<string, Default>>;

export type GatewayResponseType = keyof typeof DEFAULTS;

const TEMPLATE = '{"message":$context.error.messageString}';
/** Parts of templates and headers that this model would leave as they are. */
const NOT_MODELLED = /\$(?!\{?context\.)[!{]*[a-z]\w*|^method\.request\.[\w.]+|#(set|if|foreach)/i;

interface GatewayResponse {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly template: string;
}

/**
 * The answers of a REST API without an integration. Amazon API Gateway, "Gateway response types", "Set up gateway
 * responses".
 */
export class GatewayResponses {
  private readonly responses: ReadonlyMap<string, GatewayResponse>;

  /** @param resources `AWS::ApiGateway::GatewayResponse` of one API @throws {Error} if one has more than the model knows */
  constructor(resources: readonly Resource[]) {
    this.responses = new Map(resources.map(gatewayResponse));
  }

  /** @param flaw text and details of this answer, where the request decides over them. @default those of its type */
  answer(
    type: GatewayResponseType,
    context: Context,
    flaw: { readonly message?: string; readonly details?: string } = {},
  ): ApiResponse {
    const { status, error } = DEFAULTS[type];
    const { message = DEFAULTS[type].message, details } = flaw;
    const all = this.responses.get(status >= 500 ? 'DEFAULT_5XX' : 'DEFAULT_4XX');
    const found = this.responses.get(type) ?? all;
    const known = {
      ...context,
      error: { message, messageString: JSON.stringify(message), validationErrorString: details, responseType: type },
    };
    const headers = Object.entries(found?.headers ?? {}).map(([name, value]) => [
      name.toLowerCase(),
      value.startsWith("'") ? value.slice(1, -1) : fillTemplate(value, known),
    ]);
    return {
      status: found?.status ?? status,
      headers: { 'content-type': 'application/json', 'x-amzn-errortype': error, ...Object.fromEntries(headers) },
      body: fillTemplate(found?.template ?? TEMPLATE, known),
    };
  }
}

/** Replaces variables in a text with values of `$context`; a missing value becomes empty. */
export const fillTemplate = (text: string, context: Context): string =>
  text.replace(/\$?context\.([\w.]+)/g, (_, path: string) =>
    String(path.split('.').reduce<unknown>((at, name) => (at as Context | undefined)?.[name], context) ?? ''),
  );

function gatewayResponse({ label, properties }: Resource): [string, GatewayResponse] {
  const { ResponseParameters = {}, ResponseTemplates = {}, StatusCode } = properties;
  const headers = Object.entries(ResponseParameters as Record<string, string>).map(([name, value]) => [
    name.replace('gatewayresponse.header.', ''),
    value,
  ]);
  const template = (ResponseTemplates as Record<string, string>)['application/json'] ?? TEMPLATE;
  for (const [, text = ''] of [...headers, ['', template]]) {
    const [foreign] = (text.startsWith("'") ? null : NOT_MODELLED.exec(text)) ?? [];
    if (foreign !== undefined) throw new Error(`${label}: '${foreign}' in a gateway response isn't modelled`);
  }
  const status = StatusCode === undefined ? undefined : Number(StatusCode);
  return [String(properties.ResponseType), { status, headers: Object.fromEntries(headers), template }];
}
