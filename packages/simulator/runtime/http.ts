import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';

/** A request as it leaves an environment. */
export interface HttpRequest {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Outcome of a request for its sender: an answer, or an error of the connection. */
export interface Reply {
  answer(response: HttpResponse): void;
  /** @param code Node's error code: `ECONNRESET`, `ETIMEDOUT` */
  fail(code: string): void;
}

type Send = (request: HttpRequest, reply: Reply) => void;

interface RequestOptions {
  readonly method?: string;
  readonly host?: string;
  readonly hostname?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | number>>;
}

/** The part of `http.ClientRequest` that the AWS SDK's HTTP handler, and clients of third parties, use. */
class ClientRequest extends EventEmitter {
  private readonly chunks: Buffer[] = [];
  private over = false;
  private idle: unknown;

  constructor(
    private readonly options: RequestOptions,
    private readonly send: Send,
    private readonly timers: {
      setTimeout(run: () => void, delay: number): unknown;
      clear(timer: unknown): void;
    },
  ) {
    super();
  }

  write(chunk: string | Uint8Array): boolean {
    this.chunks.push(Buffer.from(chunk as Uint8Array));
    return true;
  }

  end(chunk?: string | Uint8Array): this {
    if (chunk !== undefined) this.write(chunk);
    const { method = 'GET', host, hostname, path = '/', headers = {} } = this.options;
    const lower: Record<string, string> = {};
    for (const name in headers) lower[name.toLowerCase()] = String(headers[name]);
    const body = Buffer.concat(this.chunks).toString('utf8');
    this.send(
      { method, host: host ?? hostname ?? '', path, headers: lower, body },
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

  destroy(error?: Error): this {
    if (!this.finish() && error) this.emit('error', error);
    return this;
  }

  private answer({ status, headers, body }: HttpResponse): void {
    if (this.finish()) return;
    this.emit('response', new IncomingMessage(status, headers, body));
  }

  private fail(code: string): void {
    if (this.finish()) return;
    this.emit('error', Object.assign(new Error(`simulated ${code}`), { code }));
  }

  /** @returns whether it had ended before */
  private finish(): boolean {
    const before = this.over;
    this.over = true;
    this.timers.clear(this.idle);
    return before;
  }
}

/** The part of `http.IncomingMessage` that the SDK's HTTP handler uses. */
class IncomingMessage extends Readable {
  readonly statusMessage = '';
  /** Whether all of it has been received. It never comes in part. */
  readonly complete = true;

  constructor(
    readonly statusCode: number,
    readonly headers: HttpResponse['headers'],
    /** All of it, for a client that reads no stream. */
    readonly body: string,
  ) {
    super();
  }

  override _read(): void {
    if (this.body !== '') this.push(Buffer.from(this.body));
    this.push(null);
  }
}

class Agent {
  readonly keepAlive = true;
  readonly maxSockets = Number.POSITIVE_INFINITY;
  destroy(): void {}
}

/** Replaces `node:https` (and `node:http`): every request goes to `send`, none to the network. */
export function httpModule(send: Send, timers: ConstructorParameters<typeof ClientRequest>[2]): object {
  const request = (options: RequestOptions, onResponse?: (response: unknown) => void): ClientRequest => {
    const request = new ClientRequest(options, send, timers);
    if (onResponse) request.once('response', onResponse);
    return request;
  };
  return { Agent, request, globalAgent: new Agent() };
}
