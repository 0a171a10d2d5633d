import type { Json, JsonObject } from '../../assembly/intrinsics.js';
import { NotModelled } from '../../wire/operation.js';
import { EvaluationFailure } from './failure.js';
import { compileJsonata, compileTyped, expressionIn, type Seen } from './jsonata-field.js';
import type { Language } from './language.js';
import { type Ending, type Field, keep } from './scope.js';
import { readTimestamp } from './timestamps.js';

/** Fields of a rule of a Choice. Amazon States Language, "JSONata Choice Rules". */
const RULE = ['Condition', 'Next', 'Assign', 'Output', 'Comment'];

/** States whose fields see a result. */
const WITH_RESULT: ReadonlySet<Json | undefined> = new Set(['Task', 'Parallel', 'Map']);

/**
 * Amazon States Language, "JSONata Concepts", "Table of State Types and Fields (JSONata)"; AWS Step Functions Developer Guide,
 * "Transforming data with JSONata in Step Functions".
 */
export const JSONATA: Language = {
  fields: {
    Pass: ['Output'],
    Task: ['Output', 'Arguments'],
    Choice: ['Output'],
    Wait: ['Output'],
    Succeed: ['Output'],
    Fail: [],
    Parallel: ['Output', 'Arguments'],
    Map: ['Output', 'Items'],
  },
  ofCatchers: ['Output'],
  readInput: () => keep,
  readArguments: ({ Arguments }) => (Arguments === undefined ? keep : compileJsonata(Arguments, 'Arguments')),
  readParameters: ({ Arguments = {} }) => {
    if (expressionIn(Arguments) !== undefined) return {};
    const members = Object.entries(Arguments as JsonObject);
    return Object.fromEntries(
      members.map(([name, value]) => [expressionIn(value) === undefined ? name : `${name}.$`, value]),
    );
  },
  readEnding: (state) => readEnding(state, '', WITH_RESULT.has(state.Type) ? 'result' : undefined),
  readCatcher: (catcher, at) => readEnding(catcher, `Catch[${at}]/`, 'errorOutput'),
  readRule: (_, rule, at) => {
    const unknown = Object.keys(rule).filter((name) => !RULE.includes(name));
    if (unknown.length > 0) throw new NotModelled(`Choices[${at}]: ${unknown.join(', ')} in JSONata`);
    const where = `Choices[${at}]/`;
    const holds = compileTyped(rule.Condition, `${where}Condition`, 'boolean') as Field<boolean>;
    return { holds, next: String(rule.Next), ending: readEnding(rule, where) };
  },
  readNumber: (state, name, least) => {
    if (state[name] === undefined) return undefined;
    const field = compileTyped(state[name], name, 'number') as Field<number>;
    return (scope) => {
      const value = field(scope);
      if (!Number.isInteger(value))
        throw new EvaluationFailure(`The ${name} field cannot be parsed as an integer: ${value}`, name);
      if (value < least) throw new EvaluationFailure(`The ${name} field must be ${least} or more: ${value}`, name);
      return value;
    };
  },
  readTimestamp: ({ Timestamp }) => {
    if (Timestamp === undefined) return undefined;
    if (expressionIn(Timestamp) === undefined && readTimestamp(Timestamp) === undefined)
      throw new NotModelled(`String does not match RFC3339 timestamp at Timestamp`);
    const field = compileTyped(Timestamp, 'Timestamp', 'string');
    return (scope) => {
      const value = field(scope);
      const at = readTimestamp(value);
      if (at !== undefined) return at;
      const expected = 'an ISO-8601 extended offset date-time format string';
      throw new EvaluationFailure(`The Timestamp field cannot be parsed as ${expected}: ${String(value)}`, 'Timestamp');
    };
  },
  readText: (state, name) => compileTyped(state[name] ?? '', name, 'string') as Field<string>,
  readItems: ({ Items }) => {
    if (Items !== undefined) return compileTyped(Items, 'Items', 'array') as Field<readonly Json[]>;
    return ({ input }) => {
      if (Array.isArray(input)) return input as readonly Json[];
      throw new EvaluationFailure('The input of a Map without Items is no array.', 'Items');
    };
  },
  readItemSelector: ({ ItemSelector }) =>
    ItemSelector === undefined ? undefined : compileJsonata(ItemSelector, 'ItemSelector'),
  namesOf: (assign) => Object.keys(assign),
};

/** Reads how a state, a rule or a catcher ends. "Using Arguments and Output", "Using Assign". @param where path of it in its state */
function readEnding({ Output, Assign }: JsonObject, where: string, seen?: Seen): Ending {
  const output = Output === undefined ? undefined : compileJsonata(Output, `${where}Output`, seen);
  const assign = compileAssign(Assign, `${where}Assign`, seen);
  return (scope, result) => {
    const all = seen === undefined ? scope : { ...scope, [seen]: result };
    return { output: output ? output(all) : result, assigned: assign(all) };
  };
}

function compileAssign(assign: Json | undefined, location: string, seen: Seen | undefined): Field<JsonObject> {
  if (assign === undefined) return () => ({});
  if (typeof assign !== 'object' || assign === null || Array.isArray(assign))
    throw new NotModelled(`${location} is no object`);
  return compileJsonata(assign, location, seen) as Field<JsonObject>;
}
