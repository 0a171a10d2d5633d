import { type Answer, parseAnswer } from './answers.js';
import { type DecisionOptions, readUntilDecided } from './decided.js';
import { NoAnswer, OrderlyProblem } from './errors.js';
import { OPERATIONS } from './operations.js';
import type { AnswerOf, ItemOf, ListId, OperationId, RequestOf } from './requests.js';
import type { Operations, OrderView } from './schemas.js';
import { type AnyRequest, buildRequest, chooseKey } from './sent.js';

export interface ClientOptions {
  /** Address of the API with its stage: `https://….amazonaws.com/v1`. */
  readonly baseUrl: string;
  /**
   * Token of the caller, or a function that returns one. The function is called for each request, and once more after a 401:
   * it may keep a token until it expires.
   */
  readonly token?: string | (() => string | Promise<string>);
  /** Maximum number of times that a request is sent. @default 5 */
  readonly attempts?: number;
  /** Milliseconds after which an attempt counts as unanswered. @default 30,000; the API answers within 29 seconds */
  readonly timeout?: number;
  /** Longest wait before a repeat, in milliseconds. A problem whose `Retry-After` is longer is thrown. @default 20,000 */
  readonly longestWait?: number;
  /** @default the `fetch` of the platform */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Waits before a repeat; rejects when the signal aborts. @default by a timer */
  readonly wait?: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
}

type ArgumentsOf<Id extends OperationId> =
  Record<never, never> extends RequestOf<Id> ? [request?: RequestOf<Id>] : [request: RequestOf<Id>];

type MethodOf<Id extends OperationId> = 'accept' extends keyof Operations[Id]['takes']
  ? {
      (request: RequestOf<Id> & { readonly accept: string }): Promise<string>;
      (request: RequestOf<Id>): Promise<Operations[Id]['answer']>;
    }
  : (...of: ArgumentsOf<Id>) => Promise<Operations[Id]['answer']>;

/** Client of the API: a method for each operation, by its name in the API's document. Each returns the body of the answer. */
export type OrderlyClient = { readonly [Id in OperationId]: MethodOf<Id> } & {
  /** Sends a request, and returns the answer with its status and headers. */
  send<Id extends OperationId>(operation: Id, ...of: ArgumentsOf<Id>): Promise<Answer<AnswerOf<Id>>>;
  /**
   * Iterates over the items of a list. It reads the next page when the items of the last one are used up.
   * @example for await (const order of orderly.items('listOrders')) ...
   */
  items<Id extends ListId>(operation: Id, ...of: ArgumentsOf<Id>): AsyncGenerator<ItemOf<Id>, void>;
  /**
   * Waits until an order is decided: until it is anything but PENDING. An order under review is not PENDING.
   * @throws {OrderPending} if it is not decided in time
   * @example const { status, reason } = await orderly.orderDecided(orderId, { within: 30 });
   */
  orderDecided(orderId: string, options?: DecisionOptions): Promise<OrderView>;
  /**
   * Places an order, and waits until it is decided.
   * @throws {OrderPending} with the order that was placed, if it is not decided in time
   */
  placeOrderAndWait(request: RequestOf<'placeOrder'>, options?: DecisionOptions): Promise<OrderView>;
};

/** Longest wait before the first repeat, in milliseconds. It doubles with each repeat. */
const FIRST_WAIT = 200;

/**
 * Makes a client of Orderly's API, for Node and browsers.
 *
 * Only the status that the document names for an operation is a success. A redirect is never followed. An argument that can't
 * be sent is a `TypeError`, before anything is sent.
 *
 * A request that gets no answer, a 5xx, 429, or a 409 with `Retry-After` is sent again with the same key or number, so it has
 * one effect.
 * @example
 * const orderly = orderlyClient({ baseUrl: 'https://….amazonaws.com/v1', token: () => session.token() });
 * const order = await orderly.placeOrder({ body: { lines }, key: 'cart-17' });
 */
export function orderlyClient(options: ClientOptions): OrderlyClient {
  const { attempts = 5, timeout = 30_000, longestWait = 20_000, wait = timer } = options;
  const send = async (operation: OperationId, given: AnyRequest = {}): Promise<Answer<unknown>> => {
    const request = { ...given, key: chooseKey(operation, given) };
    const { url, init } = buildRequest(options.baseUrl, operation, request);
    let isNewToken = false;
    for (let attempt = 1; ; attempt++) {
      const failure = await sendAttempt(operation, url, { ...init, headers: await withToken(init.headers) }, request);
      if (!(failure instanceof Error)) return failure;
      if (failure instanceof OrderlyProblem && failure.status === 401 && isFunction(options.token) && !isNewToken) {
        isNewToken = true;
        continue;
      }
      const pause = pauseAfter(failure, attempt);
      if (pause === undefined || attempt >= attempts || pause > longestWait) throw failure;
      await wait(pause, request.signal);
    }
  };
  const withToken = async (headers: Readonly<Record<string, string>>): Promise<Record<string, string>> => {
    const token = isFunction(options.token) ? await options.token() : options.token;
    // The token is not named: errors are logged.
    if (token !== undefined && /[^ -~]/.test(token)) throw new TypeError('token: expected visible ASCII characters');
    return { ...headers, ...(token !== undefined && { Authorization: `Bearer ${token}` }) };
  };
  const sendAttempt = async (
    operation: OperationId,
    url: string,
    init: RequestInit,
    request: AnyRequest,
  ): Promise<Answer<unknown> | OrderlyProblem | NoAnswer> => {
    const { signal, key } = request;
    const late = AbortSignal.timeout(timeout);
    try {
      const fetched = options.fetch ?? fetch;
      const response = await fetched(url, { ...init, signal: signal ? AbortSignal.any([signal, late]) : late });
      return parseAnswer(operation, response, await response.text(), request);
    } catch (error) {
      signal?.throwIfAborted();
      return new NoAnswer(operation, key, undefined, { cause: error });
    }
  };
  async function* items(operation: OperationId, request: AnyRequest = {}): AsyncGenerator<unknown, void> {
    for (let { query = {} } = request; ; ) {
      const { body } = await send(operation, { ...request, query });
      const { items, entries = [], nextCursor } = body as Page;
      yield* items ?? entries;
      if (nextCursor === undefined) return;
      query = { ...query, cursor: nextCursor };
    }
  }
  const orderDecided = (orderId: string, { signal, within }: DecisionOptions = {}): Promise<OrderView> =>
    readUntilDecided(
      (seconds) => send('getOrder', { orderId, wait: seconds, signal }) as Promise<Answer<OrderView>>,
      (milliseconds) => wait(milliseconds, signal),
      within,
    );
  const placeOrderAndWait = async (request: AnyRequest, options: DecisionOptions = {}): Promise<OrderView> => {
    const { signal = request.signal, within } = options;
    const { body } = await send('placeOrder', { ...request, signal });
    return orderDecided((body as OrderView).orderId, { signal, within });
  };
  const methods = Object.keys(OPERATIONS).map((id) => [
    id,
    async (request?: AnyRequest) => (await send(id as OperationId, request)).body,
  ]);
  return { ...Object.fromEntries(methods), send, items, orderDecided, placeOrderAndWait } as unknown as OrderlyClient;
}

interface Page {
  readonly items?: readonly unknown[];
  readonly entries?: readonly unknown[];
  readonly nextCursor?: string;
}

const isFunction = (value: unknown): value is () => string | Promise<string> => typeof value === 'function';

const timer = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timeout);
      reject(signal?.reason);
    };
    const timeout = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });

/** Returns the milliseconds before a repeat; `undefined` if a repeat would be refused, too. */
function pauseAfter(failure: OrderlyProblem | NoAnswer, attempt: number): number | undefined {
  const { status = 503, retryAfter: after } = failure;
  if (status < 500 && status !== 429 && !(status === 409 && after !== undefined)) return undefined;
  // Full jitter: clients that failed together do not come back together.
  return after === undefined ? Math.random() * FIRST_WAIT * 2 ** (attempt - 1) : after * 1000;
}
