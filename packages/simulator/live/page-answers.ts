import type { SendRequest } from '@orderly/console';
import type { Cloud } from '../cloud/cloud.js';
import type { HttpResponse } from '../runtime/http.js';
import type { LiveCloud } from './live-cloud.js';
import {
  type DataQuestion,
  listItems,
  listLines,
  listMessages,
  listObjects,
  listResources,
  readObject,
} from './page-data.js';
import { type AppTimer, forecast } from './page-forecast.js';
import { mapOf } from './page-map.js';
import { countMap } from './page-map-counts.js';
import {
  eventFacts,
  type PageCaller,
  type PageDocuments,
  readDocument,
  referenceOf,
  sendRequest,
} from './page-reference.js';
import { PageRefused } from './page-refused.js';
import { CONSOLE } from './path.js';

interface Asked {
  readonly method: string;
  /** Path with its query. */
  readonly target: string;
  readonly body?: string | undefined;
}

/** Things that an app lends the page. */
interface Lent {
  /** In whose names the page may send. */
  readonly callers?: readonly PageCaller[];
  readonly documents?: PageDocuments;
  readonly timers?: (cloud: Cloud) => readonly AppTimer[];
}

/** Paths of one resource's content, and what answers them. */
const CONTENT = { tables: listItems, queues: listMessages, buckets: listObjects, logs: listLines } as const;

/**
 * Answers what the page's map, its resource browser, its reference and its forecast ask: `GET /_console/forecast`, `GET /_console/map`, `.../map/counts`, `.../data`,
 * `.../data/<kind>/<name>`, `.../reference`, `.../reference/event`, `.../reference/openapi`,
 * `.../reference/asyncapi`, and `POST /_console/send`. Nothing but the last changes anything.
 * @returns `undefined` if the path is none of these
 */
export async function answerPage(
  live: LiveCloud,
  { callers = [], documents = {}, timers }: Lent,
  { method, target, body }: Asked,
): Promise<HttpResponse | undefined> {
  const url = new URL(target.slice(CONSOLE.length), 'http://127.0.0.1');
  try {
    if (method === 'POST' && url.pathname === '/send')
      return json(200, await sendRequest(live, callers, readJson(body)));
    if (method !== 'GET') return undefined;
    const answer = live.runInside((cloud) => {
      const { pathname, searchParams: given } = url;
      if (pathname === '/forecast') return { of: forecast(cloud, timers?.(cloud)) };
      if (pathname === '/map') return { of: mapOf(cloud) };
      if (pathname === '/map/counts') return { of: countMap(cloud) };
      if (pathname === '/reference') return { of: referenceOf(cloud, callers) };
      if (pathname === '/reference/openapi') return { of: readDocument(documents.openapi) };
      if (pathname === '/reference/asyncapi') return { of: readDocument(documents.asyncapi) };
      if (pathname === '/reference/event')
        return { of: eventFacts(cloud, given.get('source') ?? '', given.get('type') ?? '') };
      if (pathname === '/data') return { of: listResources(cloud) };
      const [, kind = '', name = '', object] = /^\/data\/(\w+)\/([^/]+)(\/object)?$/.exec(pathname) ?? [];
      if (!Object.hasOwn(CONTENT, kind)) return undefined;
      if (object !== undefined) return { of: readObject(cloud, decode(name), given.get('key') ?? '') };
      const question: DataQuestion = { text: given.get('text') ?? '', after: given.get('after') ?? undefined };
      return { of: CONTENT[kind as keyof typeof CONTENT](cloud, decode(name), question) };
    });
    return answer && json(200, answer.of);
  } catch (error) {
    if (!(error instanceof PageRefused)) throw error;
    return json(error.status, { message: error.message });
  }
}

/** @throws {PageRefused} */
function readJson(body = ''): Partial<SendRequest> {
  try {
    const input: unknown = JSON.parse(body);
    if (typeof input === 'object' && input !== null) return input;
  } catch {
    // It is no JSON.
  }
  throw new PageRefused(400, 'the body: a JSON object with api, method and path was expected');
}

/** @throws {PageRefused} */
function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    throw new PageRefused(400, `'${name}' is no name: it can't be decoded`);
  }
}

const json = (status: number, body: object): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: `${JSON.stringify(body)}\n`,
});
