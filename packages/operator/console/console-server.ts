import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type AppList,
  Commands,
  type ConsoleFacts,
  type JsonAnswer,
  PAGE_PATHS,
  PageAccess,
  type RunCommand,
} from '@orderly/console';
import { readCounts } from './counts.js';

/** Contents of a page about one environment. */
export interface ConsoleOptions {
  readonly app: string;
  readonly environment: string;
  /** Command that starts the command line, as its advice names it. */
  readonly program: string;
  readonly run: RunCommand;
  /** Words that each command gets besides: `--environment prod`. */
  readonly common: readonly string[];
  /** Lists that the application has for its operators. */
  readonly lists: readonly AppList[];
  /** The clock of the environment: ISO 8601. */
  readonly now: () => string;
}

/** Longest body of a request, in bytes: a command. */
const LONGEST = 10_000;
const NO_TOKEN = 'Open the address that the command has printed: it has a token.';

/** A page of the command line's own: this machine only, with a random token, and with the rights of who has started it. */
export class ConsoleServer {
  private readonly commands: Commands;
  private readonly access = new PageAccess(() => this.port, NO_TOKEN);
  private readonly server: Server;
  private readonly counts: () => Promise<object>;

  private constructor(private readonly options: ConsoleOptions) {
    this.commands = new Commands(options);
    this.counts = readCounts(this.commands, options.now);
    this.server = createServer((request, response) => {
      void this.respond(request, response).catch((error: Error) => send(response, refusal(500, error.message)));
    });
  }

  /** @param port on 127.0.0.1; 0 for any */
  static async listen(options: ConsoleOptions, port: number): Promise<ConsoleServer> {
    const console = new ConsoleServer(options);
    await new Promise<void>((resolve, reject) => {
      console.server.once('error', reject);
      console.server.listen(port, '127.0.0.1', resolve);
    });
    return console;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Address to open, with its token. */
  get address(): string {
    return this.access.addressAt(`http://127.0.0.1:${this.port}`);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = request;
    const [path = ''] = url.split('?');
    const isFile = method === 'GET' && PAGE_PATHS.some((one) => one === path);
    const refused = this.access.findRefusal(headers, { needsToken: !isFile });
    if (refused) return send(response, refusal(refused.cause === 'token' ? 401 : 403, refused.message));
    const file = isFile ? await this.access.answerFile(url, headers) : undefined;
    if (file) {
      response.writeHead(file.status, { ...file.headers });
      response.end(file.body);
      return;
    }
    send(response, await this.answer(method, url, await readBody(request)));
  }

  private async answer(method: string, url: string, body: string): Promise<JsonAnswer> {
    if (!url.startsWith('/_console/')) return refusal(404, `${url}: the page has no such path`);
    // The paths of the operator's API are names of the same commands.
    const target = url.slice('/_console'.length).replace(/^\/operations\//, '/read/');
    if (target === '/facts') return { status: 200, body: this.facts() };
    if (target === '/counts') return { status: 200, body: await this.counts() };
    const answer = await this.commands.answer({ method, target, body });
    return answer ?? refusal(404, `${method} ${url}: only a local cloud has this`);
  }

  private facts(): ConsoleFacts {
    const { app, environment, lists } = this.options;
    return { name: app, environment, local: false, toys: [], lists, runsCommands: true };
  }
}

const refusal = (status: number, message: string): JsonAnswer => ({ status, body: { message } });

function send(response: ServerResponse, { status, body }: JsonAnswer): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(`${JSON.stringify(body)}\n`);
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > LONGEST) throw new Error(`the body is longer than ${LONGEST} characters`);
  }
  return text;
}
