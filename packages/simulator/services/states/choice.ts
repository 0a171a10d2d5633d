import type { Json, JsonObject } from '../../assembly/intrinsics.js';
import { NotModelled } from '../../wire/operation.js';
import { runtimeFailure } from './failure.js';
import { compilePath, parseReference } from './payload.js';
import type { Field, Scope } from './scope.js';
import { readTimestamp } from './timestamps.js';

type Comparison = (one: number | string, other: number | string) => boolean;

const ORDERS: Readonly<Record<string, Comparison>> = {
  Equals: (one, other) => one === other,
  LessThan: (one, other) => one < other,
  GreaterThan: (one, other) => one > other,
  LessThanEquals: (one, other) => one <= other,
  GreaterThanEquals: (one, other) => one >= other,
};

/** What is compared, by the beginning of an operator's name: a value of another type matches nothing. */
const TYPES: Readonly<Record<string, (value: Json | undefined) => number | string | undefined>> = {
  String: (value) => (typeof value === 'string' ? value : undefined),
  Numeric: (value) => (typeof value === 'number' ? value : undefined),
  Timestamp: readTimestamp,
  Boolean: (value) => (typeof value === 'boolean' ? String(value) : undefined),
};

const KINDS: Readonly<Record<string, (value: Json | undefined) => boolean>> = {
  IsNull: (value) => value === null,
  IsPresent: (value) => value !== undefined,
  IsNumeric: (value) => typeof value === 'number',
  IsString: (value) => typeof value === 'string',
  IsBoolean: (value) => typeof value === 'boolean',
  IsTimestamp: (value) => readTimestamp(value) !== undefined,
};

const OF_RULES = new Set(['Next', 'Comment', 'Variable', 'Assign']);

/** Reads a rule of a Choice. Amazon States Language, "Choice State". @throws {NotModelled} */
export function compileCondition(rule: JsonObject): Field<boolean> {
  const operators = Object.keys(rule).filter((name) => !OF_RULES.has(name));
  const [operator = ''] = operators;
  if (operators.length !== 1) throw new NotModelled(`a choice rule with the operators [${operators.join(', ')}]`);
  const operand = rule[operator] as Json;
  if (operator === 'Not') {
    const negated = compileCondition(operand as JsonObject);
    return (scope) => !negated(scope);
  }
  if (operator === 'And' || operator === 'Or') {
    const parts = (operand as readonly JsonObject[]).map(compileCondition);
    return (scope) => (operator === 'And' ? parts.every((part) => part(scope)) : parts.some((part) => part(scope)));
  }
  if (rule.Variable === undefined) throw new NotModelled('a choice rule without Variable');
  return compileComparison(operator, String(rule.Variable), operand);
}

function compileComparison(operator: string, variable: string, operand: Json): Field<boolean> {
  const { find } = parseReference(variable);
  const kind = KINDS[operator];
  if (kind && operator === 'IsPresent') return (scope) => kind(find(scope)) === operand;
  const read = (scope: Scope): Json => {
    const found = find(scope);
    if (found === undefined)
      throw runtimeFailure(
        `Invalid path '${variable}': the choice state's condition path references an invalid value.`,
      );
    return found;
  };
  if (kind) return (scope) => kind(read(scope)) === operand;
  if (operator === 'StringMatches') {
    const pattern = compileWildcards(String(operand));
    return (scope) => {
      const value = read(scope);
      return typeof value === 'string' && pattern.test(value);
    };
  }
  const [, type = '', order = '', ofPath] =
    /^(String|Numeric|Timestamp|Boolean)(Equals|(?:Less|Greater)Than(?:Equals)?)(Path)?$/.exec(operator) ?? [];
  const [typed, compare] = [TYPES[type], ORDERS[order]];
  if (!typed || !compare || (type === 'Boolean' && order !== 'Equals'))
    throw new NotModelled(`the operator ${operator}`);
  const other = ofPath === undefined ? () => operand : compilePath(String(operand));
  return (scope) => {
    const [one, two] = [typed(read(scope)), typed(other(scope))];
    return one !== undefined && two !== undefined && compare(one, two);
  };
}

/** "StringMatches": `*` matches any text; a backslash makes it, or itself, a plain character. */
function compileWildcards(text: string): RegExp {
  const pattern = text.replace(/\\([*\\])|\*|[.+?^${}()|[\]\\]/g, (found, escaped: string | undefined) =>
    escaped === undefined ? (found === '*' ? '[\\s\\S]*' : `\\${found}`) : `\\${escaped}`,
  );
  return new RegExp(`^${pattern}$`);
}
