import { problemType, requestUrn } from '../aws/app-names.js';
import type { Versions } from '../aws/write-conflict.js';

/** Kind of problem. Its code is part of `type` and a contract with clients. */
export interface ProblemKind {
  readonly code: string;
  readonly status: number;
  readonly title: string;
}

/**
 * Declares kinds of problems by their codes. A service refuses requests with them.
 * @example
 * const BoardProblem = defineProblems({ 'ticket-closed': { status: 409, title: 'Ticket closed' } });
 * throw new Problem(BoardProblem['ticket-closed'], 'the ticket is closed: open another one');
 */
export const defineProblems = <Code extends string>(
  kinds: Readonly<Record<Code, Omit<ProblemKind, 'code'>>>,
): Readonly<Record<Code, ProblemKind>> =>
  Object.fromEntries(
    Object.entries<Omit<ProblemKind, 'code'>>(kinds).map(([code, kind]) => [code, { code, ...kind }]),
  ) as Record<Code, ProblemKind>;

/** Problems (RFC 9457) that the kit itself answers with. Every refused request gets problem details. */
export const PROBLEMS = defineProblems({
  'invalid-request': { status: 400, title: 'Invalid request' },
  'key-missing': { status: 400, title: 'Missing Idempotency-Key' },
  unauthenticated: { status: 401, title: 'Authentication required' },
  forbidden: { status: 403, title: 'Forbidden' },
  /** The firewall's refusal, answered by the gateway. */
  blocked: { status: 403, title: 'Request blocked' },
  'not-found': { status: 404, title: 'Not found' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  'not-acceptable': { status: 406, title: 'Not acceptable' },
  conflict: { status: 409, title: 'Conflict' },
  'in-progress': { status: 409, title: 'Request in progress' },
  'person-forgotten': { status: 409, title: 'Person forgotten' },
  'session-not-open': { status: 409, title: 'Session not open' },
  'number-out-of-range': { status: 409, title: 'Request-Number out of range' },
  'too-large': { status: 413, title: 'Request too large' },
  'unsupported-media-type': { status: 415, title: 'Unsupported media type' },
  'key-reused': { status: 422, title: 'Idempotency-Key reused' },
  'key-expired': { status: 422, title: 'Idempotency-Key expired' },
  throttled: { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Internal error' },
});

export type ProblemCode = keyof typeof PROBLEMS;

/** One fault of a request: its place, and what would be right. */
export interface Fault {
  readonly detail: string;
  /** JSON pointer (RFC 6901) into the body. */
  readonly pointer?: string;
  /** Name of the query or path parameter. */
  readonly parameter?: string;
  readonly header?: string;
}

/** Optional members of a problem besides its code and detail. */
export interface ProblemExtra {
  readonly errors?: readonly Fault[];
  readonly retryAfterSeconds?: number;
  /** Versions in a conflict, as extension members (RFC 9457, 3.2). */
  readonly versions?: Versions;
  /** Name of the limit that was reached. */
  readonly limit?: string;
  /** Business reason, by the name that events and answers of other routes have for it. */
  readonly reason?: string;
  /** Time at which what was asked for closes, and exists from then on: ISO 8601, UTC. */
  readonly closesAt?: string;
}

/**
 * Error that answers a request with a problem. `detail` says what was wrong and what would be right.
 * @example
 * throw new Problem('invalid-request', 'the ticket has no title', {
 *   errors: [{ pointer: '/title', detail: 'expected 1 to 200 characters' }],
 * });
 */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly kind: ProblemKind;
  /** @param kind code of a problem of the kit, or a kind that a service has declared */
  constructor(
    kind: ProblemCode | ProblemKind,
    readonly detail: string,
    readonly extra: ProblemExtra = {},
    options?: ErrorOptions,
  ) {
    const known = typeof kind === 'string' ? PROBLEMS[kind] : kind;
    super(known.code, options);
    this.kind = known;
  }

  get code(): string {
    return this.kind.code;
  }

  get status(): number {
    return this.kind.status;
  }

  /** Returns the answer's body for this one request. */
  toJSON(app: string, requestId: string): Record<string, unknown> {
    const { status, title } = this.kind;
    const { errors, versions, limit, reason, closesAt } = this.extra;
    const instance = requestUrn(app, requestId);
    const members = {
      ...versions,
      ...(limit === undefined ? {} : { limit }),
      ...(reason === undefined ? {} : { reason }),
      ...(closesAt === undefined ? {} : { closesAt }),
      ...(errors ? { errors } : {}),
    };
    return { type: problemType(app, this.code), title, status, detail: this.detail, instance, ...members };
  }
}
