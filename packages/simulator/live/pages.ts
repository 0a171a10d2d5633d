import type { IncomingHttpHeaders } from 'node:http';
import type { ApiRequest, ApiResponse } from '../services/apigateway/messages.js';

/** Names of this machine. Any page may resolve a name of its own to it (DNS rebinding), but none of these. */
const THIS_MACHINE = /^(?:(?:[\w-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
/** Pages of this machine, such as those of a frontend's development server. */
const LOCAL_PAGE = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;
/** Header that a browser sends for an address that somebody typed, and for pages of the address itself. */
const NO_OTHER_PAGE = ['none', 'same-origin'];

/**
 * Says why a request must not be answered: a page in a browser sent it, or may have. A page can send many requests without being asked
 * (Fetch standard, "CORS-safelisted request"), and whoever sends some here can do anything in the account. SDKs and
 * command lines send neither `Origin` nor `Sec-Fetch-Site`.
 * @param names of this machine, beside `localhost`, 127.0.0.1 and [::1]. Their subdomains are names of it, too
 * @param isOwnPage whether the cloud's own page has sent it, with its token
 * @returns `undefined` if it may be answered
 */
export function findRefusal(
  headers: IncomingHttpHeaders,
  names: readonly string[] = [],
  isOwnPage = false,
): string | undefined {
  const { host, origin, 'sec-fetch-site': site } = headers;
  if (host !== undefined && !isThisMachine(host, names))
    return `the host '${host}' is no name of this machine: ask 127.0.0.1 or localhost, or start with --host ${hostName(host)}`;
  if (origin !== undefined && !isOwnPage) return `not from a page in a browser: the request has an Origin (${origin})`;
  if (site !== undefined && !NO_OTHER_PAGE.includes(String(site)))
    return `not from a page in a browser: the request has Sec-Fetch-Site: ${site}`;
  return undefined;
}

const hostName = (host: string): string => host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();

function isThisMachine(host: string, names: readonly string[]): boolean {
  const name = hostName(host);
  return THIS_MACHINE.test(name) || names.map(hostName).some((own) => name === own || name.endsWith(`.${own}`));
}

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
