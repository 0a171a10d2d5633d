import type { ServerResponse } from 'node:http';
import type { HistoriesChoice, HistoriesOffer, OpenRequest, SearchLine } from '@orderly/console';
import type { HistoriesModule } from '../histories/app-histories.js';
import { PlayerFailed, PlayerProcess } from '../histories/player-process.js';
import type { HttpResponse } from '../runtime/http.js';
import { PageRefused } from './page-refused.js';
import { CONSOLE } from './path.js';

const PATH = `${CONSOLE}/histories`;

/** Says what to do, where an app offers no histories. */
const NOTHING: HistoriesOffer = {
  scenarios: [],
  guards: [],
  comparisons: [],
  nothing:
    'This app offers no histories. Write a module that exports them (AppHistories of @orderly/simulator), and name it: orderly-local --histories <file>.',
};

/**
 * Answers what the page asks about histories: `GET /_console/histories`, `POST .../open` and `.../compare`; and `POST .../play`, whose answer is
 * a stream of lines.
 */
export class PageHistories {
  private readonly player: PlayerProcess | undefined;

  /** @param module of the app. @default it offers nothing */
  constructor(module: HistoriesModule | undefined) {
    this.player = module && new PlayerProcess(module);
  }

  streams(method: string, target: string): boolean {
    return method === 'POST' && target === `${PATH}/play`;
  }

  /** @returns `undefined` if the path is another one */
  async answer({
    method,
    target,
    body,
  }: {
    method: string;
    target: string;
    body?: string;
  }): Promise<HttpResponse | undefined> {
    try {
      if (target === PATH && method === 'GET') return json(200, this.player ? await this.player.offer() : NOTHING);
      if (method !== 'POST') return undefined;
      if (target === `${PATH}/open`) return json(200, await this.known().open(readOpenRequest(body)));
      if (target === `${PATH}/compare`)
        return json(200, await this.known().compare(readText(parse(body), 'comparison')));
      return undefined;
    } catch (error) {
      const { status, message } = toRefusal(error);
      return json(status, { message });
    }
  }

  /** Plays histories for as long as somebody reads the answer: JSON lines (`SearchLine`). */
  async play(body: string, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const write = (line: SearchLine): void => {
      if (!response.headersSent) response.writeHead(200, STREAM);
      response.write(`${JSON.stringify(line)}\n`);
    };
    try {
      await this.known().search(readChoice(parse(body)), write, gone.signal);
    } catch (error) {
      const { status, message } = toRefusal(error);
      if (response.headersSent) write({ kind: 'failed', message });
      else response.writeHead(status, JSON_TYPE).write(`${JSON.stringify({ message })}\n`);
    }
    response.end();
  }

  stop(): void {
    this.player?.stop();
  }

  /** @throws {PageRefused} if the app offers nothing */
  private known(): PlayerProcess {
    if (this.player) return this.player;
    throw new PageRefused(404, NOTHING.nothing ?? '');
  }
}

function toRefusal(error: unknown): PageRefused {
  if (error instanceof PageRefused) return error;
  if (error instanceof PlayerFailed) return new PageRefused(error.isRefused ? 409 : 502, error.message);
  throw error;
}

type Fields = Readonly<Record<string, unknown>>;

/** @throws {PageRefused} */
function parse(body = ''): Fields {
  try {
    const input: unknown = JSON.parse(body);
    if (typeof input === 'object' && input !== null) return input as Fields;
  } catch {
    // It is no JSON.
  }
  throw new PageRefused(400, 'The body: a JSON object was expected.');
}

/** @throws {PageRefused} */
function readText(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value === 'string') return value;
  throw new PageRefused(400, `${name}: a text was expected`);
}

/** @throws {PageRefused} */
function readChoice(fields: Fields): HistoriesChoice {
  return {
    scenario: readText(fields, 'scenario'),
    ...(fields.guard !== undefined && { guard: readText(fields, 'guard') }),
  };
}

/** @throws {PageRefused} */
function readOpenRequest(body: string | undefined): OpenRequest {
  const fields = parse(body);
  const { cell } = fields;
  if (cell === undefined) return readChoice(fields);
  const given = (typeof cell === 'object' && cell !== null ? cell : {}) as Fields;
  return { ...readChoice(fields), cell: { point: readText(given, 'point'), kind: readText(given, 'kind') } };
}

const STREAM = { 'content-type': 'application/x-ndjson; charset=utf-8', 'cache-control': 'no-store' };
const JSON_TYPE = { 'content-type': 'application/json', 'cache-control': 'no-store' };
const json = (status: number, body: object): HttpResponse => ({
  status,
  headers: JSON_TYPE,
  body: `${JSON.stringify(body)}\n`,
});
