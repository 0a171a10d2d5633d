import { NotModelled, UnknownOperation } from '../wire/operation.js';
import type { AwsError } from '../wire/request.js';

/** A call that no model answers. */
export interface UnmodelledCall {
  /** Label of the function, state machine, pipe or API that makes it. */
  readonly caller: string;
  /** Its operation, as `cognito-idp.ListUsers`, or its method and address. */
  readonly what: string;
  /** Host for which a model could answer; absent if AWS itself makes the call, for a task or an integration. */
  readonly host?: string;
  readonly error: Error;
}

/** Says who calls what, that it has no model, and how it gets one. */
function describe({ caller, what, host, error }: UnmodelledCall): string {
  const isWhole = error instanceof UnknownOperation || error.message === '';
  return (
    `${caller} calls ${what}, and the simulator has no model of this${isWhole ? '' : `: ${error.message}`}. ` +
    (host === undefined
      ? 'Leave out the requests that lead to it.'
      : `--outside <module> with a model of ${host} answers it; or leave out the requests that lead to it.`)
  );
}

/**
 * Returns the answer to a call that no model answers.
 * @param log called with what is to be said. @default there is no answer, and the history ends: it would be about something else than what
 *   is deployed
 * @throws {NotModelled} in a history @throws what is an error of the simulator itself
 */
export function answerUnmodelled(call: UnmodelledCall, log: ((line: string) => void) | undefined): AwsError {
  const { error, what } = call;
  const isUnmodelled = /NotModelled$/.test(error.name) || error instanceof UnknownOperation;
  if (!log) throw isUnmodelled ? new NotModelled(describe(call), { cause: error }) : error;
  log(describe(call));
  return { status: 501, code: 'NotImplemented', message: `The simulator doesn't model this: ${error.message || what}` };
}
