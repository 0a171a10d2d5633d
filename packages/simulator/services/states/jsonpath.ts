import type { Json, JsonObject } from '../../assembly/intrinsics.js';
import { NotModelled } from '../../wire/operation.js';
import { compileCondition } from './choice.js';
import { runtimeFailure } from './failure.js';
import type { Language } from './language.js';
import { compileExpression, compilePath, compileResultPath, compileSelection, compileTemplate } from './payload.js';
import { type Ending, type Field, keep } from './scope.js';
import { readTimestamp } from './timestamps.js';

const FLOW = ['InputPath', 'OutputPath'];
const RESULTS = ['Parameters', 'ResultSelector', 'ResultPath'];

/** States that have a result, besides what they work on. */
const WITH_RESULT: ReadonlySet<Json | undefined> = new Set(['Pass', 'Task', 'Parallel', 'Map']);

/** Amazon States Language, "JSONPath Concepts", "Table of State Types and Fields (JSONPath)". */
export const JSONPATH: Language = {
  fields: {
    Pass: [...FLOW, 'Parameters', 'ResultPath', 'Result'],
    Task: [...FLOW, ...RESULTS, 'TimeoutSecondsPath', 'HeartbeatSecondsPath'],
    Choice: FLOW,
    Wait: [...FLOW, 'SecondsPath', 'TimestampPath'],
    Succeed: FLOW,
    Fail: ['ErrorPath', 'CausePath'],
    Parallel: [...FLOW, ...RESULTS],
    Map: [...FLOW, ...RESULTS, 'ItemsPath', 'MaxConcurrencyPath'],
  },
  ofCatchers: ['ResultPath'],
  readInput: ({ InputPath }) => compileSelection(InputPath),
  readArguments: ({ Result, Parameters }) => {
    if (Result !== undefined) return () => Result;
    return Parameters === undefined ? keep : compileTemplate(Parameters);
  },
  readParameters: ({ Parameters = {} }) => Parameters as JsonObject,
  readEnding: ({ Type, ResultSelector, ResultPath, OutputPath, Assign }) => {
    const select = compileSelection(OutputPath);
    const assign = compileAssign(Assign);
    if (!WITH_RESULT.has(Type))
      return (scope, input) => ({ output: select({ ...scope, input }), assigned: assign({ ...scope, input }) });
    const shape = ResultSelector === undefined ? keep : compileTemplate(ResultSelector);
    const place = compileResultPath(ResultPath);
    return (scope, result) => {
      const input = place(scope.input, shape({ ...scope, input: result }));
      return { output: select({ ...scope, input }), assigned: assign({ ...scope, input: result }) };
    };
  },
  readCatcher: ({ ResultPath, Assign }) => {
    const place = compileResultPath(ResultPath);
    const assign = compileAssign(Assign);
    return (scope, error) => ({ output: place(scope.input, error), assigned: assign({ ...scope, input: error }) });
  },
  readRule: ({ OutputPath }, rule) => {
    const select = compileSelection(OutputPath);
    const assign = compileAssign(rule.Assign);
    const ending: Ending = (scope, input) => ({
      output: select({ ...scope, input }),
      assigned: assign({ ...scope, input }),
    });
    return { holds: compileCondition(rule), next: String(rule.Next), ending };
  },
  readNumber: (state, name, least) => {
    const field = readEither(state, name);
    return (
      field &&
      ((scope) => {
        const value = field(scope);
        // As recorded at AWS, a text of a whole number is one.
        if (!/^-?\d+$/.test(String(value)))
          throw runtimeFailure(`The ${name}Path parameter cannot be parsed as a long value: ${JSON.stringify(value)}`);
        if (Number(value) < least)
          throw runtimeFailure(`The ${name}Path parameter references a value below ${least}: ${String(value)}`);
        return Number(value);
      })
    );
  },
  readTimestamp: (state) => {
    const field = readEither(state, 'Timestamp');
    return (
      field &&
      ((scope) => {
        const value = field(scope);
        const at = readTimestamp(value);
        if (at === undefined) throw runtimeFailure(`Wait: ${JSON.stringify(value)} is no timestamp`);
        return at;
      })
    );
  },
  readText: (state, name) => {
    const path = state[`${name}Path`];
    const field: Field = path === undefined ? () => state[name] ?? '' : compileExpression(String(path));
    return (scope) => String(field(scope));
  },
  readItems: ({ ItemsPath }) => {
    const items = compileSelection(ItemsPath);
    return (scope) => {
      const found = items(scope);
      if (!Array.isArray(found)) throw runtimeFailure('the items of the Map are no array');
      return found as readonly Json[];
    };
  },
  // Of a Map, "Parameters" is the older name of "ItemSelector".
  readItemSelector: ({ ItemSelector, Parameters }) => {
    const shape = ItemSelector ?? Parameters;
    return shape === undefined ? undefined : compileTemplate(shape);
  },
  namesOf: (assign) => Object.keys(assign).map((name) => name.replace(/\.\$$/, '')),
};

/** Reads values for variables: a template, whose `$` is the result. "Using Assign". */
function compileAssign(assign: Json | undefined): Field<JsonObject> {
  if (assign === undefined) return () => ({});
  if (typeof assign !== 'object' || assign === null || Array.isArray(assign))
    throw new NotModelled('Assign is no object');
  return compileTemplate(assign) as Field<JsonObject>;
}

/** Reads a value, or the path that `<name>Path` has. */
function readEither(state: JsonObject, name: string): Field | undefined {
  const path = state[`${name}Path`];
  if (path !== undefined) return compilePath(String(path));
  const value = state[name];
  return value === undefined ? undefined : () => value;
}
