import type { Json, JsonObject } from '../../assembly/intrinsics.js';
import { type Path, parsePath, readAt, writeAt } from '../../wire/json-path.js';
import { NotModelled } from '../../wire/operation.js';
import { runtimeFailure, StateFailure } from './failure.js';
import { INTRINSICS } from './intrinsics.js';
import { type Field, keep, type Scope } from './scope.js';
import { RESERVED } from './variables.js';

/** Beginning of a path into a variable. Amazon States Language, "State Machine Variables": `$name` is an identifier of Unicode. */
const VARIABLE = /^\$([\p{ID_Start}][\p{ID_Continue}]*)/u;

/** A path of a state, which may begin at a variable. */
export interface Reference {
  readonly path: Path;
  /** Returns what it selects, `undefined` if nothing is there. */
  readonly find: (scope: Scope) => Json | undefined;
}

/** Reads a path of a state: into its input, the context object or a variable. @throws {NotModelled} */
export function parseReference(text: string): Reference {
  const [begin = '', name] = VARIABLE.exec(text) ?? [];
  if (name === undefined) {
    const path = parsePath(text);
    return { path, find: ({ input, context }) => readAt(path, path.isOfContext ? context : input) };
  }
  if (name === RESERVED) throw new NotModelled(`the path '${text}': $${RESERVED} has no contents in JSONPath`);
  const path = parsePath(`$${text.slice(begin.length)}`);
  const find = ({ variables }: Scope): Json | undefined =>
    Object.hasOwn(variables, name) ? readAt(path, variables[name] as Json) : undefined;
  return { path, find };
}

/** Reads a path as a field. @throws {NotModelled} */
export function compilePath(text: string): Field {
  const { find } = parseReference(text);
  return (scope) => {
    const found = find(scope);
    if (found === undefined) throw runtimeFailure(`The path '${text}' could not be found in the input`);
    return found;
  };
}

/** Reads a path or an intrinsic function. @throws {NotModelled} */
export function compileExpression(text: string): Field {
  const { field, end } = readExpression(text.trim(), 0);
  if (end !== text.trim().length) throw new NotModelled(`the expression '${text}' has more behind its end`);
  return field;
}

/** Reads a template: in each member whose name ends in `.$`, a path or an intrinsic function. "Payload Template". @throws {NotModelled} */
export function compileTemplate(template: Json): Field {
  if (Array.isArray(template)) {
    const members = template.map(compileTemplate);
    return (scope) => members.map((member) => member(scope));
  }
  if (typeof template !== 'object' || template === null) return () => template;
  const members = Object.entries(template as JsonObject).map(([name, value]) => {
    if (!name.endsWith('.$')) return [name, compileTemplate(value)] as const;
    if (typeof value !== 'string') throw new NotModelled(`'${name}' is no text`);
    return [name.slice(0, -2), compileExpression(value)] as const;
  });
  return (scope) => Object.fromEntries(members.map(([name, member]) => [name, member(scope)]));
}

/** Reads InputPath, ItemsPath or OutputPath: `null` stands for an empty object. @throws {NotModelled} */
export const compileSelection = (text: Json | undefined): Field => {
  if (text === null) return () => ({});
  return text === undefined || text === '$' ? keep : compilePath(String(text));
};

/**
 * Reads ResultPath: where a result goes in the state's input. "ResultPath": `null` discards the result.
 * @throws {NotModelled}
 */
export function compileResultPath(text: Json | undefined): (input: Json, result: Json) => Json {
  if (text === null) return (input) => input;
  const path = parsePath(String(text ?? '$'));
  if (!path.isDefinite || path.isOfContext) throw new NotModelled(`ResultPath '${path.text}' is no reference path`);
  return (input, result) => {
    const written = writeAt(path.steps, input, result);
    if (written === undefined)
      throw new StateFailure('States.ResultPathMatchFailure', `Unable to apply the path '${path.text}' to the input`);
    return written;
  };
}

interface Read {
  readonly field: Field;
  readonly end: number;
}

const LITERAL = /(true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?=\s*[,)])/y;
const TEXT = /'((?:[^'\\]|\\.)*)'/y;
const CALL = /(States\.\w+)\s*\(\s*/y;
const PATH = /\$(?:\[(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\]'"])*\]|[^\s,)[])*/y;
const SPACE = /\s*/y;

/** Amazon States Language, "Intrinsic Functions": texts in apostrophes, numbers, paths, and other functions are arguments. */
function readExpression(text: string, at: number): Read {
  const called = matchAt(CALL, text, at);
  if (called) return readCall(text, called[1] ?? '', at + called[0].length);
  const path = matchAt(PATH, text, at);
  if (path) return { field: compilePath(path[0]), end: at + path[0].length };
  const literal = matchAt(LITERAL, text, at);
  if (literal) {
    const value = JSON.parse(literal[0]) as Json;
    return { field: () => value, end: at + literal[0].length };
  }
  const quoted = matchAt(TEXT, text, at);
  if (!quoted) throw new NotModelled(`the expression '${text}' isn't modelled from '${text.slice(at)}' on`);
  // A template of States.Format keeps its escaped braces.
  const value = (quoted[1] ?? '').replace(/\\(['\\])/g, '$1');
  return { field: () => value, end: at + quoted[0].length };
}

function readCall(text: string, name: string, begin: number): Read {
  const intrinsic = Object.hasOwn(INTRINSICS, name) ? INTRINSICS[name] : undefined;
  if (!intrinsic) throw new NotModelled(`the intrinsic function ${name}`);
  const args: Field[] = [];
  let at = begin;
  while (text[at] !== ')') {
    const read = readExpression(text, at);
    args.push(read.field);
    at = skipSpace(text, read.end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
    else if (text[at] !== ')')
      throw new NotModelled(`the expression '${text}' isn't modelled from '${text.slice(at)}' on`);
  }
  const field: Field = (scope) =>
    intrinsic(
      args.map((arg) => arg(scope)),
      scope.random,
    );
  return { field, end: at + 1 };
}

function matchAt(form: RegExp, text: string, at: number): RegExpExecArray | null {
  form.lastIndex = at;
  return form.exec(text);
}

const skipSpace = (text: string, at: number): number => at + (matchAt(SPACE, text, at)?.[0].length ?? 0);
