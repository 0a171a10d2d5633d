import { createRequire } from 'node:module';
import type { Expression } from 'jsonata';
import type { Json } from '../../assembly/intrinsics.js';
import { StateFailure } from './failure.js';
import { type BuiltIn, defineFunctions } from './jsonata-functions.js';
import { findUnsupported, keepLists } from './jsonata-references.js';
import type { Scope } from './scope.js';

/** Value of an expression, or what went wrong, as AWS's text of a cause says it. */
export type Evaluated = { readonly value: Json } | { readonly fault: string };

type Evaluate = (scope: Scope) => Evaluated;

/**
 * Bounds of one evaluation. AWS Step Functions Developer Guide, "Transforming data with JSONata in Step Functions", "Handling expression
 * errors": it takes a second at most, and its recursion has an end. A history has no seconds of its own, so steps count; the depth is one
 * that fits into Node's stack. Decision 0334.
 */
const MOST_STEPS = 1_000_000;
const MOST_DEPTH = 1_000;

let parser: ((text: string) => Expression) | undefined;

/** Loads the library for the first expression, and reads it: worlds without JSONata start without it. @throws {Error} if it is malformed */
function parse(text: string): Expression {
  parser ??= createRequire(import.meta.url)('jsonata') as (text: string) => Expression;
  return parser(text);
}

const BUILT_INS = new Map<string, BuiltIn>();

/** Returns a function of the library. */
function builtIn(name: string): BuiltIn['implementation'] {
  const found = BUILT_INS.get(name) ?? (parse(`$${name}`).evaluate(undefined) as BuiltIn);
  BUILT_INS.set(name, found);
  return found.implementation;
}

/**
 * Reads an expression.
 * @param seen member of `$states` that it may use, besides `input` and `context`
 * @returns a function that evaluates it, or the reason for which AWS refuses a machine with it
 */
export function parseJsonata(text: string, seen: string | undefined): Evaluate | string {
  let expression: Expression;
  try {
    expression = parse(text);
  } catch (error) {
    return (error as Error).message;
  }
  const unsupported = findUnsupported(expression.ast(), seen);
  if (unsupported !== undefined) return unsupported;
  keepLists(expression.ast());
  return compile(expression);
}

function compile(expression: Expression): Evaluate {
  let seen: Scope | undefined;
  defineFunctions(expression, builtIn, () => seen as Scope);
  let [steps, depth] = [0, 0];
  expression.assign('__evaluate_entry', () => {
    if (++steps > MOST_STEPS) throw new Error('Expression evaluation timeout');
    if (++depth > MOST_DEPTH) throw new Error('Stack overflow error');
  });
  expression.assign('__evaluate_exit', () => depth--);
  return (scope) => {
    seen = scope;
    [steps, depth] = [0, 0];
    const { input, context, variables, result, errorOutput } = scope;
    const states = {
      input,
      context,
      ...(result !== undefined && { result }),
      ...(errorOutput !== undefined && { errorOutput }),
    };
    try {
      const value: unknown = expression.evaluate(undefined, { ...variables, states });
      if (value === undefined) return { fault: 'returned nothing (undefined).' };
      return { value: toJson(value) };
    } catch (error) {
      return { fault: describeError(error) };
    }
  };
}

/** Thrown by {@link toJson} for a function. */
const UNSUPPORTED = new Error('returned an unsupported result type.');

/**
 * Copies a value, since the library's objects have no prototype, and its lists have marks.
 * @throws {Error} for what JSON hasn't: infinity, and functions, which are objects with a function in them
 */
function toJson(value: unknown): Json {
  if (Array.isArray(value)) return Array.from(value, toJson);
  if (typeof value === 'function' || (typeof value === 'number' && !Number.isFinite(value))) throw UNSUPPORTED;
  if (typeof value !== 'object' || value === null) return value as Json;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, toJson(member)]));
}

function describeError(error: unknown): string {
  if (error === UNSUPPORTED) return UNSUPPORTED.message;
  if (error instanceof StateFailure) return `threw an error during evaluation. ${error.cause}`;
  const { code, message } = error as { readonly code?: string; readonly message?: string };
  return `threw an error during evaluation. ${code === undefined ? '' : `${code}: `}${message ?? ''}`;
}
