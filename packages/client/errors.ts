import type { CodeOf, OperationId } from './requests.js';
import type { Problem, ProblemCode } from './schemas.js';

/** What a request was refused with (RFC 9457). */
export class OrderlyProblem<Code extends string = ProblemCode> extends Error {
  override readonly name = 'OrderlyProblem';
  /** Decide by this. A release may add codes. */
  readonly code: Code;
  readonly status: number;
  readonly errors: NonNullable<Problem['errors']>;

  /**
   * @param operation name of the operation
   * @param problem the answer, with its other members, such as `limit`
   * @param correlationId by which the log knows the request; quote it to support
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
 * The API did not answer, or something between did. Whether the request was carried out is unknown: repeat it with the same
 * key, and it has one effect.
 */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  /**
   * @param operation name of the operation
   * @param key `Idempotency-Key` of the request, if it had one
   * @param status of an answer that is none of the API's
   */
  constructor(
    readonly operation: OperationId,
    readonly key: string | undefined,
    readonly status: number | undefined,
    options: ErrorOptions,
  ) {
    super(
      `${operation}: no answer of the API${status === undefined ? '' : `, but ${status} of something before it`}`,
      options,
    );
  }
}
