import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Call, type CallFilter, type Capacity, type Fault, FaultPlan, WRITES } from './faults.js';

/** A proxy between functions and their endpoint; see `ProxyControl` for what tests ask of it. */
export interface FaultProxy {
  /** `http://127.0.0.1:<port>`; functions call it as `<url>/<function name>/<pid>/<the endpoint's path>`. */
  readonly url: string;
  /** To be called once, before the first function runs. */
  forwardTo(endpoint: string): void;
  stop(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

interface Attempt {
  readonly functionName: string;
  readonly pid: number;
  readonly service: string;
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Starts the proxy on a free loopback port. */
export async function startProxy(): Promise<FaultProxy> {
  const state = new ProxyState();
  const server = createServer((incoming, outgoing) => {
    state.handle(incoming, outgoing).catch((error: unknown) => {
      if (!outgoing.headersSent) outgoing.writeHead(502);
      outgoing.end(`proxy: ${String(error)}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forwardTo: (endpoint) => {
      state.endpoint = new URL(endpoint);
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

class ProxyState {
  endpoint: URL | undefined;
  private readonly faults = new FaultPlan();
  private journal: Call[] = [];
  private lastCall = 0;
  private writes = 0;
  // A connection each: the emulator closes idle ones at will, and a request on a dying one would look like a fault.
  private readonly agent = new Agent({ keepAlive: false });

  async handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await read(incoming);
    const url = incoming.url ?? '/';
    if (url.startsWith('/_control/')) return this.control(url.slice('/_control/'.length), body.toString(), outgoing);
    const [, functionName, pid, rest] = /^\/([^/]+)\/(\d+)(\/.*)?$/s.exec(url) ?? [];
    if (!functionName || !pid) {
      outgoing.writeHead(404).end(`proxy: expected /<function>/<pid>/..., got ${url}`);
      return;
    }
    const [service = '', operation = ''] = String(incoming.headers['x-amz-target'] ?? '').split('.');
    const path = rest ?? '/';
    const method = incoming.method ?? 'GET';
    await this.pass(
      {
        functionName: decodeURIComponent(functionName),
        pid: Number(pid),
        service: service.replace(/_\d+$/, ''),
        operation: operation || `${method} ${path.split('?')[0]}`,
        method,
        path,
        headers: incoming.headers,
        body: body.toString('latin1'),
      },
      outgoing,
    );
  }

  private control(what: string, body: string, outgoing: ServerResponse): void {
    outgoing
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify(this.told(what, body ? JSON.parse(body) : {})));
  }

  private told(what: string, asked: unknown): unknown {
    if (what === 'faults') this.faults.add(asked as Fault);
    if (what === 'calls') return this.calls(asked as CallFilter);
    if (what === 'unmet') return this.faults.unmet();
    if (what === 'writes') return this.writes;
    if (what === 'reset') {
      this.faults.clear();
      this.journal = [];
    }
    return {};
  }

  private calls({ functionName, operation, since = 0 }: CallFilter): readonly Call[] {
    return this.journal.filter(
      (call) =>
        call.n > since &&
        (functionName ?? call.functionName) === call.functionName &&
        (operation ?? call.operation) === call.operation,
    );
  }

  private async pass(attempt: Attempt, outgoing: ServerResponse): Promise<void> {
    this.lastCall += 1;
    const { functionName, pid, operation, service } = attempt;
    if (WRITES.has(operation)) this.writes += 1;
    const seen = { n: this.lastCall, functionName, pid, operation, service };
    const note = (status: number, more: Pick<Call, 'fault' | 'capacity'> = {}) =>
      this.journal.push({ ...seen, status, ...more });

    if (this.faults.take('crash-before-write', attempt)) {
      note(0, { fault: 'crash-before-write' });
      return crash(pid, outgoing);
    }
    if (this.faults.take('throttle', attempt)) {
      note(400, { fault: 'throttle' });
      return answer(outgoing, throttled(service));
    }
    const refused = operation === 'PutEvents' ? this.refusedEntries(attempt.body) : undefined;
    if (refused) {
      const merged = await this.forwardTheOthers(attempt, refused);
      note(merged.status, { fault: 'fail-entries' });
      return answer(outgoing, merged);
    }
    const result = await this.forward(service === 'DynamoDB' ? askingForCapacity(attempt) : attempt);
    const capacity = service === 'DynamoDB' ? parseCapacity(result) : undefined;
    const known = capacity && { capacity };
    // A write that the endpoint refused is none: only a success is worth dying after.
    if (result.status < 300 && this.faults.take('crash-after-write', attempt)) {
      note(0, { fault: 'crash-after-write', ...known });
      return crash(pid, outgoing);
    }
    if (this.faults.take('lose-answer', attempt)) {
      note(0, { fault: 'lose-answer', ...known });
      outgoing.destroy();
      return;
    }
    note(result.status, known);
    answer(outgoing, result);
  }

  /** Error code by the entry's place, where any is to be refused. */
  private refusedEntries(body: string): Map<number, string> | undefined {
    const refused = new Map<number, string>();
    for (const [at, entry] of parseEntries(body).entries()) {
      const code = this.faults.takeEntry(entry);
      if (code) refused.set(at, code);
    }
    return refused.size ? refused : undefined;
  }

  private async forwardTheOthers(attempt: Attempt, refused: ReadonlyMap<number, string>): Promise<Answer> {
    const request = JSON.parse(attempt.body) as { Entries: object[] };
    const others = request.Entries.filter((_, at) => !refused.has(at));
    const result = others.length
      ? await this.forward({ ...attempt, body: JSON.stringify({ ...request, Entries: others }) })
      : json(200, { FailedEntryCount: 0, Entries: [] });
    if (result.status >= 300) return result;
    const passed = JSON.parse(result.body.toString()) as { FailedEntryCount?: number; Entries: object[] };
    const rest = [...passed.Entries];
    const merged = request.Entries.map((_, at) => {
      const code = refused.get(at);
      return code ? { ErrorCode: code, ErrorMessage: 'refused by the proxy' } : rest.shift();
    });
    return json(200, { FailedEntryCount: (passed.FailedEntryCount ?? 0) + refused.size, Entries: merged });
  }

  private forward({ method, path, headers, body }: Attempt): Promise<Answer> {
    const { endpoint } = this;
    if (!endpoint) throw new Error('forwardTo was not called');
    const bytes = Buffer.from(body, 'latin1');
    const { 'transfer-encoding': _, ...kept } = headers;
    return new Promise((resolve, reject) => {
      const outbound = request(
        {
          agent: this.agent,
          host: endpoint.hostname,
          port: endpoint.port,
          method,
          path,
          headers: { ...kept, host: endpoint.host, 'content-length': bytes.length },
        },
        (inbound) => {
          read(inbound).then(
            (data) => resolve({ status: inbound.statusCode ?? 502, headers: inbound.headers, body: data }),
            reject,
          );
        },
      );
      outbound.on('error', reject);
      outbound.end(bytes);
    });
  }
}

async function read(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function crash(pid: number, outgoing: ServerResponse): void {
  process.kill(pid, 'SIGKILL');
  outgoing.destroy();
}

function answer(outgoing: ServerResponse, { status, headers, body }: Answer): void {
  const { 'transfer-encoding': _, connection: __, ...kept } = headers;
  outgoing.writeHead(status, { ...kept, 'content-length': body.length }).end(body);
}

const json = (status: number, body: unknown): Answer => ({
  status,
  headers: { 'content-type': 'application/x-amz-json-1.1' },
  body: Buffer.from(JSON.stringify(body)),
});

const throttled = (service: string): Answer =>
  json(400, {
    __type: service === 'DynamoDB' ? 'com.amazonaws.dynamodb.v20120810#ThrottlingException' : 'ThrottlingException',
    message: 'throttled by the proxy',
  });

const parseEntries = (body: string): { Source?: string; DetailType?: string; Detail?: string }[] =>
  (JSON.parse(body) as { Entries: [] }).Entries;

/** Asks for the consumed capacity on the function's behalf, so that tests count what production needn't ask for. */
function askingForCapacity(attempt: Attempt): Attempt {
  if (!/^(Put|Get|Update|Delete)Item$|^(Query|Scan)$|^(Transact|Batch)/.test(attempt.operation)) return attempt;
  const body = JSON.stringify({ ReturnConsumedCapacity: 'INDEXES', ...JSON.parse(attempt.body) });
  return { ...attempt, body };
}

function parseCapacity({ status, body }: Answer): Capacity[] | undefined {
  if (status >= 300) return undefined;
  const told = (JSON.parse(body.toString()) as { ConsumedCapacity?: Capacity | Capacity[] }).ConsumedCapacity;
  return told && (Array.isArray(told) ? told : [told]);
}
