import { types } from 'node:util';

/** Handler of a function: with a promise, or with a callback. */
export type Handler = (event: unknown, context: object, callback?: Callback) => unknown;

type Callback = (error: unknown, value?: unknown) => void;

/** How an invocation ends. Only the first call counts. */
interface Ends {
  readonly returns: (value: unknown) => void;
  readonly fails: (error: unknown) => void;
  /** Asks to be told `returns(null)` when nothing of the code is under way any more. */
  readonly awaitsEmptyLoop: () => void;
}

/** Name of the one export of a module with a top-level `await`: a promise of its exports. */
export const EXPORTS_LATER = 'exports later';

/** Returns the name of the exported function: `index.handler` -> `handler`. */
export const exportOf = (handler: string): string => {
  const file = handler.slice(handler.lastIndexOf('/') + 1);
  return file.slice(file.indexOf('.') + 1);
};

/** A module without the function that its configuration names. aws-lambda-nodejs-runtime-interface-client, `src/utils/UserFunction.ts`. */
export class HandlerNotFound extends Error {
  override readonly name = 'Runtime.HandlerNotFound';

  /** @param handler as in `index.handler` */
  constructor(handler: string) {
    super(`${handler} is undefined or not exported`);
  }
}

/** What Lambda's runtime refuses from Node.js 24 on. aws-lambda-nodejs-runtime-interface-client, `src/function/callback-deprecation.ts`. */
export class CallbackHandlerDeprecated extends Error {
  override readonly name = 'Runtime.CallbackHandlerDeprecated';

  constructor() {
    super('AWS Lambda has removed support for callback-based function handlers starting with Node.js 24');
  }
}

/** Returns the major version of Node in which a function runs; `undefined` if its template doesn't say. @param runtime `AWS_Lambda_nodejs22.x` */
function majorVersion(runtime: string | undefined): number | undefined {
  const [, major] = /nodejs(\d+)/.exec(runtime ?? '') ?? [];
  return major === undefined ? undefined : Number(major);
}

/**
 * Checks a handler when its module is loaded.
 * @param runtime `AWS_EXECUTION_ENV`
 * @throws {CallbackHandlerDeprecated} if it takes a callback, and its runtime has none
 */
export function checkHandler(handler: Handler, runtime: string | undefined): void {
  if (handler.length >= 3 && (majorVersion(runtime) ?? 0) >= 24) throw new CallbackHandlerDeprecated();
}

/**
 * Calls a handler as Lambda's runtime for Node.js does: its promise counts, or what it gives to the callback or to a function of the context,
 * or the end of all that it has begun. From Node.js 24 on, a value that is no promise counts too.
 * aws-lambda-nodejs-runtime-interface-client, `src/Runtime/Runtime.ts`, `src/Runtime/CallbackContext.ts` and (24)
 * `src/runtime/buffered-invoke-processor.ts`.
 * @param context its object of the invocation, to which the functions `succeed`, `fail` and `done` are added
 */
export function callHandler(
  handler: Handler,
  input: unknown,
  context: object,
  runtime: string | undefined,
  { returns, fails, awaitsEmptyLoop }: Ends,
): void {
  const onlyPromises = (majorVersion(runtime) ?? 24) >= 24;
  let isOver = false;
  const once = (end: () => void): void => {
    if (isOver) return;
    isOver = true;
    end();
  };
  const done: Callback = (error, value) =>
    once(() => (error === undefined || error === null ? returns(value) : fails(toError(error))));
  const functions = {
    done,
    succeed: (value: unknown) => done(null, value),
    fail: (error: unknown) => done(error ?? 'handled'),
  };
  const given = onlyPromises ? context : Object.assign(context, functions);
  let result: unknown;
  try {
    result = onlyPromises ? handler(input, given) : handler(input, given, done);
  } catch (error) {
    once(() => fails(error));
    return;
  }
  if (onlyPromises || types.isPromise(result)) {
    Promise.resolve(result).then(
      (value) => once(() => returns(value)),
      (error: unknown) => once(() => fails(error)),
    );
    return;
  }
  if (!isOver) awaitsEmptyLoop();
}

/** What a callback gets for an error may be a text. */
const toError = (error: unknown): unknown => (typeof error === 'string' ? new Error(error) : error);
