import type { Json, JsonObject } from '../../assembly/intrinsics.js';
import { NotModelled } from '../../wire/operation.js';
import { EvaluationFailure } from './failure.js';
import { parseJsonata } from './jsonata-expression.js';
import type { Field } from './scope.js';

/** Member of `$states` that a field sees, besides the input and the context object. */
export type Seen = 'result' | 'errorOutput';

/** Returns the expression in a "JSONata string". Amazon States Language, "Expressions": it begins with `{%` and ends with `%}`, without spaces around. */
export const expressionIn = (value: Json | undefined): string | undefined =>
  typeof value === 'string' ? /^\{%([\s\S]*)%\}$/.exec(value)?.[1]?.trim() : undefined;

/**
 * Reads a field of JSONata. "JSONata Evaluation": each JSONata string in it, however deep, is replaced by its value.
 * @param location of the field in its state: `Output`
 * @throws {NotModelled} if AWS refuses an expression when the machine is created
 */
export function compileJsonata(value: Json, location: string, seen?: Seen): Field {
  const text = expressionIn(value);
  if (text !== undefined) return compileExpression(text, location, seen);
  if (typeof value === 'string' && (value.startsWith('{%') || value.endsWith('%}')))
    throw new NotModelled(`an expression of JSONata begins with {% and ends with %} at ${location}`);
  if (Array.isArray(value)) {
    const members = value.map((member, at) => compileJsonata(member, `${location}[${at}]`, seen));
    return (scope) => members.map((member) => member(scope));
  }
  if (typeof value !== 'object' || value === null) return () => value;
  const members = Object.entries(value as JsonObject).map(
    ([name, member]) => [name, compileJsonata(member, `${location}/${name}`, seen)] as const,
  );
  return (scope) => Object.fromEntries(members.map(([name, member]) => [name, member(scope)]));
}

function compileExpression(text: string, location: string, seen: Seen | undefined): Field {
  const evaluate = parseJsonata(text, seen);
  if (typeof evaluate === 'string') throw new NotModelled(`${evaluate} at ${location}`);
  const said = `The JSONata expression '${text}' specified for the field '${location}'`;
  return (scope) => {
    const evaluated = evaluate(scope);
    if ('value' in evaluated) return evaluated.value;
    throw new EvaluationFailure(`${said} ${evaluated.fault}`, location);
  };
}

/** Types of JSON, as JSONata's `$type` names them. */
type Type = 'null' | 'number' | 'string' | 'boolean' | 'array' | 'object';

const typeOf = (value: Json): Type =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : (typeof value as Exclude<Type, 'null' | 'array'>);

/** Reads a field whose value must have a type. @throws {NotModelled} also if it is a constant of another type */
export function compileTyped(value: Json | undefined, location: string, type: Type): Field {
  const text = expressionIn(value);
  if (value === undefined || (text === undefined && typeOf(value) !== type))
    throw new NotModelled(`${location} is no ${type}`);
  const field = compileJsonata(value, location);
  if (text === undefined) return field;
  return (scope) => {
    const found = field(scope);
    if (typeOf(found) === type) return found;
    const said = `The JSONata expression '${text}' specified for the field '${location}'`;
    const got = `Expected '${type}', but was '${typeOf(found)}' for value: ${JSON.stringify(found)}`;
    throw new EvaluationFailure(`${said} returned an unexpected result type. ${got}`, location);
  };
}
