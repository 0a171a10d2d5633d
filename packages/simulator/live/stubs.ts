import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AnswerStub } from '../cloud/third-parties.js';
import { bodyBytes, type HttpRequest, type HttpResponse, toBody } from '../runtime/http.js';

/** Real milliseconds after which a stub counts as silent: its connection breaks. */
const SILENT_AFTER = 30_000;
/** Headers of a connection, which is another one to the stub. RFC 9110, 7.6.1. */
const OF_CONNECTIONS = ['connection', 'content-length', 'host', 'keep-alive', 'te', 'transfer-encoding', 'upgrade'];

/** Servers that somebody runs in the place of hosts outside of AWS: their answers come by the real network. */
export class Stubs {
  private readonly asked = new Set<Promise<void>>();

  constructor(
    private readonly around: {
      /** Takes an answer at the current time of the account. */
      readonly take: (answer: () => void) => void;
      /** Called with a stub that doesn't answer. */
      readonly log: (line: string) => void;
    },
  ) {}

  /** Whether some request waits for its answer. */
  get isAsked(): boolean {
    return this.asked.size > 0;
  }

  /** Waits until the present requests are answered. */
  async answered(): Promise<void> {
    await Promise.all(this.asked);
  }

  /**
   * Returns the stub of a host.
   * @param address its URL; a path in it comes before the path of each request
   */
  at(host: string, address: string): AnswerStub {
    return (request, then) => {
      const asking = ask(address, request)
        .catch((error: Error) => {
          this.around.log(`the stub of ${host} at ${address} doesn't answer: ${error.message}`);
          return undefined;
        })
        .then((answer) => {
          this.asked.delete(asking);
          this.around.take(() => then(answer));
        });
      this.asked.add(asking);
    };
  }
}

function ask(address: string, { method, host, path, headers, ...body }: HttpRequest): Promise<HttpResponse> {
  const bytes = bodyBytes(body);
  const sent = Object.entries(headers).filter(([name]) => !OF_CONNECTIONS.includes(name));
  const options = {
    method,
    timeout: SILENT_AFTER,
    headers: { ...Object.fromEntries(sent), 'x-forwarded-host': host, 'content-length': bytes.byteLength },
  };
  const url = new URL(`${address.replace(/\/$/, '')}${path}`);
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options, (response) => {
      read(response).then(resolve, reject);
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${SILENT_AFTER / 1000} s`)));
    request.on('error', reject);
    request.end(bytes);
  });
}

async function read(response: IncomingMessage): Promise<HttpResponse> {
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  const headers = Object.entries(response.headers).flatMap(([name, value]) =>
    value === undefined || OF_CONNECTIONS.includes(name) ? [] : [[name, [value].flat().join(', ')] as const],
  );
  return { status: response.statusCode ?? 502, headers: Object.fromEntries(headers), ...toBody(Buffer.concat(chunks)) };
}
