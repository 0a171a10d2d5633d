import type { ApiRequest, ApiResponse } from '../services/apigateway/messages.js';

/** Pages of this machine, such as those of a frontend's development server. */
const LOCAL_PAGE = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;
/**
 * Lets pages of this machine call an API, as the API's own CORS setting would: a frontend in development has its own
 * development server, on any port. What the API itself says of pages stays.
 * @returns the answer for the page; the API's own one for anybody else
 */
export function withLocalCorsHeaders({ method, headers }: ApiRequest, answer: ApiResponse): ApiResponse {
  const asked = (name: string): string | undefined => {
    const [, value] = Object.entries(headers).find(([one]) => one.toLowerCase() === name) ?? [];
    return value === undefined ? undefined : [value].flat().join(', ');
  };
  const origin = asked('origin');
  if (origin === undefined || !LOCAL_PAGE.test(origin) || answer.headers[ALLOWED] !== undefined) return answer;
  const { vary } = answer.headers;
  const allowed = { [ALLOWED]: origin, vary: vary === undefined ? 'Origin' : `${vary}, Origin` };
  const preflight = method === 'OPTIONS' ? asked('access-control-request-method') : undefined;
  if (preflight === undefined)
    return { ...answer, headers: { ...answer.headers, ...allowed, 'access-control-expose-headers': '*' } };
  const more = {
    'access-control-allow-methods': preflight,
    'access-control-allow-headers': asked('access-control-request-headers') ?? '*',
  };
  return { status: 204, headers: { ...allowed, ...more }, body: '' };
}

const ALLOWED = 'access-control-allow-origin';
