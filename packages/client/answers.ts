import { NoAnswer, OrderlyProblem } from './errors.js';
import { OPERATIONS } from './operations.js';
import type { OperationId } from './requests.js';
import type { Problem } from './schemas.js';

/** Body of an answer, with its status and headers. */
export interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
  /** Id by which the log names the request. Quote it to support. */
  readonly correlationId: string | undefined;
  /** Whether the answer is a repeated one: the request was carried out before. */
  readonly replayed: boolean;
  readonly headers: Headers;
}

/**
 * Reads an answer. Only the status that the document names for the operation is a success: another 2xx, a redirect, or a
 * page of its own with any status is a proxy's.
 */
export function parseAnswer(
  operation: OperationId,
  response: Response,
  text: string,
  { key, accept = 'application/json' }: { readonly key?: string | undefined; readonly accept?: string },
): Answer<unknown> | OrderlyProblem | NoAnswer {
  const { status, ok, headers } = response;
  const correlationId = headers.get('X-Correlation-Id') ?? undefined;
  const type = headers.get('Content-Type') ?? '';
  const body = /json/.test(type) ? parseJson(text) : text || undefined;
  const isOurs = status === 204 || (type.startsWith(accept) && body !== undefined);
  if (isOurs && status === successStatus(operation))
    return { status, body, correlationId, replayed: headers.get('Idempotency-Replayed') === 'true', headers };
  const retryAfter = secondsUntil(headers.get('Retry-After'), headers.get('Date'));
  if (!ok && isProblem(body)) return new OrderlyProblem(operation, body, correlationId, retryAfter);
  return new NoAnswer(
    operation,
    key,
    status,
    { cause: text.slice(0, 500) },
    { instead: describeUnexpected(operation, response), retryAfter },
  );
}

/** Returns the one status with which an operation succeeds, by the API's document. */
const successStatus = (operation: OperationId): number => Number(OPERATIONS[operation].split(' ')[2]);

/** Says what came in the place of an answer. A browser hides the status of a redirect that is not followed. */
function describeUnexpected(operation: OperationId, { status, type, headers }: Response): string {
  if (type === 'opaqueredirect' || (status >= 300 && status < 400 && headers.has('Location'))) {
    const to = headers.get('Location');
    return `a redirect${to === null ? '' : ` to ${to}`}, which is not followed: expected a baseUrl that answers itself`;
  }
  return `a proxy answered with status ${status}: expected ${successStatus(operation)} or a problem`;
}

/**
 * Returns the seconds of a `Retry-After`: a number of them, or an HTTP-date (RFC 9110, 10.2.3). A date counts from the
 * answer's own `Date`, so the clock of this machine doesn't matter.
 */
function secondsUntil(after: string | null, date: string | null): number | undefined {
  if (after === null) return undefined;
  if (/^\d+$/.test(after)) return Number(after);
  const [at, sent] = [parseHttpDate(after), parseHttpDate(date ?? '') ?? Date.now()];
  return at === undefined ? undefined : Math.max(0, Math.ceil((at - sent) / 1000));
}

/** Reads an HTTP-date, which is always in GMT. */
const parseHttpDate = (text: string): number | undefined => {
  const time = / GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
};

const isProblem = (body: unknown): body is Problem =>
  typeof body === 'object' && body !== null && 'type' in body && typeof body.type === 'string' && 'detail' in body;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
