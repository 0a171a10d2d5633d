import type { CodeOf, OperationId } from './requests.js';
import type { Problem, ProblemCode } from './schemas.js';

/** Refusal of a request, with its problem details (RFC 9457). */
export class OrderlyProblem<Code extends string = ProblemCode> extends Error {
  override readonly name = 'OrderlyProblem';
  /** Code of the problem: decide by it, not by the texts. A release may add codes. */
  readonly code: Code;
  readonly status: number;
  readonly errors: NonNullable<Problem['errors']>;

  /**
   * @param operation name of the operation
   * @param problem the answer, with its other members, such as `limit`
   * @param correlationId id by which the log names the request; quote it to support
   * @param retryAfter seconds after which the same request may pass; `undefined` if it is refused for good
   */
  constructor(
    readonly operation: OperationId,
    readonly problem: Problem,
    readonly correlationId: string | undefined,
    readonly retryAfter: number | undefined,
  ) {
    super(`${operation}: ${problem.detail}`);
    this.code = problem.type.slice(problem.type.lastIndexOf(':') + 1) as Code;
    this.status = problem.status;
    this.errors = problem.errors ?? [];
  }
}

/**
 * Tells whether an operation was refused with a problem. The compiler then knows its codes.
 * @example
 * if (isProblemOf('placeOrder', error) && error.code === 'limit-reached') ...
 */
export const isProblemOf = <Id extends OperationId>(
  operation: Id,
  error: unknown,
): error is OrderlyProblem<CodeOf<Id>> => error instanceof OrderlyProblem && error.operation === operation;

/**
 * Error for a request without an answer of the API: the connection failed, or a proxy answered. Whether the request was carried
 * out is unknown. Repeated with the same key, it has one effect.
 */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  /** Seconds after which the proxy wants to be asked again, if it said so. */
  readonly retryAfter: number | undefined;

  /**
   * @param operation name of the operation
   * @param key `Idempotency-Key` of the request, if it had one
   * @param status status of the proxy's answer; `undefined` if nothing answered
   * @param came what came in the place of an answer, and what its `Retry-After` says
   */
  constructor(
    readonly operation: OperationId,
    readonly key: string | undefined,
    readonly status: number | undefined,
    options: ErrorOptions,
    came: { readonly instead: string; readonly retryAfter: number | undefined } | undefined = undefined,
  ) {
    super(`${operation}: no answer from the API${came === undefined ? '' : `: ${came.instead}`}`, options);
    this.retryAfter = came?.retryAfter;
  }
}
