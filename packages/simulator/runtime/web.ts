import { STATUS_CODES } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { Random } from '../engine/random.js';
import { bodyBytes, connectionError, type HttpResponse, type Send, toBody } from './http.js';

/** Sources of what the web's globals of an environment need from outside. */
export interface WebSources {
  readonly send: Send;
  readonly random: () => Random;
  readonly setTimeout: (run: () => void, delay: number) => unknown;
  /** Lets another thread work. @param begin tells what came of it */
  readonly work: (begin: (tell: (told: () => void) => void) => void) => void;
  /** Parses JSON to objects of the environment's realm. */
  readonly parse: (json: string) => unknown;
}

/** WHATWG Fetch, "HTTP-redirect fetch": a request is redirected at most this often. */
const MOST_REDIRECTS = 20;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** WHATWG Fetch, "null body status". */
const WITHOUT_BODY = new Set([101, 103, 204, 205, 304]);

const DECODERS: Readonly<Record<string, (bytes: Uint8Array) => Buffer>> = {
  gzip: (bytes) => gunzipSync(bytes),
  'x-gzip': (bytes) => gunzipSync(bytes),
  deflate: (bytes) => inflateSync(bytes),
  br: (bytes) => brotliDecompressSync(bytes),
};

/** A request of `fetch` on its way. */
interface Sent {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: Uint8Array | undefined;
}

/**
 * Returns the globals of the web's platform through which code reaches what is outside, or which draw random numbers: `fetch`
 * with Node's own `Request` and `Response`, `AbortSignal.timeout` by the environment's clock, and streams that compress.
 * What has no model refuses at once. WHATWG, "Fetch Standard" and "DOM Standard".
 */
export function createWebGlobals({ send, random, setTimeout, work, parse }: WebSources) {
  /** Node draws the boundary of a form itself, so that a seed would not be one history. */
  const withBoundary = <T extends { readonly body?: unknown }>(init: T | undefined): T | undefined =>
    init?.body instanceof FormData ? { ...init, body: encodeFormData(init.body, random().id(16)) } : init;

  class OwnRequest extends Request {
    constructor(input: ConstructorParameters<typeof Request>[0], init?: RequestInit) {
      super(input, withBoundary(init));
    }
  }

  class OwnResponse extends Response {
    constructor(body?: ConstructorParameters<typeof Response>[0], init?: ResponseInit) {
      super(body instanceof FormData ? encodeFormData(body, random().id(16)) : body, init);
    }
  }
  for (const [Own, Real] of [
    [OwnRequest, Request],
    [OwnResponse, Response],
  ] as const) {
    Object.defineProperty(Own, 'name', { value: Real.name });
    Object.assign(Own.prototype, {
      async json(this: Request | Response) {
        return parse(await this.text());
      },
      clone(this: Request | Response) {
        return Object.setPrototypeOf((Real.prototype.clone as () => object).call(this), Own.prototype);
      },
    });
  }

  const sent = (request: Sent, signal: AbortSignal): Promise<HttpResponse> =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const { method, url, headers, body } = request;
      const aborts = (): void => reject(signal.reason);
      signal.addEventListener('abort', aborts, { once: true });
      const ends = (): void => signal.removeEventListener('abort', aborts);
      const message = {
        method,
        host: url.host,
        path: `${url.pathname}${url.search}`,
        headers: Object.fromEntries([...headers].map(([name, value]) => [name.toLowerCase(), value])),
        ...toBody(body ?? new Uint8Array()),
      };
      send(message, {
        answer: (response) => {
          ends();
          resolve(response);
        },
        fail: (code) => {
          ends();
          reject(new TypeError('fetch failed', { cause: connectionError(code, url.host) }));
        },
      });
    });

  const fetch = async (input: ConstructorParameters<typeof Request>[0], init?: RequestInit): Promise<Response> => {
    const request = new OwnRequest(input, init);
    const { signal, redirect } = request;
    signal.throwIfAborted();
    const body = request.body ? new Uint8Array(await request.arrayBuffer()) : undefined;
    let next: Sent = {
      method: request.method,
      url: parseHttpUrl(request.url),
      headers: withDefaults(request, body),
      body,
    };
    for (let redirects = 0; ; redirects++) {
      const response = await sent(next, signal);
      const to = REDIRECTS.has(response.status) ? response.headers.location : undefined;
      if (to !== undefined && redirect === 'error') throw failed('unexpected redirect');
      if (to === undefined || redirect === 'manual')
        return responseTo(next, response, redirects > 0, (content, init) => new OwnResponse(content, init));
      if (redirects === MOST_REDIRECTS) throw failed('redirect count exceeded');
      next = followRedirect(next, response.status, parseHttpUrl(new URL(to, next.url).href));
    }
  };

  // `instanceof AbortSignal` is true for the signals of Node's own controllers, too.
  const OwnAbortSignal = new Proxy(AbortSignal, {
    get: (target, name) => (name === 'timeout' ? timeout : Reflect.get(target, name)),
  });
  const timeout = (delay: number): AbortSignal => {
    const controller = new AbortController();
    const reason = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
    setTimeout(() => controller.abort(reason), delay);
    return controller.signal;
  };

  return {
    fetch,
    Request: OwnRequest,
    Response: OwnResponse,
    AbortSignal: OwnAbortSignal,
    CompressionStream: createCompressionClass(CompressionStream, work),
    DecompressionStream: createCompressionClass(DecompressionStream, work),
    WebSocket: createRefusingClass('WebSocket'),
    EventSource: createRefusingClass('EventSource'),
  };
}

/** @throws {TypeError} for what isn't reached over HTTP */
function parseHttpUrl(address: string): URL {
  const url = new URL(address);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw failed(`unknown scheme ${url.protocol}`);
  return url;
}

const failed = (why: string): TypeError => new TypeError('fetch failed', { cause: new Error(why) });

/** Returns the headers of a request, with those that Node's `fetch` adds. */
function withDefaults({ headers: own }: Request, body: Uint8Array | undefined): Headers {
  const headers = new Headers(own);
  const defaults = { accept: '*/*', 'accept-encoding': 'gzip, deflate', 'accept-language': '*', 'user-agent': 'node' };
  for (const [name, value] of Object.entries(defaults)) if (!headers.has(name)) headers.set(name, value);
  headers.delete('content-length');
  if (body) headers.set('content-length', String(body.byteLength));
  return headers;
}

/** WHATWG Fetch, "HTTP-redirect fetch", steps 12 to 14: which requests become GET, and what isn't told to another origin. */
function followRedirect({ method, url, headers: before, body }: Sent, status: number, to: URL): Sent {
  const headers = new Headers(before);
  const becomesGet =
    (status === 303 && method !== 'GET' && method !== 'HEAD') ||
    ((status === 301 || status === 302) && method === 'POST');
  if (becomesGet) for (const name of [...headers.keys()]) if (name.startsWith('content-')) headers.delete(name);
  if (to.origin !== url.origin) for (const name of ['authorization', 'cookie', 'host']) headers.delete(name);
  return { method: becomesGet ? 'GET' : method, url: to, headers, body: becomesGet ? undefined : body };
}

function responseTo(
  { url, method }: Sent,
  { status, headers, ...body }: HttpResponse,
  wasRedirected: boolean,
  make: (body: Uint8Array<ArrayBuffer> | null, init: ResponseInit) => Response,
): Response {
  const hasBody = !WITHOUT_BODY.has(status) && method !== 'HEAD';
  const encodings = (headers['content-encoding'] ?? '').split(',').map((one) => one.trim().toLowerCase());
  const decoded = (): Uint8Array =>
    encodings.reduceRight((bytes, one) => DECODERS[one]?.(bytes) ?? bytes, bodyBytes(body));
  const statusText = STATUS_CODES[status] ?? '';
  const response = make(hasBody ? new Uint8Array(decoded()) : null, { status, statusText, headers });
  return Object.defineProperties(response, {
    url: { value: url.href.replace(/#.*/, '') },
    redirected: { value: wasRedirected },
    type: { value: 'basic' },
  });
}

/** RFC 7578, "Returning Values from Forms: multipart/form-data"; HTML, "multipart/form-data encoding algorithm". */
function encodeFormData(form: FormData, id: string): Blob {
  const boundary = `----formdata-${id}`;
  const named = (text: string): string => text.replace(/\r\n?|\n/g, '%0D%0A').replaceAll('"', '%22');
  const parts: (string | Blob)[] = [];
  for (const [name, value] of form) {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${named(name)}"`;
    if (typeof value === 'string') parts.push(`${head}\r\n\r\n${value.replace(/\r\n?|\n/g, '\r\n')}\r\n`);
    else {
      const type = value.type === '' ? 'application/octet-stream' : value.type;
      parts.push(`${head}; filename="${named(value.name)}"\r\nContent-Type: ${type}\r\n\r\n`, value, '\r\n');
    }
  }
  return new Blob([...parts, `--${boundary}--\r\n`], { type: `multipart/form-data; boundary=${boundary}` });
}

/** A stream of the web that compresses in another thread: what comes out of it comes within the turn. */
function createCompressionClass<T extends typeof CompressionStream | typeof DecompressionStream>(
  Real: T,
  work: WebSources['work'],
): new (
  format: ConstructorParameters<T>[0],
) => TransformStream {
  return class extends TransformStream<Uint8Array, Uint8Array> {
    constructor(format: ConstructorParameters<T>[0]) {
      const real = new Real(format);
      const writer = real.writable.getWriter();
      const chunks: Uint8Array[] = [];
      super({
        transform: (chunk) => void chunks.push(chunk),
        flush: (controller) =>
          new Promise<void>((resolve, reject) =>
            work((tell) => {
              const out = new Response(real.readable as unknown as ReadableStream).arrayBuffer();
              for (const chunk of chunks) void writer.write(chunk as Uint8Array<ArrayBuffer>).catch(() => undefined);
              void writer.close().catch(() => undefined);
              out.then(
                (bytes) =>
                  tell(() => {
                    controller.enqueue(new Uint8Array(bytes));
                    resolve();
                  }),
                (error) => tell(() => reject(error)),
              );
            }),
          ),
      });
    }
  };
}

/** A class of a connection that stays open: no model answers it. */
function createRefusingClass(name: string): new (url: string) => object {
  const refuse = class {
    constructor(url: string) {
      throw new Error(`${name} to ${url}: connections that stay open are not simulated; fetch and node:https are`);
    }
  };
  return Object.defineProperty(refuse, 'name', { value: name });
}
