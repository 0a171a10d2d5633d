/**
 * A state that fails. AWS Step Functions Developer Guide, "Handling errors in Step Functions workflows": names that begin with `States.`
 * are those of the language, others come from the services and functions that are called.
 */
export class StateFailure extends Error {
  override readonly name = 'StateFailure';

  constructor(
    /** Its name, which `ErrorEquals` compares. */
    readonly error: string,
    override readonly cause: string,
  ) {
    super(`${error}: ${cause}`);
  }
}

/**
 * An error while a state's fields are evaluated: a path without a value, an intrinsic function that can't be applied, a choice without a
 * match. "Error names": all of them are `States.Runtime`, which nothing retries or catches.
 */
export const runtimeFailure = (cause: string): StateFailure => new StateFailure('States.Runtime', cause);

/**
 * An expression of JSONata that can't be evaluated, or whose value its field doesn't accept. Amazon States Language, "JSONata Runtime
 * Errors": retriers and catchers match it, also by `States.ALL`.
 */
export class EvaluationFailure extends StateFailure {
  constructor(
    cause: string,
    /** Its field in the state: `Output/total`. */
    readonly location: string,
  ) {
    super('States.QueryEvaluationError', cause);
  }
}

/** Errors that `States.ALL` doesn't match. */
const TERMINAL: ReadonlySet<string> = new Set(['States.Runtime', 'States.DataLimitExceeded']);
const TIMEOUTS: ReadonlySet<string> = new Set(['States.Timeout', 'States.HeartbeatTimeout']);

/** Whether `ErrorEquals` of a retrier or a catcher matches an error. */
export const matchesError = (names: readonly string[], error: string): boolean =>
  error !== 'States.Runtime' &&
  names.some(
    (name) =>
      name === error ||
      (name === 'States.ALL' && !TERMINAL.has(error)) ||
      (name === 'States.TaskFailed' && !TERMINAL.has(error) && !TIMEOUTS.has(error)) ||
      (name === 'States.Timeout' && TIMEOUTS.has(error)),
  );
