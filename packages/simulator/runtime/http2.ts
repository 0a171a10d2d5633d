import { EventEmitter } from 'node:events';
import { Duplex } from 'node:stream';
import {
  bodyBytes,
  connectionError,
  expectsContinue,
  type HttpResponse,
  type RequestTimers,
  type Send,
  toBody,
} from './http.js';
import { UnheardServer } from './http-servers.js';
import { completed } from './node-members.js';

/** Headers of a request, with its method and path among them: `:method`, `:path`. */
type Headers = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** The part of `http2.ClientHttp2Stream` that the AWS SDK's HTTP/2 handler uses: one request and its response. */
class RequestStream extends Duplex {
  readonly rstCode = 0;
  readonly aborted = false;
  private readonly chunks: Buffer[] = [];
  private idle: unknown;

  constructor(
    private readonly host: string,
    private readonly requested: Headers,
    private readonly send: Send,
    private readonly timers: RequestTimers,
  ) {
    super();
    if (expectsContinue(requested)) process.nextTick(() => this.destroyed || this.emit('continue'));
  }

  override _write(chunk: Uint8Array, _encoding: string, done: () => void): void {
    this.chunks.push(Buffer.copyBytesFrom(chunk));
    done();
  }

  override _final(done: () => void): void {
    done();
    const { ':method': method = 'GET', ':path': path = '/', ...others } = this.requested;
    const headers = Object.entries(others).filter(([name, value]) => !name.startsWith(':') && value !== undefined);
    const { host } = this;
    const request = {
      method: String(method),
      host,
      path: String(path),
      headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), String(value)])),
      ...toBody(Buffer.concat(this.chunks)),
    };
    this.send(request, {
      answer: (response) => this.answer(response),
      fail: (code) => void this.destroy(connectionError(code, host)),
    });
  }

  override _read(): void {}

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.timers.clear(this.idle);
    done(error);
  }

  setTimeout(delay: number, onTimeout?: () => void): void {
    this.timers.clear(this.idle);
    if (delay > 0 && onTimeout) this.idle = this.timers.setTimeout(onTimeout, delay);
  }

  close(): void {
    this.destroy();
  }

  private answer({ status, headers, ...body }: HttpResponse): void {
    if (this.destroyed) return;
    this.timers.clear(this.idle);
    this.emit('response', { ':status': status, ...headers });
    const bytes = bodyBytes(body);
    if (bytes.length > 0) this.push(Buffer.from(bytes));
    this.push(null);
  }
}

/** The part of `http2.ClientHttp2Session` that clients use. It is connected at once. */
class Session extends EventEmitter {
  closed = false;
  destroyed = false;

  constructor(
    private readonly host: string,
    private readonly send: Send,
    private readonly timers: RequestTimers,
  ) {
    super();
  }

  request(headers: Headers): RequestStream {
    return new RequestStream(this.host, headers, this.send, this.timers);
  }

  settings(_settings: object, done?: (error: Error | null) => void): void {
    done?.(null);
  }

  ref(): void {}
  unref(): void {}
  /** A session that nobody uses is no work of the environment, so it may stay. */
  setTimeout(): void {}

  close(): void {
    this.closed = true;
  }

  destroy(): void {
    this.closed = true;
    this.destroyed = true;
  }
}

/** Replaces `node:http2` for clients: every request goes to `send`, none to the network. A function starts no server. */
export function createHttp2Module(send: Send, timers: RequestTimers): object {
  const connect = (authority: string | URL): Session => new Session(new URL(authority).host, send, timers);
  const createServer = (...args: readonly unknown[]) => new UnheardServer(...args);
  return completed('http2', {
    connect,
    createServer,
    createSecureServer: createServer,
  });
}
