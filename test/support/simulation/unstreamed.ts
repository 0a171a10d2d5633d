import { request as open } from 'node:https';
import type { Readable } from 'node:stream';

/** The part of a request that the SDK's clients fill in. */
interface Request {
  readonly method: string;
  readonly hostname: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly headers: Record<string, string>;
  readonly body?: string | Uint8Array;
}

/** An answer of a simulated service: all of it is there at once. */
interface Answer extends Readable {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Response {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | Readable;
}

/** Codes of connections that end too early. The SDK tries again after them, as after a timeout. */
const CUT = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

/**
 * Replaces `@smithy/node-http-handler` in the packages that simulated functions share. It sends the same requests, but sets no timers for
 * sockets, which a simulated request doesn't have, and it hands most answers to the client as bytes instead of as a stream.
 */
export class NodeHttpHandler {
  readonly metadata = { handlerProtocol: 'http/1.1' };

  static create(): NodeHttpHandler {
    return new NodeHttpHandler();
  }

  handle({ method, hostname, path, query, headers, body }: Request): Promise<{ readonly response: Response }> {
    return new Promise((resolve, reject) => {
      const request = open({ method, hostname, path: path + toQueryString(query), headers }, (message) => {
        // Protocols with this header have no streams. Others may: an object of S3 is read as one.
        const whole = headers['x-amz-target'] !== undefined;
        resolve({ response: toResponse(message as unknown as Answer, whole) });
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        reject(CUT.has(error.code ?? '') ? Object.assign(error, { name: 'TimeoutError' }) : error);
      });
      request.end(body);
    });
  }

  updateHttpClientConfig(): void {}

  httpHandlerConfigs(): object {
    return {};
  }

  destroy(): void {}
}

function toResponse(answer: Answer, whole: boolean): Response {
  const { statusCode, headers, body } = answer;
  return { statusCode, headers: { ...headers }, body: whole ? Buffer.from(body) : answer };
}

function toQueryString(query: Request['query'] = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) for (const each of [value].flat()) search.append(name, each ?? '');
  return search.size === 0 ? '' : `?${search}`;
}

/** Returns the bytes of a stream. */
export const streamCollector = async (stream: Readable): Promise<Uint8Array> => Buffer.concat(await stream.toArray());
