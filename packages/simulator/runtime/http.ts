import { isUtf8 } from 'node:buffer';
import { EventEmitter } from 'node:events';
import { METHODS, STATUS_CODES } from 'node:http';
import { Answer, OF_SERVERS, UnheardServer } from './http-servers.js';
import { completed } from './node-members.js';

/** Body of a message. */
export interface Body {
  /** As text: its bytes are UTF-8 unless there are {@link bytes}. */
  readonly body: string;
  /** Its bytes, where they are no UTF-8, so that the text can't hold them. */
  readonly bytes?: Uint8Array;
}

/** A request as it leaves an environment. */
export interface HttpRequest extends Body {
  readonly method: string;
  /** With its port, if that isn't the usual one of its scheme: `api.example.com`, `localhost:9000`. */
  readonly host: string;
  readonly path: string;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface HttpResponse extends Body {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Outcome of a request for its sender: an answer, or an error of the connection. */
export interface ResponseHandler {
  answer(response: HttpResponse): void;
  /** @param code Node's error code: `ECONNRESET`, `ETIMEDOUT`, `ENOTFOUND` */
  fail(code: string): void;
}

export type Send = (request: HttpRequest, reply: ResponseHandler) => void;

/** Writes bytes down as a body. */
export function toBody(bytes: Uint8Array): Body {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return isUtf8(bytes) ? { body: text } : { body: text, bytes };
}

/** Returns the bytes of a body. */
export const bodyBytes = ({ body, bytes }: Body): Uint8Array => bytes ?? Buffer.from(body);

/** Returns the error of a connection, as Node reports it. @param host of the request, with or without a port */
export function connectionError(code: string, host: string): Error {
  if (code !== 'ENOTFOUND') return Object.assign(new Error(`simulated ${code}`), { code });
  const hostname = host.replace(/:\d+$/, '');
  const error = new Error(`getaddrinfo ENOTFOUND ${hostname}`);
  return Object.assign(error, { errno: -3008, code, syscall: 'getaddrinfo', hostname });
}

interface RequestOptions {
  readonly method?: string;
  readonly protocol?: string;
  readonly host?: string;
  readonly hostname?: string;
  readonly port?: number | string | null;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | number | readonly string[]>>;
  readonly auth?: string;
  readonly signal?: AbortSignal;
  readonly timeout?: number;
}

export interface RequestTimers {
  setTimeout(run: () => void, delay: number): unknown;
  clear(timer: unknown): void;
}

const USUAL_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * Tells whether a client waits for the status 100 before it sends the body, as the AWS SDK does in PutObject of S3. Every host answers it
 * here: nobody refuses a request by its headers alone. RFC 9110, "Expect".
 */
export const expectsContinue = (headers: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(headers).some(([name, value]) => /^expect$/i.test(name) && /^100-continue$/i.test(String(value)));

/** A connection, as far as a client asks for it. It is there at once. */
class Socket extends EventEmitter {
  readonly connecting = false;
  readonly destroyed = false;
  readonly writable = true;
  readonly encrypted = true;
  readonly authorized = true;
  setKeepAlive(): void {}
  setNoDelay(): void {}
  setTimeout(): void {}
  ref(): void {}
  unref(): void {}
  end(): void {}
  destroy(): void {}
}

/** The part of `http.ClientRequest` that clients use: the AWS SDK's HTTP handler, and those of third parties. */
class ClientRequest extends EventEmitter {
  readonly method: string;
  readonly path: string;
  readonly protocol: string;
  readonly host: string;
  /** Clients tell a request from a response by it. */
  readonly writable = true;
  destroyed = false;
  writableEnded = false;
  aborted = false;
  private readonly headers = new Map<string, string>();
  private readonly chunks: Buffer[] = [];
  private over = false;
  private hasContinued = false;
  private idle: unknown;
  private connection: Socket | undefined;

  constructor(
    options: RequestOptions,
    private readonly send: Send,
    private readonly timers: RequestTimers,
  ) {
    super();
    const { method = 'GET', protocol = 'https:', host, hostname, port, path = '/', headers = {} } = options;
    this.method = method.toUpperCase();
    this.path = path;
    this.protocol = protocol;
    const named = hostname ?? host ?? 'localhost';
    const isUsual = port === undefined || port === null || port === '' || String(port) === USUAL_PORTS[protocol];
    this.host = isUsual || named.includes(':') ? named : `${named}:${port}`;
    for (const name in headers) this.setHeader(name, headers[name] ?? '');
    if (options.auth !== undefined && !this.headers.has('authorization'))
      this.setHeader('authorization', `Basic ${Buffer.from(options.auth).toString('base64')}`);
    if (options.timeout !== undefined) this.setTimeout(options.timeout);
    const { signal } = options;
    const aborts = (): unknown => this.destroy(signal?.reason as Error);
    if (signal?.aborted) process.nextTick(aborts);
    else signal?.addEventListener('abort', aborts, { once: true });
    // A client that listens for it does so at once.
    process.nextTick(() => {
      if (!this.over && this.listenerCount('socket') > 0) this.emit('socket', this.socket);
      this.continue();
    });
  }

  get socket(): Socket {
    this.connection ??= new Socket();
    return this.connection;
  }

  setHeader(name: string, value: string | number | readonly string[]): this {
    this.headers.set(name.toLowerCase(), Array.isArray(value) ? value.join(', ') : String(value));
    return this;
  }

  getHeader(name: string): string | undefined {
    return this.headers.get(name.toLowerCase());
  }

  getHeaders(): Record<string, string> {
    return Object.fromEntries(this.headers);
  }

  hasHeader(name: string): boolean {
    return this.headers.has(name.toLowerCase());
  }

  removeHeader(name: string): void {
    this.headers.delete(name.toLowerCase());
  }

  flushHeaders(): void {
    process.nextTick(() => this.continue());
  }

  /** Tells a client that asks for it that it may send the body. */
  private continue(): void {
    if (this.over || this.hasContinued || !expectsContinue(this.getHeaders())) return;
    this.hasContinued = true;
    this.emit('continue');
  }

  setNoDelay(): void {}
  setSocketKeepAlive(): void {}

  write(chunk: string | Uint8Array, ...more: readonly unknown[]): boolean {
    const encoding = more.find((one) => typeof one === 'string') as BufferEncoding | undefined;
    // Not `from`: it asks bytes for their `valueOf`, of which the SDK's request bodies warn in the function's log.
    this.chunks.push(typeof chunk === 'string' ? Buffer.from(chunk, encoding) : Buffer.copyBytesFrom(chunk));
    callLater(more);
    return true;
  }

  end(...args: readonly unknown[]): this {
    const [chunk, ...more] = args;
    if (chunk !== undefined && chunk !== null && typeof chunk !== 'function')
      this.write(chunk as string | Uint8Array, ...more.filter((one) => typeof one === 'string'));
    callLater(args);
    if (this.over || this.writableEnded) return this;
    this.writableEnded = true;
    if (this.listenerCount('finish') > 0) process.nextTick(() => this.emit('finish'));
    const { method, host, path } = this;
    this.send(
      { method, host, path, headers: this.getHeaders(), ...toBody(Buffer.concat(this.chunks)) },
      { answer: (response) => this.answer(response), fail: (code) => this.fail(code) },
    );
    return this;
  }

  setTimeout(delay: number, onTimeout?: () => void): this {
    this.timers.clear(this.idle);
    if (delay > 0 && !this.over)
      this.idle = this.timers.setTimeout(() => {
        onTimeout?.();
        this.emit('timeout');
      }, delay);
    return this;
  }

  abort(): void {
    this.aborted = true;
    this.destroy();
  }

  destroy(error?: Error): this {
    if (!this.finish() && error) this.emit('error', error);
    return this;
  }

  private answer({ status, headers, ...body }: HttpResponse): void {
    if (this.finish()) return;
    this.emit('response', new IncomingMessage(status, headers, body, this));
  }

  private fail(code: string): void {
    if (this.finish()) return;
    this.emit('error', connectionError(code, this.host));
  }

  /** @returns whether it had ended before */
  private finish(): boolean {
    const before = this.over;
    this.over = true;
    this.destroyed = true;
    this.timers.clear(this.idle);
    return before;
  }
}

/** Calls the callback among the arguments of `write` or `end`, as Node does: when the data is on its way. */
function callLater(args: readonly unknown[]): void {
  const callback = args.find((one) => typeof one === 'function');
  if (callback) process.nextTick(callback as () => void);
}

/** The part of `http.IncomingMessage` that clients use. */
class IncomingMessage extends Answer {
  readonly httpVersion = '1.1';
  readonly statusMessage: string;
  /** Whether all of it has been received. It never comes in part. */
  readonly complete = true;
  readonly trailers = {};
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly rawHeaders: readonly string[];
  /** All of it, for a client that reads no stream. */
  readonly body: string;

  constructor(
    readonly statusCode: number,
    headers: HttpResponse['headers'],
    private readonly content: Body,
    /** Request that it answers: a client that measures reads its host and path there, as the X-Ray SDK does. */
    readonly req: { readonly socket: object },
  ) {
    super();
    const { 'set-cookie': cookie } = headers;
    this.headers = cookie === undefined ? headers : { ...headers, 'set-cookie': [cookie] };
    this.rawHeaders = Object.entries(headers).flat();
    this.statusMessage = STATUS_CODES[statusCode] ?? '';
    this.body = content.body;
  }

  get socket(): object {
    return this.req.socket;
  }

  setTimeout(): this {
    return this;
  }

  override _read(): void {
    const bytes = bodyBytes(this.content);
    if (bytes.length > 0) this.push(Buffer.from(bytes));
    this.push(null);
  }
}

class Agent {
  readonly keepAlive = true;
  readonly maxSockets = Number.POSITIVE_INFINITY;
  readonly options: object;

  constructor(options: object = {}) {
    this.options = options;
  }

  destroy(): void {}
}

/** A request's address in words or as a URL, its options, and who gets the response. */
type RequestArguments = readonly (string | URL | RequestOptions | ((response: unknown) => void) | undefined)[];

function parseArguments(args: RequestArguments, protocol: string): RequestOptions {
  const options: Record<string, unknown> = { protocol };
  for (const one of args) {
    if (typeof one === 'string' || one instanceof URL) Object.assign(options, toRequestOptions(new URL(one)));
    else if (typeof one === 'object') Object.assign(options, one);
  }
  return options;
}

const toRequestOptions = ({ protocol, hostname, port, pathname, search, username, password }: URL): RequestOptions => ({
  protocol,
  hostname,
  path: `${pathname}${search}`,
  ...(port !== '' && { port }),
  ...(username !== '' && { auth: `${decodeURIComponent(username)}:${decodeURIComponent(password)}` }),
});

/**
 * Replaces `node:http` or `node:https`: every request goes to `send`, none to the network. Nobody can connect to a function, so
 * it starts no server.
 * @param protocol `http:` or `https:`
 */
export function createHttpModule(send: Send, timers: RequestTimers, protocol: string): object {
  const request = (...args: RequestArguments): ClientRequest => {
    const request = new ClientRequest(parseArguments(args, protocol), send, timers);
    const onResponse = args.find((one) => typeof one === 'function');
    if (onResponse) request.once('response', onResponse as () => void);
    return request;
  };
  const get = (...args: RequestArguments): ClientRequest => request(...args).end();
  const globalAgent = new Agent();
  return completed(protocol.slice(0, -1), {
    ...(protocol === 'http:' && OF_SERVERS),
    Agent,
    ClientRequest,
    METHODS,
    STATUS_CODES,
    Server: UnheardServer,
    createServer: (...args: readonly unknown[]) => new UnheardServer(...args),
    get,
    globalAgent,
    request,
  });
}
