import { ACCOUNT, REGION } from '../assembly/identity.js';
import type { ApiRequest, ApiResponse } from './api-messages.js';
import type { Context } from './gateway-responses.js';

/** The event of a function behind a Lambda proxy integration; an authorizer gets almost the same. */
export interface ProxyEvent {
  readonly path: string;
  readonly requestContext: Context;
  readonly [member: string]: unknown;
}

/**
 * Builds the event. Amazon API Gateway, "Input format of a Lambda function for proxy integration".
 * @param where the stage that was called, and when (milliseconds since 1970)
 * @param route the matching route
 */
export function proxyEvent(
  where: { readonly apiId: string; readonly stage: string; readonly requestId: string; readonly now: number },
  route: { readonly resource: string; readonly pattern: RegExp; readonly parameters: readonly string[] },
  request: ApiRequest,
): ProxyEvent {
  const { apiId, stage, requestId, now } = where;
  const [path = '/', query = ''] = request.path.split('?');
  const search = new URLSearchParams(query);
  const names = [...new Set(search.keys())];
  const values = route.pattern.exec(path)?.slice(1).map(decodeURIComponent) ?? [];
  // For a repeated header, `headers` contains the last value and `multiValueHeaders` contains all.
  const all = Object.entries(request.headers).map(([name, value]) => [name, [value].flat()] as const);
  const parameters = Object.fromEntries(route.parameters.map((name, at) => [name, values[at] ?? '']));
  return {
    resource: route.resource,
    path,
    httpMethod: request.method,
    headers: Object.fromEntries(all.map(([name, values]) => [name, values.at(-1)])),
    multiValueHeaders: Object.fromEntries(all),
    queryStringParameters: names.length === 0 ? null : Object.fromEntries(search),
    multiValueQueryStringParameters:
      names.length === 0 ? null : Object.fromEntries(names.map((name) => [name, search.getAll(name)])),
    pathParameters: route.parameters.length === 0 ? null : parameters,
    stageVariables: null,
    requestContext: {
      accountId: ACCOUNT,
      apiId,
      httpMethod: request.method,
      path: `/${stage}${path}`,
      stage,
      requestId,
      requestTimeEpoch: now,
      resourcePath: route.resource,
      protocol: 'HTTP/1.1',
      domainName: `${apiId}.execute-api.${REGION}.amazonaws.com`,
      identity: { sourceIp: '192.0.2.1', userAgent: 'simulated' },
    },
    body: request.body ?? null,
    isBase64Encoded: false,
  };
}

/** Reads a handler's answer; `undefined` if its form makes API Gateway answer 502. */
export function proxyResponse(value: unknown): ApiResponse | undefined {
  const {
    statusCode,
    headers = {},
    body = '',
  } = (value ?? {}) as {
    statusCode?: unknown;
    headers?: Record<string, unknown>;
    body?: unknown;
  };
  if (!Number.isInteger(Number(statusCode)) || (typeof body !== 'string' && body !== null)) return undefined;
  const lower = Object.entries(headers).map(([name, text]) => [name.toLowerCase(), String(text)]);
  return { status: Number(statusCode), headers: Object.fromEntries(lower), body: body ?? '' };
}
