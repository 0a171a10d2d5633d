import type { Json, JsonObject } from '../../assembly/intrinsics.js';
import type { ApiRequest, ApiResponse } from '../apigateway/messages.js';
import { joinHeaders } from './payload.js';

const list = (value: Json | undefined): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/**
 * Answers of an HTTP API, or a function's address, to pages of other origins. Amazon API Gateway, "Configure CORS for HTTP APIs in API Gateway": the API answers
 * preflight requests itself, whatever its routes are, and replaces the headers that its functions give.
 */
export class Cors {
  /** @param status of the answer to a preflight request. @default 204, as of an HTTP API */
  constructor(
    private readonly settings: JsonObject,
    private readonly status = 204,
  ) {}

  /** Returns the answer to a preflight request; `undefined` if the request is none. */
  preflight(request: ApiRequest): ApiResponse | undefined {
    const headers = joinHeaders(request);
    if (request.method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return undefined;
    const origin = this.allowedOrigin(headers.origin);
    if (origin === undefined) return { status: this.status, headers: {}, body: '' };
    const { AllowMethods, AllowHeaders, MaxAge } = this.settings;
    return {
      status: this.status,
      headers: {
        ...this.common(origin),
        ...(AllowMethods !== undefined && { 'access-control-allow-methods': list(AllowMethods).join(',') }),
        ...(AllowHeaders !== undefined && { 'access-control-allow-headers': list(AllowHeaders).join(',') }),
        ...(MaxAge !== undefined && { 'access-control-max-age': String(MaxAge) }),
      },
      body: '',
    };
  }

  /** Returns an answer with this API's own headers in the place of the function's. */
  apply(request: ApiRequest, response: ApiResponse): ApiResponse {
    const others = Object.entries(response.headers).filter(([name]) => !name.startsWith('access-control-'));
    const origin = this.allowedOrigin(joinHeaders(request).origin);
    const { ExposeHeaders } = this.settings;
    const own = origin === undefined ? {} : this.common(origin);
    const exposed =
      origin === undefined || ExposeHeaders === undefined
        ? {}
        : { 'access-control-expose-headers': list(ExposeHeaders).join(',') };
    return { ...response, headers: { ...Object.fromEntries(others), ...own, ...exposed } };
  }

  private common(origin: string): Record<string, string> {
    const credentials: Record<string, string> =
      this.settings.AllowCredentials === true ? { 'access-control-allow-credentials': 'true' } : {};
    return { 'access-control-allow-origin': origin, ...credentials };
  }

  /** @returns what the answer names as allowed; `undefined` for a page that isn't */
  private allowedOrigin(origin: string | undefined): string | undefined {
    if (origin === undefined) return undefined;
    const allowed = list(this.settings.AllowOrigins);
    if (allowed.includes('*')) return '*';
    const fits = (one: string): boolean =>
      one.toLowerCase() === origin.toLowerCase() || (one.endsWith('*') && origin.startsWith(one.slice(0, -1)));
    return allowed.some(fits) ? origin : undefined;
  }
}
