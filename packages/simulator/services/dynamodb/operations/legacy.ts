/**
 * Translates the parameters that came before expressions. AWS, "Legacy conditional parameters" (AttributesToGet,
 * AttributeUpdates, ConditionalOperator, Expected, KeyConditions, QueryFilter, ScanFilter).
 */
import { validation } from '../errors.js';
import { Words } from '../expressions/words.js';
import { invalid } from '../values.js';
import type { WireObject } from '../wire.js';
import type { Shape } from './shape.js';

interface LegacyCondition {
  readonly Exists?: boolean;
  readonly Value?: unknown;
  readonly ComparisonOperator?: string;
  readonly AttributeValueList?: readonly unknown[];
}

interface LegacyUpdate {
  readonly Action?: 'PUT' | 'ADD' | 'DELETE';
  readonly Value?: unknown;
}

const COMPARATORS: Readonly<Record<string, string>> = { EQ: '=', NE: '<>', LE: '<=', LT: '<', GE: '>=', GT: '>' };
const FUNCTIONS: Readonly<Record<string, string>> = {
  CONTAINS: 'contains',
  BEGINS_WITH: 'begins_with',
  NULL: 'attribute_not_exists',
  NOT_NULL: 'attribute_exists',
};
const OPERANDS: Readonly<Record<string, number>> = { NULL: 0, NOT_NULL: 0, BETWEEN: 2 };
const OF_KEYS: ReadonlySet<string> = new Set(['EQ', 'LE', 'LT', 'GE', 'GT', 'BEGINS_WITH', 'BETWEEN']);
const CONDITIONS = ['Expected', 'QueryFilter', 'ScanFilter'] as const;

/**
 * Returns the same request with expressions alone.
 * @throws {DynamoDbError} ValidationException if it mixes legacy parameters and expressions
 */
export function translateLegacy(input: WireObject, shape: Shape): WireObject {
  refuseMixture(input, shape);
  const { ConditionalOperator, KeyConditions, AttributesToGet, AttributeUpdates } = input;
  const words = new Words(input);
  const others = Object.fromEntries(
    Object.entries(input).filter(
      ([member]) => !shape.legacy.includes(member) && !member.startsWith('ExpressionAttribute'),
    ),
  );
  const [condition] = CONDITIONS.filter((member) => input[member] !== undefined);
  const conditions = condition && (input[condition] as Readonly<Record<string, LegacyCondition>>);
  const count = Object.keys(conditions ?? {}).length;
  if (ConditionalOperator !== undefined && count < 2) {
    throw validation(
      count === 0
        ? 'ConditionalOperator cannot be used without Filter or Expected'
        : 'ConditionalOperator can only be used when Filter or Expected has two or more elements',
    );
  }
  const operator = ConditionalOperator === 'OR' ? ' OR ' : ' AND ';
  return {
    ...others,
    ...(conditions && count > 0
      ? {
          [condition === 'Expected' ? 'ConditionExpression' : 'FilterExpression']: Object.entries(conditions)
            .map(([name, each]) => conditionText(name, each, words))
            .join(operator),
        }
      : {}),
    ...(KeyConditions === undefined ? {} : { KeyConditionExpression: keyText(KeyConditions as object, words) }),
    ...(AttributesToGet === undefined ? {} : { ProjectionExpression: projectionText(AttributesToGet, words) }),
    ...(AttributeUpdates === undefined ? {} : updateText(AttributeUpdates as Record<string, LegacyUpdate>, words)),
    ...words.members(),
  };
}

/** A Query may have KeyConditions beside a FilterExpression. */
function refuseMixture(input: WireObject, { expressions, legacy }: Shape): void {
  const used = expressions.filter((member) => input[member] !== undefined);
  const old = legacy.filter(
    (member) =>
      input[member] !== undefined && (member !== 'KeyConditions' || input.KeyConditionExpression !== undefined),
  );
  if (used.length === 0 || old.length === 0) return;
  throw validation(
    `Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {${old.join(', ')}} Expression parameters: {${used.join(', ')}}`,
  );
}

function conditionText(name: string, condition: LegacyCondition, words: Words): string {
  const { Exists, Value, ComparisonOperator: operator, AttributeValueList: list } = condition;
  const refuse = (what: string): never => {
    throw invalid(`${what} for Attribute: ${name}`);
  };
  if (Value !== undefined && list !== undefined) refuse('Value and AttributeValueList cannot be used together');
  if (operator === undefined) {
    if (list !== undefined) refuse('AttributeValueList can only be used with a ComparisonOperator');
    if (Exists === false) {
      if (Value !== undefined) refuse('Value cannot be used when Exists is false');
      return `attribute_not_exists(${words.name(name)})`;
    }
    if (Value === undefined) refuse(`Value must be provided when Exists is ${Exists === undefined ? 'null' : 'true'}`);
    return `${words.name(name)} = ${words.value(Value)}`;
  }
  if (Exists !== undefined) refuse('Exists and ComparisonOperator cannot be used together');
  return comparisonText(words.name(name), operator, list ?? (Value === undefined ? [] : [Value]), words);
}

function comparisonText(name: string, operator: string, operands: readonly unknown[], words: Words): string {
  const expected = operator === 'IN' ? Math.max(1, operands.length) : (OPERANDS[operator] ?? 1);
  if (operands.length !== expected) {
    throw invalid(`Invalid number of argument(s) for the ${operator} ComparisonOperator`);
  }
  const references = operands.map((operand) => words.value(operand));
  const [first, second] = references;
  if (operator === 'BETWEEN') return `${name} BETWEEN ${first} AND ${second}`;
  // An attribute that doesn't exist contains nothing, and yet doesn't match.
  if (operator === 'NOT_CONTAINS') return `attribute_exists(${name}) AND NOT contains(${name}, ${first})`;
  if (operator === 'IN') return `${name} IN (${references.join(', ')})`;
  const comparator = COMPARATORS[operator];
  if (comparator !== undefined) return `${name} ${comparator} ${first}`;
  const called = FUNCTIONS[operator];
  if (called !== undefined) return `${called}(${[name, ...(first === undefined ? [] : [first])].join(', ')})`;
  throw validation(
    `1 validation error detected: Value '${operator}' at 'comparisonOperator' failed to satisfy constraint: Member must satisfy enum value set: [IN, NULL, BETWEEN, LT, NOT_CONTAINS, EQ, GT, NOT_NULL, NE, LE, BEGINS_WITH, GE, CONTAINS]`,
  );
}

function keyText(conditions: object, words: Words): string {
  return Object.entries(conditions as Readonly<Record<string, LegacyCondition>>)
    .map(([name, { ComparisonOperator: operator = '', AttributeValueList: list = [] }]) => {
      if (!OF_KEYS.has(operator)) {
        throw validation('Attempted conditional constraint is not an indexable operation');
      }
      return comparisonText(words.name(name), operator, list, words);
    })
    .join(' AND ');
}

function projectionText(names: unknown, words: Words): string {
  const wanted = names as readonly string[];
  const repeated = wanted.find((name, at) => wanted.indexOf(name) < at);
  if (repeated !== undefined) throw invalid(`Duplicate value in attribute name: ${repeated}`);
  return wanted.map((name) => words.name(name)).join(', ');
}

function updateText(updates: Readonly<Record<string, LegacyUpdate>>, words: Words): WireObject {
  const sections: Record<string, string[]> = {};
  for (const [attribute, { Action = 'PUT', Value }] of Object.entries(updates)) {
    if (Value === undefined && Action !== 'DELETE') {
      throw invalid('Only DELETE action is allowed when no attribute value is specified');
    }
    const name = words.name(attribute);
    const [section, text] = actionText(name, Action, Value, words);
    sections[section] = [...(sections[section] ?? []), text];
  }
  const text = Object.entries(sections).map(([section, actions]) => `${section} ${actions.join(', ')}`);
  return text.length === 0 ? {} : { UpdateExpression: text.join(' ') };
}

/** @returns the section of an update expression, and its part there */
function actionText(name: string, action: string, value: unknown, words: Words): readonly [string, string] {
  if (value === undefined) return ['REMOVE', name];
  const reference = words.value(value);
  if (action === 'PUT') return ['SET', `${name} = ${reference}`];
  // ADD appends to a list, which no ADD of an expression does.
  if (action === 'ADD' && typeof value === 'object' && value !== null && 'L' in value) {
    return ['SET', `${name} = list_append(if_not_exists(${name}, ${words.value({ L: [] })}), ${reference})`];
  }
  return [action, `${name} ${reference}`];
}
