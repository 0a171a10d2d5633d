import type { ApiRequest, ApiResponse } from '../../../packages/simulator/services/apigateway/messages.js';

/** Methods and headers that a page may send without asking before (Fetch standard, "CORS-safelisted"). */
const SAFE_METHODS = new Set(['GET', 'HEAD', 'POST']);
const SAFE_HEADERS = new Set(['accept', 'accept-language', 'content-language', 'range']);
const SAFE_TYPES = new Set(['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain']);
/** Headers of answers that every page may read. */
const READABLE = new Set([
  'cache-control',
  'content-language',
  'content-length',
  'content-type',
  'expires',
  'last-modified',
  'pragma',
]);

/** Error of `fetch` for an answer that the page may not read. A page doesn't learn more than the name. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
}

/** A page in a browser, which asks and hides as the Fetch standard says: without credentials, in mode `cors`. */
export class Page {
  /** Preflight requests that the page caused. */
  readonly preflights: ApiResponse[] = [];

  constructor(
    private readonly origin: string,
    private readonly send: (request: ApiRequest) => Promise<ApiResponse>,
  ) {}

  /**
   * Does what `fetch` does.
   * @returns what the page's script sees of the answer
   * @throws {NetworkError} if the preflight or the answer isn't for this page
   */
  async fetch(request: ApiRequest): Promise<ApiResponse> {
    const headers = Object.keys(request.headers)
      .map((name) => name.toLowerCase())
      .filter((name) => !this.isSafe(name, request))
      .toSorted();
    if (headers.length > 0 || !SAFE_METHODS.has(request.method)) await this.ask(request, headers);
    const answer = await this.send({ ...request, headers: { ...request.headers, Origin: this.origin } });
    this.check(answer);
    const exposed = listed(answer, 'access-control-expose-headers').map((name) => name.toLowerCase());
    const readable = Object.entries(answer.headers).filter(([name]) => READABLE.has(name) || exposed.includes(name));
    return { ...answer, headers: Object.fromEntries(readable) };
  }

  private isSafe(name: string, { headers }: ApiRequest): boolean {
    if (name !== 'content-type') return SAFE_HEADERS.has(name);
    const [, type] = Object.entries(headers).find(([one]) => one.toLowerCase() === name) ?? [];
    return SAFE_TYPES.has(String(type));
  }

  private async ask({ method, path }: ApiRequest, headers: readonly string[]): Promise<void> {
    const preflight = await this.send({
      method: 'OPTIONS',
      path,
      headers: {
        Accept: '*/*',
        Origin: this.origin,
        'Access-Control-Request-Method': method,
        ...(headers.length > 0 && { 'Access-Control-Request-Headers': headers.join(',') }),
      },
    });
    this.preflights.push(preflight);
    this.check(preflight);
    if (preflight.status < 200 || preflight.status > 299) throw new NetworkError(`preflight: ${preflight.status}`);
    const methods = listed(preflight, 'access-control-allow-methods');
    const allowed = listed(preflight, 'access-control-allow-headers').map((name) => name.toLowerCase());
    if (!SAFE_METHODS.has(method) && !methods.includes(method)) throw new NetworkError(`preflight: not ${method}`);
    const refused = headers.filter((name) => !allowed.includes(name));
    if (refused.length > 0) throw new NetworkError(`preflight: not ${refused.join(', ')}`);
  }

  private check({ headers }: ApiResponse): void {
    if (headers['access-control-allow-origin'] !== this.origin) throw new NetworkError('not for this origin');
  }
}

const listed = ({ headers }: ApiResponse, name: string): readonly string[] =>
  (headers[name] ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
