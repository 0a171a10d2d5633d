import type { AccountAndRegion } from '../../assembly/identity.js';
import type { JsonObject } from '../../assembly/intrinsics.js';
import { toBody } from '../../runtime/http.js';
import type { ApiRequest, ApiResponse } from '../apigateway/messages.js';
import { formatRequestTime } from '../apigateway/proxy.js';

/** Where a request of an HTTP API or of a function's address arrived, and when. */
export interface PayloadPlace {
  readonly apiId: string;
  readonly domainName: string;
  readonly stage: string;
  /** `GET /orders/{id}`, or `$default`. */
  readonly routeKey: string;
  readonly requestId: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly home: AccountAndRegion;
  readonly stageVariables?: JsonObject | undefined;
  readonly pathParameters?: Readonly<Record<string, string>> | undefined;
}

/** The event of a function, in the payload format 2.0. */
export interface Payload {
  readonly routeKey: string;
  readonly requestContext: Readonly<Record<string, unknown>>;
  readonly [member: string]: unknown;
}

/**
 * Builds the event. Amazon API Gateway, "Create AWS Lambda proxy integrations for HTTP APIs": names of headers are in lower case, several
 * values are joined by commas, cookies have a list of their own, and what a request lacks is no member.
 * @param rawPath with the stage, if the address has one
 */
export function buildPayload(place: PayloadPlace, rawPath: string, request: ApiRequest): Payload {
  const { apiId, domainName, stage, routeKey, requestId, now, home, stageVariables, pathParameters } = place;
  const query = request.path.split('?').slice(1).join('?');
  const { cookie, ...headers } = joinHeaders(request);
  const parameters = new URLSearchParams(query);
  const names = [...new Set(parameters.keys())];
  return {
    version: '2.0',
    routeKey,
    rawPath,
    rawQueryString: query,
    ...(cookie !== undefined && { cookies: cookie.split(/[;,]\s*/).filter(Boolean) }),
    headers,
    ...(names.length > 0 && {
      queryStringParameters: Object.fromEntries(names.map((name) => [name, parameters.getAll(name).join(',')])),
    }),
    requestContext: {
      accountId: home.account,
      apiId,
      domainName,
      domainPrefix: domainName.split('.')[0],
      http: {
        method: request.method,
        path: rawPath,
        protocol: 'HTTP/1.1',
        sourceIp: '192.0.2.1',
        userAgent: headers['user-agent'] ?? '',
      },
      requestId,
      routeKey,
      stage,
      time: formatRequestTime(now),
      timeEpoch: now,
    },
    ...(pathParameters && { pathParameters }),
    ...(stageVariables && { stageVariables }),
    ...encodeBody(request, headers['content-type']),
  };
}

/** Returns the headers of a request by their names in lower case; values of a repeated one are joined. */
export function joinHeaders({ headers }: ApiRequest): Record<string, string> {
  const joined = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase();
    joined.set(key, [joined.get(key) ?? [], value].flat(2).join(','));
  }
  return Object.fromEntries(joined);
}

/** Media types of bodies that stay texts. Of a body without a type AWS documents nothing: it stays a text. */
const TEXT = /^(text\/|application\/((json|javascript|xml)|[\w.+-]+\+(json|xml))\s*(;|$))/i;

/** A body of another type is in Base64: also the one of a form. */
function encodeBody({ body }: ApiRequest, type = 'text/plain'): { body?: string; isBase64Encoded: boolean } {
  if (body === undefined) return { isBase64Encoded: false };
  if (TEXT.test(type)) return { body, isBase64Encoded: false };
  return { body: Buffer.from(body).toString('base64'), isBase64Encoded: true };
}

/**
 * Reads a function's answer in the payload format 2.0: what is no object with a `statusCode` is the body of a 200 in JSON. "Lambda function
 * response for format 2.0"; AWS Lambda, "Invoking Lambda function URLs", "Response payload format".
 * @param defaultType media type of an answer that has a `statusCode` and none
 * @returns `undefined` if its form makes the gateway answer that the function has failed
 */
export function parseResponse(value: unknown, defaultType: string): ApiResponse | undefined {
  if (typeof value !== 'object' || value === null || !('statusCode' in value)) {
    const body = typeof value === 'string' ? value : JSON.stringify(value ?? null);
    return { status: 200, headers: { 'content-type': 'application/json' }, body };
  }
  const { statusCode, headers, cookies, body, isBase64Encoded } = value as Readonly<Record<string, unknown>>;
  const status = Number(statusCode);
  if (!Number.isInteger(status) || status < 100 || status > 599) return undefined;
  if (typeof (headers ?? {}) !== 'object' || typeof (body ?? '') !== 'string') return undefined;
  if (cookies !== undefined && !Array.isArray(cookies)) return undefined;
  const named = Object.entries(headers ?? {}).map(([name, one]) => [name.toLowerCase(), String(one)] as const);
  const all = Object.fromEntries([['content-type', defaultType], ...named]);
  const sent = { status, headers: all, ...(cookies && cookies.length > 0 && { cookies: cookies.map(String) }) };
  return { ...sent, ...decodeBody(String(body ?? ''), isBase64Encoded) };
}

/** Returns the body that a client gets of a function's. */
export const decodeBody = (body: string, isBase64Encoded: unknown): Pick<ApiResponse, 'body' | 'bytes'> =>
  isBase64Encoded === true ? toBody(Buffer.from(body, 'base64')) : { body };
