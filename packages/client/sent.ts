import { OPERATIONS } from './operations.js';
import type { OperationId, SessionNumber } from './requests.js';

/** A request of any operation. */
export interface AnyRequest {
  readonly [parameter: string]: unknown;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly key?: string | undefined;
  readonly session?: SessionNumber;
  readonly ifMatch?: number;
  readonly wait?: number;
  readonly accept?: string;
  readonly correlationId?: string;
  readonly signal?: AbortSignal | undefined;
}

/** Returns the key of a request and its repeats: the given one, or a random one if the operation takes a key. */
export const chooseKey = (operation: OperationId, { key, session }: AnyRequest): string | undefined =>
  key ?? (OPERATIONS[operation].endsWith(' key') && !session ? crypto.randomUUID() : undefined);

/** Tells whether a header can carry a text as it is: visible ASCII characters, with blanks between them. */
const isSendable = (text: unknown): text is string => typeof text === 'string' && /^[!-~](?:[ -~]*[!-~])?$/.test(text);

/**
 * Builds what each attempt sends.
 * @throws {TypeError} if an argument can't be sent as it is: `fetch` would fail for it as for a broken network, each time
 */
export function buildRequest(baseUrl: string, operation: OperationId, request: AnyRequest) {
  const [method = '', place = ''] = OPERATIONS[operation].split(' ');
  const { query = {}, body, key, session, ifMatch, wait, accept, correlationId } = request;
  const wrong = (name: string, right: string) => new TypeError(`${operation}: ${name}: expected ${right}`);
  const encoded = (name: string, value: string): string => {
    try {
      return encodeURIComponent(value);
    } catch {
      throw wrong(name, 'Unicode text, without lone surrogates');
    }
  };
  const path = place.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = request[name];
    // Without it, the path would be another route's.
    if (typeof value !== 'string' || value === '') throw new TypeError(`${operation}: ${name} is missing`);
    // URLs have no such segment, however it is written: it would be resolved, and the path be another route's (WHATWG URL).
    if (value === '.' || value === '..') throw wrong(name, 'an id other than . and ..');
    return encoded(name, value);
  });
  const parameters = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encoded(name, name)}=${encoded(name, String(value))}`);
  if (key !== undefined && (!/^[!-~]{1,255}$/.test(key) || typeof key !== 'string'))
    throw wrong('key', '1 to 255 visible ASCII characters');
  if (session && !isSendable(session.id)) throw wrong('session.id', 'the sessionId of a session');
  const headers = {
    ...(accept !== undefined && { Accept: headerOf('accept', accept) }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(key !== undefined && { 'Idempotency-Key': key }),
    ...(session && { 'Session-Id': session.id, 'Request-Number': numberOf('session.number', session.number) }),
    ...(session?.answeredUpTo !== undefined && {
      'Answered-Up-To': numberOf('session.answeredUpTo', session.answeredUpTo),
    }),
    ...(ifMatch !== undefined && { 'If-Match': numberOf('ifMatch', ifMatch) }),
    ...(wait !== undefined && { Prefer: `wait=${numberOf('wait', wait)}` }),
    ...(correlationId !== undefined && { 'X-Correlation-Id': headerOf('correlationId', correlationId) }),
  };
  const url = `${baseUrl.replace(/\/$/, '')}${path}${parameters.length > 0 ? `?${parameters.join('&')}` : ''}`;
  // A page may give an address that is relative to its own.
  const page = (globalThis as { readonly location?: { readonly href: string } }).location?.href;
  if (!URL.canParse(url, page)) throw new TypeError(`baseUrl: expected the address of the API, not ${baseUrl}`);
  return {
    url,
    init: { method, headers, redirect: 'manual', ...(body !== undefined && { body: written(body) }) },
  } as const;

  function headerOf(name: string, value: string): string {
    if (!isSendable(value)) throw wrong(name, 'visible ASCII characters');
    return value;
  }
  function numberOf(name: string, value: number): string {
    if (!Number.isSafeInteger(value) || value < 0) throw wrong(name, 'a whole number from 0');
    return String(value);
  }
  function written(value: unknown): string {
    try {
      const text: string | undefined = JSON.stringify(value);
      if (text !== undefined) return text;
    } catch (cause) {
      throw new TypeError(`${operation}: body: expected a value that JSON can write`, { cause });
    }
    throw wrong('body', 'a value that JSON can write');
  }
}
