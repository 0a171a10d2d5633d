import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that changes something at AWS. */
export interface Change {
  /** Operation and what it is about: `PutItem orderly-prod-Catalog-Table RESTORE 2026-…`. */
  readonly name: string;
  readonly body: string;
}

/** Fate of a change: it goes through, or the program that asks for it dies before or after it. */
export type Fate = 'goes through' | 'dies before' | 'dies after';

const CHANGES = /^(Put|Update|Delete|TransactWrite|BatchWrite|Restore|Create)/;

/**
 * An endpoint before another one that lets the program which uses it die at a change: from then on no request is answered, and
 * none goes through, as after `kill -9`. The program hangs, which nobody can tell from its death.
 */
export class DeadlyEndpoint {
  private dead = false;
  /** Lets a request that the death has held go through. */
  private held: (() => void) | undefined;
  private readonly server: Server;
  /** Resolves at the death. */
  readonly died: Promise<Change>;
  private die: (change: Change) => void = () => undefined;

  private constructor(
    private readonly target: string,
    private readonly fateOf: (change: Change) => Fate,
  ) {
    this.died = new Promise((resolve) => {
      this.die = resolve;
    });
    this.server = createServer((asked, answer) => void this.handle(asked, answer));
  }

  static async open(target: string, fateOf: (change: Change) => Fate): Promise<DeadlyEndpoint> {
    const endpoint = new DeadlyEndpoint(target, fateOf);
    await new Promise<void>((resolve) => endpoint.server.listen(0, '127.0.0.1', resolve));
    return endpoint;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Lets the program live again, from the change on before which it died: it was only asleep. */
  awake(): void {
    this.dead = false;
    this.held?.();
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async handle(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of asked as AsyncIterable<Buffer>) chunks.push(chunk);
    if (this.dead) return;
    const body = Buffer.concat(chunks).toString();
    const change = identifyChange(asked, body);
    const fate = change ? this.fateOf(change) : 'goes through';
    if (change && fate === 'dies before') {
      this.dead = true;
      this.held = () => this.forward(asked, body, answer);
      this.die(change);
      return;
    }
    if (change && fate === 'dies after') this.dead = true;
    this.forward(asked, body, answer, change && fate === 'dies after' ? () => this.die(change) : undefined);
  }

  /** @param instead of the answer */
  private forward(
    { method, url, headers }: IncomingMessage,
    body: string,
    answer: ServerResponse,
    instead?: () => void,
  ): void {
    const { hostname, port } = new URL(this.target);
    const sent = request(
      { hostname, port, method, path: url, headers: { ...headers, host: `${hostname}:${port}` } },
      (got) => {
        const chunks: Buffer[] = [];
        got.on('data', (chunk: Buffer) => chunks.push(chunk));
        got.on('end', () => {
          if (instead) return instead();
          if (this.dead) return;
          answer.writeHead(got.statusCode ?? 500, got.headers);
          answer.end(Buffer.concat(chunks));
        });
      },
    );
    sent.on('error', () => answer.destroy());
    sent.end(body);
  }
}

function identifyChange({ method = '', url = '', headers }: IncomingMessage, body: string): Change | undefined {
  const operation = String(headers['x-amz-target'] ?? '').split('.')[1];
  if (operation === undefined) {
    const isLambda = /^\/20\d\d-\d\d-\d\d\//.test(url);
    return isLambda && method !== 'GET' ? { name: `${method} ${url} ${body}`, body } : undefined;
  }
  if (!CHANGES.test(operation)) return undefined;
  const { TableName, TargetTableName, Item, Key, UpdateExpression, TransactItems } = JSON.parse(body) as {
    TableName?: string;
    TargetTableName?: string;
    Item?: Keys;
    Key?: Keys;
    UpdateExpression?: string;
    TransactItems?: readonly { Put?: { TableName: string }; Delete?: { TableName: string } }[];
  };
  const tables = (TransactItems ?? []).flatMap(({ Put, Delete }) => (Put ?? Delete)?.TableName ?? []);
  const key = Item ?? Key;
  // An entry of the audit log has a new key each time.
  const about = key?.pk?.S?.startsWith('AUDIT#') ? ['entry', Item?.target?.S] : [key?.pk?.S, key?.sk?.S];
  const words = [operation, TableName ?? TargetTableName, ...tables.slice(0, 1), ...about, UpdateExpression];
  return { name: words.filter((word) => word !== undefined).join(' '), body };
}

type Keys = Readonly<Record<string, { readonly S?: string } | undefined>>;
