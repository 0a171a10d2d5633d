/** AWS, "Key condition expressions for the Query operation in DynamoDB". */
import { validation } from '../errors.js';
import { checkComparedKey } from '../keys.js';
import type { KeySchema } from '../table-definition.js';
import { compareValues, invalid, typeOf } from '../values.js';
import type { AttributeValue, KeyType } from '../wire.js';
import { beginsWith, bindCondition, conditionSyntax } from './condition.js';
import type { ConditionSyntax, OperandSyntax } from './condition-grammar.js';
import { asExpressionError, type Placeholders } from './placeholders.js';

export interface KeyCondition {
  readonly partition: AttributeValue;
  /**
   * Position of a sort key: before the range (negative), in it (0) or after it. With every operator, the matching items
   * are contiguous in sort order.
   */
  readonly position: (sortKey: AttributeValue) => number;
}

interface Term {
  readonly operator: '=' | '<' | '<=' | '>' | '>=' | 'between' | 'begins_with';
  readonly name: string;
  readonly values: readonly AttributeValue[];
}

const MIRRORED = { '=': '=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;

/**
 * @param index whose keys are compared; absent for the table's keys
 * @throws {DynamoDbError} ValidationException if it isn't one value of the partition key and one range of the sort key,
 *   or if it compares with a value that no key can have
 */
export function bindKeyCondition(
  text: string,
  placeholders: Placeholders,
  key: KeySchema,
  types: ReadonlyMap<string, KeyType>,
  index?: string,
): KeyCondition {
  // Errors that any condition can have are reported first, in the words of a condition.
  const terms = asExpressionError('KeyConditionExpression', () => {
    bindCondition('KeyConditionExpression', text, placeholders);
    return collectTerms(conditionSyntax(text), placeholders);
  });
  const names = terms.map(({ name }) => name);
  if (new Set(names).size < names.length) {
    throw validation('KeyConditionExpressions must only contain one condition per key');
  }
  const partition = terms.find(({ name }) => name === key.partition);
  const sort = terms.find(({ name }) => name === key.sort);
  if (!partition || terms.length !== (sort ? 2 : 1)) {
    throw validation(`Query condition missed key schema element: ${partition ? key.sort : key.partition}`);
  }
  if (partition.operator !== '=') throw validation('Query key condition not supported');
  for (const { name, values } of terms) {
    for (const value of values) {
      if (typeOf(value) !== types.get(name)) throw invalid('Condition parameter type does not match schema type');
    }
  }
  for (const { name, values } of sort ? [partition, sort] : [partition]) {
    for (const value of values) checkComparedKey(value, name, key, index);
  }
  const [value] = partition.values as readonly [AttributeValue];
  return { partition: value, position: sort ? buildPosition(sort) : () => 0 };
}

function collectTerms(syntax: ConditionSyntax, placeholders: Placeholders): readonly Term[] {
  switch (syntax.kind) {
    case 'and':
      return [...collectTerms(syntax.left, placeholders), ...collectTerms(syntax.right, placeholders)];
    case 'compare': {
      const { comparator } = syntax;
      if (comparator === '<>') throw wrongOperator('<>');
      const swapped = syntax.left.kind === 'value';
      const [name, value] = swapped ? [syntax.right, syntax.left] : [syntax.left, syntax.right];
      return [term(swapped ? MIRRORED[comparator] : comparator, name, [value], placeholders)];
    }
    case 'between':
      return [term('between', syntax.operand, [syntax.low, syntax.high], placeholders)];
    case 'call': {
      const [name, ...values] = syntax.operands as readonly [OperandSyntax, ...OperandSyntax[]];
      if (syntax.name !== 'begins_with') throw wrongOperator(syntax.name);
      return [term('begins_with', name, values, placeholders)];
    }
    default:
      throw wrongOperator(syntax.kind.toUpperCase());
  }
}

const wrongOperator = (operator: string) => validation(`Invalid operator used in KeyConditionExpression: ${operator}`);

function term(
  operator: Term['operator'],
  name: OperandSyntax,
  values: readonly OperandSyntax[],
  placeholders: Placeholders,
): Term {
  if ([name, ...values].some(({ kind }) => kind === 'call')) {
    throw validation('KeyConditionExpressions cannot contain nested operations');
  }
  if (name.kind !== 'path') {
    throw validation('Invalid condition in KeyConditionExpression: No key attribute specified');
  }
  const path = placeholders.path(name.path);
  if (path.length > 1) {
    throw validation(
      `Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: ${path[0]}`,
    );
  }
  const constants = values.map((value) => {
    if (value.kind === 'value') return placeholders.value(value.reference);
    throw validation('Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition');
  });
  return { operator, name: String(path[0]), values: constants };
}

function buildPosition({ operator, values }: Term): KeyCondition['position'] {
  const [value, high = value] = values as readonly [AttributeValue, AttributeValue?];
  const to = (bound: AttributeValue) => (sortKey: AttributeValue) => compareValues(sortKey, bound) ?? 0;
  const [toValue, toHigh] = [to(value), to(high as AttributeValue)];
  switch (operator) {
    case '=':
      return toValue;
    case '<':
      return (sortKey) => (toValue(sortKey) < 0 ? 0 : 1);
    case '<=':
      return (sortKey) => (toValue(sortKey) <= 0 ? 0 : 1);
    case '>':
      return (sortKey) => (toValue(sortKey) > 0 ? 0 : -1);
    case '>=':
      return (sortKey) => (toValue(sortKey) >= 0 ? 0 : -1);
    case 'between':
      return (sortKey) => (toValue(sortKey) < 0 ? -1 : toHigh(sortKey) > 0 ? 1 : 0);
    case 'begins_with':
      return (sortKey) => (beginsWith(sortKey, value) ? 0 : toValue(sortKey));
  }
}
