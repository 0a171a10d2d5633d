import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { bodyBytes, toBody as bodyFrom, type HttpRequest, type HttpResponse } from '../runtime/http.js';
import type { ApiRequest, ApiResponse } from '../services/apigateway/messages.js';
import { findEndpoint } from './api-addresses.js';
import type { Control } from './control.js';
import { withLocalCorsHeaders } from './cors.js';
import { answerWithFile, DOCS } from './docs.js';
import { EVENTS, HappeningStream } from './happening-stream.js';
import type { LiveCloud } from './live-cloud.js';
import { LocalPage, type PageOptions } from './local-page.js';
import { withOrderlyEnd } from './orderly-end.js';
import { CONTROL } from './path.js';

/** Port that is taken where it is free: the one that emulators of AWS use. */
export const DEFAULT_PORT = 4566;
/** Ports that are tried after the usual one. */
const TRIED = 100;
/** Largest request, in bytes: more than any service takes. */
const LARGEST = 64 * 1024 * 1024;

export interface ServerOptions {
  readonly live: LiveCloud;
  readonly control: Control;
  /** Port on 127.0.0.1. @default 4566, or else the next free one */
  readonly port?: number;
  /** Names of this machine that a request's `Host` may have, with their subdomains. @default `localhost` and 127.0.0.1 only */
  readonly hosts?: readonly string[] | undefined;
  /** Folder whose files are served below `/_docs/`. @default none */
  readonly docs?: string | undefined;
  /** Facts of the app for the page at `/`. @default what the local cloud knows by itself */
  readonly page?: PageOptions | undefined;
}

/** A port that somebody asked for by its number is in use. */
export class PortInUse extends Error {
  override readonly name = 'PortInUse';
}

/** A body that can't be taken. */
class BadBody extends Error {
  override readonly name = 'BadBody';

  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** The account behind one port of 127.0.0.1: its API, the protocols of AWS, and its control. */
export class LiveServer {
  private constructor(
    private readonly end: () => Promise<void>,
    readonly port: number,
    private readonly page: LocalPage,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Address of the page, with its token. */
  get pageUrl(): string {
    return this.page.addressAt(this.url);
  }

  /** @throws {PortInUse} if the port that was asked for is in use */
  static async listen(options: ServerOptions): Promise<LiveServer> {
    const { port, live, hosts } = options;
    const stream = new HappeningStream(live.happenings);
    const page = new LocalPage(live, options.page ?? {}, () => (server.address() as AddressInfo).port);
    const server = createServer((request, response) => {
      const [path] = readPath(request.url ?? '/').split('?');
      if (path === EVENTS && refusalOf(request, page, hosts) === undefined) {
        stream.answer(request, response);
        return;
      }
      if (streamsPage(request, page) && refusalOf(request, page, hosts) === undefined) {
        void readBody(request).then(
          (body) => page.stream(body.toString('utf8'), response),
          () => response.destroy(),
        );
        return;
      }
      void answerTo(request, page, options)
        .catch((error: Error): HttpResponse => {
          const status = error instanceof BadBody ? error.status : 500;
          return { status, headers: { 'content-type': 'text/plain' }, body: `${error.message}\n` };
        })
        .then((answer) => write(response, answer));
    });
    // Clients keep connections for minutes; the end of the server ends them.
    server.keepAliveTimeout = 60_000;
    const end = withOrderlyEnd(server);
    const taken = port === undefined ? await firstFree(server) : await listens(server, port);
    if (!taken) throw new PortInUse(`port ${port} of 127.0.0.1 is in use: choose another one with --port`);
    return new LiveServer(end, (server.address() as AddressInfo).port, page);
  }

  stop(): Promise<void> {
    this.page.stop();
    return this.end();
  }
}

async function firstFree(server: Server): Promise<boolean> {
  for (let port = DEFAULT_PORT; port < DEFAULT_PORT + TRIED; port++) if (await listens(server, port)) return true;
  return listens(server, 0);
}

/** @returns false if the port is in use */
function listens(server: Server, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const refused = (error: NodeJS.ErrnoException): void => {
      server.off('listening', accepted);
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false);
      else reject(error);
    };
    const accepted = (): void => {
      server.off('error', refused);
      resolve(true);
    };
    server.once('error', refused);
    server.once('listening', accepted);
    server.listen(port, '127.0.0.1');
  });
}

/** Says why a request is refused: it may be of a page that nobody has opened for it. */
function refusalOf(
  { headers, url = '/', method = 'GET' }: IncomingMessage,
  page: LocalPage,
  hosts: readonly string[] = [],
): string | undefined {
  const refusal = page.findRefusal({ method, target: readPath(url), headers }, hosts);
  const advice = refusal?.cause === 'host' ? `, or start with --host ${headers.host?.replace(/:\d*$/, '')}` : '';
  return refusal && refusal.message + advice;
}

const streamsPage = ({ method = 'GET', url = '/' }: IncomingMessage, page: LocalPage): boolean =>
  page.streams(method, readPath(url));

async function answerTo(
  request: IncomingMessage,
  page: LocalPage,
  { live, control, hosts, docs }: ServerOptions,
): Promise<HttpResponse> {
  const { method = 'GET' } = request;
  const url = readPath(request.url ?? '/');
  const isControl = url === CONTROL || url.startsWith(`${CONTROL}/`);
  const api = isControl ? undefined : findEndpoint(live.cloud.apis, url, request.headers.host);
  // Whoever calls the API has a token, which pages don't have; its answers say which pages may read them.
  const refusal = api ? undefined : refusalOf(request, page, hosts);
  if (refusal !== undefined) {
    request.resume();
    return {
      status: 403,
      headers: { 'content-type': 'application/json' },
      body: `${JSON.stringify({ message: refusal })}\n`,
    };
  }
  const bytes = await readBody(request);
  if (api) {
    // The gateway makes text of any bytes, and unpacks none: templates can't ask for it (`MinimumCompressionSize`).
    const body = bytes.toString('utf8');
    const sent: ApiRequest = { method, path: api.path, headers: readRawHeaders(request), ...(body !== '' && { body }) };
    return withLocalCorsHeaders(sent, await live.request(sent, api.number));
  }
  const asked = { method, target: url, headers: request.headers, body: bytes.toString('utf8') };
  if (page.serves(asked)) return page.answer(asked);
  if (docs !== undefined && url.startsWith(`${DOCS}/`)) return answerWithFile(docs, method, url);
  // Somebody asks whether something is here, as tools for emulators do.
  const isQuestion = url === '/' && method === 'GET' && request.headers.authorization === undefined;
  if (isQuestion || isControl)
    return control.answer({ method, path: isQuestion ? CONTROL : url, body: bytes.toString('utf8') });
  return live.handleAwsRequest(awsRequest(request, url, decompress(request, bytes)));
}

/** RFC 9112, 3.2.2: a target may be a whole address, as for a proxy. */
const readPath = (target: string): string => target.replace(/^https?:\/\/[^/?]+(?=\/|$)/i, '') || '/';

function awsRequest(request: IncomingMessage, path: string, bytes: Buffer): HttpRequest {
  const headers = Object.entries(request.headers).map(([name, value]) => [name, [value].flat().join(',')]);
  const { method = 'GET' } = request;
  return {
    method,
    host: request.headers.host ?? '',
    path,
    headers: Object.fromEntries(headers),
    ...bodyFrom(bytes),
  };
}

/** Headers as they were written; one that was sent more than once has a list. */
function readRawHeaders({ rawHeaders }: IncomingMessage): Record<string, string | readonly string[]> {
  const found = new Map<string, { name: string; values: string[] }>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    const known = found.get(name.toLowerCase()) ?? { name, values: [] };
    known.values.push(rawHeaders[at + 1] ?? '');
    found.set(name.toLowerCase(), known);
  }
  return Object.fromEntries(
    [...found.values()].map(({ name, values }) => [name, values.length === 1 ? (values[0] as string) : values]),
  );
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= LARGEST) chunks.push(chunk);
  }
  if (length > LARGEST) throw new BadBody(413, `The body has ${length} bytes: at most ${LARGEST} were expected.`);
  return Buffer.concat(chunks);
}

/** Returns the bytes of a request to AWS: clients may pack them. S3 stores an object as it was sent. */
function decompress({ headers }: IncomingMessage, whole: Buffer): Buffer {
  if (headers['content-encoding'] !== 'gzip' || headers.authorization?.includes('/s3/aws4_request')) return whole;
  try {
    return gunzipSync(whole);
  } catch (error) {
    throw new BadBody(400, `The body is no gzip: ${(error as Error).message}`);
  }
}

function write(response: ServerResponse, answer: HttpResponse & Pick<ApiResponse, 'cookies'>): void {
  const { status, headers, cookies, ...body } = answer;
  const bytes = bodyBytes(body);
  // An answer to HEAD tells the length that one to GET would have. RFC 9110, 9.3.2.
  const told = response.req.method === 'HEAD' ? headers['content-length'] : undefined;
  response.writeHead(status, {
    ...headers,
    ...(cookies && { 'set-cookie': [...cookies] }),
    'content-length': told ?? bytes.length,
  });
  response.end(bytes);
}
