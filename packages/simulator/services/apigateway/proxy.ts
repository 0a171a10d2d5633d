import type { AccountAndRegion } from '../../assembly/identity.js';
import type { Context } from './gateway-responses.js';
import type { ApiRequest, ApiResponse } from './messages.js';
import { normalizePath, type RestRoute } from './routes.js';

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
export function buildProxyEvent(
  where: {
    readonly apiId: string;
    readonly deploymentId: string;
    readonly stage: string;
    readonly requestId: string;
    readonly now: number;
    readonly home: AccountAndRegion;
  },
  route: Pick<RestRoute, 'resource' | 'resourceId' | 'pattern' | 'parameters'>,
  request: ApiRequest,
): ProxyEvent {
  const { apiId, deploymentId, stage, requestId, now, home } = where;
  const [sent = '/', query = ''] = request.path.split('?');
  const path = normalizePath(request);
  const search = new URLSearchParams(query);
  const names = [...new Set(search.keys())];
  // The gateway decodes parameters of the query, and leaves those of the path as they were sent.
  const values = route.pattern.exec(path)?.slice(1) ?? [];
  // For a repeated header, `headers` contains the last value and `multiValueHeaders` contains all.
  const all = Object.entries(request.headers).map(([name, value]) => [name, [value].flat()] as const);
  const parameters = Object.fromEntries(route.parameters.map((name, at) => [name, values[at] ?? '']));
  const userAgent = all.find(([name]) => name.toLowerCase() === 'user-agent')?.[1].at(-1) ?? null;
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
      accountId: home.account,
      apiId,
      deploymentId,
      httpMethod: request.method,
      path: `/${stage}${sent}`,
      stage,
      requestId,
      extendedRequestId: `${requestId.replaceAll('-', '').slice(0, 15)}=`,
      requestTime: formatRequestTime(now),
      requestTimeEpoch: now,
      resourceId: route.resourceId,
      resourcePath: route.resource,
      protocol: 'HTTP/1.1',
      domainName: `${apiId}.execute-api.${home.region}.amazonaws.com`,
      domainPrefix: apiId,
      identity: { ...NOBODY, sourceIp: '192.0.2.1', userAgent },
    },
    body: request.body ?? null,
    isBase64Encoded: false,
  };
}

/** `$context.identity` of a request that isn't signed. */
const NOBODY = {
  accessKey: null,
  accountId: null,
  caller: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  user: null,
  userArn: null,
};

/** Returns a time as the Common Log Format writes it: `09/Apr/2015:12:34:56 +0000`. */
export function formatRequestTime(milliseconds: number): string {
  const [, day, month, year, time] = /^\w+, (\d+) (\w+) (\d+) (\S+)/.exec(new Date(milliseconds).toUTCString()) ?? [];
  return `${day}/${month}/${year}:${time} +0000`;
}

const MEMBERS = new Set(['statusCode', 'headers', 'multiValueHeaders', 'body', 'isBase64Encoded']);

/**
 * Reads a handler's answer. No member has to be there, and no other may. A body in Base64 stays so, since no API here has
 * binary media types.
 * @returns `undefined` if its form makes API Gateway answer 502
 */
export function parseProxyResponse(value: unknown): ApiResponse | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  if (Object.keys(value).some((name) => !MEMBERS.has(name))) return undefined;
  const { statusCode, headers, multiValueHeaders, body } = value as Readonly<Record<string, unknown>>;
  const status = Number(statusCode ?? 200);
  const [single, multiple] = [headers ?? {}, multiValueHeaders ?? {}] as [object, object];
  if (!Number.isInteger(status) || typeof single !== 'object' || typeof multiple !== 'object') return undefined;
  if (!Object.values(multiple).every((values) => Array.isArray(values))) return undefined;
  if (typeof (body ?? '') !== 'string') return undefined;
  const all = new Map<string, readonly unknown[]>([['content-type', []]]);
  for (const [name, values] of [...Object.entries(multiple), ...Object.entries(single)]) {
    const key = name.toLowerCase();
    all.set(key, [...(all.get(key) ?? []), ...[values].flat()]);
  }
  const cookies = all.get('set-cookie') ?? [];
  if (cookies.length > 1) all.delete('set-cookie');
  const joined = [...all].map(([name, values]) => [name, values.join(', ') || 'application/json'] as const);
  return {
    status,
    headers: Object.fromEntries(joined),
    ...(cookies.length > 1 && { cookies: cookies.map(String) }),
    body: String(body ?? ''),
  };
}
