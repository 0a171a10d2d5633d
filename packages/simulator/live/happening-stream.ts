import type { IncomingMessage, ServerResponse } from 'node:http';
import { HAPPENING_KINDS, type Happened, type Happenings } from '../engine/happenings.js';
import { CONTROL } from './path.js';

/** Path of the stream of what happens. */
export const EVENTS = `${CONTROL}/events`;
/** Milliseconds between two comments that keep a connection open where nothing happens. */
const KEPT_ALIVE = 15_000;
/** Happenings of one JSON answer at most. */
const PAGE = 1_000;

/** A question that can't be answered: what is wrong with it, and what would be right. */
class BadQuestion extends Error {
  override readonly name = 'BadQuestion';
}

interface Question {
  readonly after: number;
  readonly isWanted: (happened: Happened) => boolean;
  /** Whether the asker has missed happenings that are forgotten, or comes from an earlier cloud. */
  readonly hasGap: boolean;
}

/**
 * Answers `GET /_local/events`: server-sent events (WHATWG HTML, "Server-sent events"), each a JSON object as its data. With
 * `Accept: application/json` it is one page: `{ events, last }`, where `last` is the id to ask with next.
 *
 * `after` or the header `Last-Event-ID` is the id of the last one that the asker has; `after=last` is the newest. Who has missed some that are forgotten gets
 * an event of the type `gap` first. `kind` (a list with commas) and `correlation` choose.
 */
export class HappeningStream {
  /** Tells the ids of this cloud from those of an earlier one at the same port. */
  private readonly cloud = process.pid.toString(36) + Date.now().toString(36);

  constructor(private readonly happenings: Happenings) {}

  answer(request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    try {
      if (request.method !== 'GET') throw new BadQuestion(`${request.method} ${EVENTS}: only GET is there`);
      const question = this.read(request);
      if (request.headers.accept?.includes('application/json')) this.page(question, response);
      else this.stream(question, response);
    } catch (error) {
      if (!(error instanceof BadQuestion)) throw error;
      writeJson(response, 400, { message: error.message });
    }
  }

  private stream({ after, isWanted, hasGap }: Question, response: ServerResponse): void {
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    const write = (happened: Happened): void => {
      if (isWanted(happened))
        response.write(`id: ${this.idOf(happened.number)}\ndata: ${JSON.stringify(happened)}\n\n`);
    };
    response.write(hasGap ? `event: gap\ndata: {"first":${this.happenings.first}}\n\n` : ': nothing was missed\n\n');
    for (const happened of this.happenings.after(after)) write(happened);
    const end = this.happenings.subscribe(write);
    const alive = setInterval(() => response.write(': alive\n\n'), KEPT_ALIVE).unref();
    response.on('close', () => {
      end();
      clearInterval(alive);
    });
  }

  private page({ after, isWanted, hasGap }: Question, response: ServerResponse): void {
    const found = this.happenings.after(after).filter(isWanted);
    const events = found.slice(0, PAGE);
    const last = found.length > PAGE ? (events.at(-1)?.number ?? after) : this.happenings.last;
    writeJson(response, 200, {
      events,
      last: this.idOf(last),
      ...(hasGap && { gap: { first: this.happenings.first } }),
    });
  }

  private idOf(number: number): string {
    return `${this.cloud}.${number}`;
  }

  /** @throws {BadQuestion} */
  private read({ url = '', headers }: IncomingMessage): Question {
    const { searchParams } = new URL(url, 'http://127.0.0.1');
    const known = ['after', 'kind', 'correlation'];
    const unknown = [...searchParams.keys()].find((name) => !known.includes(name));
    if (unknown !== undefined) throw new BadQuestion(`${unknown}: unknown; there are ${known.join(', ')}`);
    const kinds = searchParams.get('kind')?.split(',') ?? HAPPENING_KINDS;
    const odd = kinds.find((kind) => !(HAPPENING_KINDS as readonly string[]).includes(kind));
    if (odd !== undefined) throw new BadQuestion(`kind: '${odd}' is unknown; there are ${HAPPENING_KINDS.join(', ')}`);
    const correlation = searchParams.get('correlation');
    const isWanted = ({ kind, correlationId }: Happened): boolean =>
      kinds.includes(kind) && (correlation === null || correlation === correlationId);
    // A browser repeats the address when it connects again, and adds the header.
    const id = headers['last-event-id'] ?? searchParams.get('after');
    if (id === 'last') return { after: this.happenings.last, isWanted, hasGap: false };
    if (id === null) return { after: 0, isWanted, hasGap: this.happenings.first > 1 };
    const [, cloud, number] = /^(\w+)\.(\d{1,15})$/.exec(String(id)) ?? [];
    if (number === undefined)
      throw new BadQuestion(`after: '${String(id)}' is no id of an event: the id of the last one was expected`);
    const isOurs = cloud === this.cloud && Number(number) <= this.happenings.last;
    const after = isOurs ? Number(number) : 0;
    return { after, isWanted, hasGap: !isOurs || after + 1 < this.happenings.first };
  }
}

function writeJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(`${JSON.stringify(body)}\n`);
}
