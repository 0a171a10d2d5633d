/** AWS, "Comparison operator and function reference in DynamoDB"; "Condition and filter expressions". */
import { valueBytes } from '../size.js';
import { compareValues, contentOf, decodeBase64, equalValues, typeOf } from '../values.js';
import type { AttributeValue, Item, TypeName } from '../wire.js';
import { type Comparator, type ConditionSyntax, type OperandSyntax, parseCondition } from './condition-grammar.js';
import { findValue, isSamePath, type Path, pathText } from './paths.js';
import { asExpressionError, cacheParser, type Placeholders } from './placeholders.js';
import { ExpressionFault } from './tokens.js';

/** A predicate on an item, or on no item: then no attribute exists. */
export type Condition = (item: Item) => boolean;
type Operand = (item: Item) => AttributeValue | undefined;

const TYPE_NAMES = ['S', 'N', 'B', 'BOOL', 'NULL', 'SS', 'NS', 'BS', 'L', 'M'];
const ORDERED: readonly TypeName[] = ['S', 'N', 'B'];
const WITH_SIZE: readonly TypeName[] = ['S', 'B', 'SS', 'NS', 'BS', 'L', 'M'];

export const conditionSyntax = cacheParser(parseCondition);

/** Compiles a condition or filter; it is always true if there is none. @throws {DynamoDbError} ValidationException */
export function bindCondition(
  name: 'ConditionExpression' | 'FilterExpression' | 'KeyConditionExpression',
  text: string | undefined,
  placeholders: Placeholders,
): Condition {
  if (text === undefined) return () => true;
  return asExpressionError(name, () => bind(conditionSyntax(text), placeholders));
}

/** Returns the top-level attributes that a condition names. */
export function listAttributes(text: string, placeholders: Placeholders): ReadonlySet<string> {
  const names = new Set<string>();
  const operand = (syntax: OperandSyntax): void => {
    if (syntax.kind === 'path') names.add(String(placeholders.path(syntax.path)[0]));
    else if (syntax.kind === 'call') syntax.operands.forEach(operand);
  };
  const walk = (syntax: ConditionSyntax): void => {
    if (syntax.kind === 'and' || syntax.kind === 'or') [syntax.left, syntax.right].forEach(walk);
    else if (syntax.kind === 'not') walk(syntax.condition);
    else if (syntax.kind === 'compare') [syntax.left, syntax.right].forEach(operand);
    else if (syntax.kind === 'between') [syntax.operand, syntax.low, syntax.high].forEach(operand);
    else if (syntax.kind === 'in') [syntax.operand, ...syntax.choices].forEach(operand);
    else if (syntax.kind === 'call') operand(syntax);
  };
  walk(conditionSyntax(text));
  return names;
}

function bind(syntax: ConditionSyntax, placeholders: Placeholders): Condition {
  switch (syntax.kind) {
    case 'and': {
      const [left, right] = [bind(syntax.left, placeholders), bind(syntax.right, placeholders)];
      return (item) => left(item) && right(item);
    }
    case 'or': {
      const [left, right] = [bind(syntax.left, placeholders), bind(syntax.right, placeholders)];
      return (item) => left(item) || right(item);
    }
    case 'not': {
      const condition = bind(syntax.condition, placeholders);
      return (item) => !condition(item);
    }
    case 'compare': {
      const { comparator } = syntax;
      const [left, right] = [bound(syntax.left, placeholders), bound(syntax.right, placeholders)];
      if (comparator !== '=' && comparator !== '<>')
        for (const side of [left, right]) refuseType(side, comparator, ORDERED);
      refuseSame(comparator, left, right);
      return (item) => compare(comparator, left.of(item), right.of(item));
    }
    case 'between': {
      const [operand, low, high] = [syntax.operand, syntax.low, syntax.high].map((each) =>
        bound(each, placeholders),
      ) as [Bound, Bound, Bound];
      refuseBounds(low, high);
      for (const each of [operand, low, high]) refuseType(each, 'BETWEEN', ORDERED);
      refuseSame('BETWEEN', operand, low, high);
      return (item) => {
        const value = operand.of(item);
        return compare('>=', value, low.of(item)) && compare('<=', value, high.of(item));
      };
    }
    case 'in': {
      const operand = bound(syntax.operand, placeholders);
      const choices = syntax.choices.map((choice) => bound(choice, placeholders));
      refuseSame('IN', operand, ...choices);
      return (item) => {
        const value = operand.of(item);
        return choices.some((choice) => compare('=', value, choice.of(item)));
      };
    }
    case 'call':
      return bindCall(
        syntax.name,
        syntax.operands.map((operand) => bound(operand, placeholders)),
      );
  }
}

function bindCall(name: string, [first, second]: readonly Bound[]): Condition {
  if (!first) throw new Error(`${name} without an operand`);
  if (name === 'attribute_exists') return (item) => first.of(item) !== undefined;
  if (name === 'attribute_not_exists') return (item) => first.of(item) === undefined;
  if (!second) throw new Error(`${name} without a second operand`);
  if (name === 'attribute_type') {
    const type = readTypeName(second);
    return (item) => {
      const value = first.of(item);
      return value !== undefined && typeOf(value) === type;
    };
  }
  if (name === 'begins_with') for (const each of [first, second]) refuseType(each, name, ['S', 'B']);
  refuseSame(name, first, second);
  const test = name === 'begins_with' ? beginsWith : contains;
  return (item) => {
    const [value, part] = [first.of(item), second.of(item)];
    return value !== undefined && part !== undefined && test(value, part);
  };
}

function compare(comparator: Comparator, a: AttributeValue | undefined, b: AttributeValue | undefined): boolean {
  const equal = a !== undefined && b !== undefined && equalValues(a, b);
  if (comparator === '=') return equal;
  if (comparator === '<>') return !equal;
  const order = a === undefined || b === undefined ? undefined : compareValues(a, b);
  if (order === undefined) return false;
  switch (comparator) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}

export function beginsWith(value: AttributeValue, start: AttributeValue): boolean {
  if ('S' in value && 'S' in start) return value.S.startsWith(start.S);
  if (!('B' in value && 'B' in start)) return false;
  const [whole, part] = [decodeBase64(value.B), decodeBase64(start.B)];
  return whole.subarray(0, part.length).equals(part);
}

function contains(value: AttributeValue, part: AttributeValue): boolean {
  if ('S' in value && 'S' in part) return value.S.includes(part.S);
  if ('B' in value && 'B' in part) return decodeBase64(value.B).includes(decodeBase64(part.B));
  if ('SS' in value && 'S' in part) return value.SS.includes(part.S);
  if ('NS' in value && 'N' in part) return value.NS.includes(part.N);
  if ('BS' in value && 'B' in part) return value.BS.includes(part.B);
  return 'L' in value && value.L.some((member) => equalValues(member, part));
}

/**
 * Returns UTF-16 units of text ("the length of the string"), bytes of binary, members of the others; numbers have no
 * size.
 */
function evaluateSize(value: AttributeValue): AttributeValue | undefined {
  const type = typeOf(value);
  if (!WITH_SIZE.includes(type)) return undefined;
  if ('S' in value) return { N: String(value.S.length) };
  if ('B' in value) return { N: String(valueBytes(value)) };
  return { N: String(Object.keys(contentOf(value) as object).length) };
}

interface Bound {
  readonly of: Operand;
  readonly path?: Path;
  /** Present if the value is the same for every item. */
  readonly constant?: AttributeValue;
}

function bound(syntax: OperandSyntax, placeholders: Placeholders): Bound {
  if (syntax.kind === 'value') {
    const constant = placeholders.value(syntax.reference);
    return { of: () => constant, constant };
  }
  if (syntax.kind === 'path') {
    const path = placeholders.path(syntax.path);
    return { of: (item) => findValue(item, path), path };
  }
  const measured = bound(syntax.operands[0] as OperandSyntax, placeholders);
  refuseType(measured, 'size', WITH_SIZE);
  return {
    of: (item) => {
      const value = measured.of(item);
      return value === undefined ? undefined : evaluateSize(value);
    },
  };
}

function refuseType({ constant }: Bound, operator: string, allowed: readonly TypeName[]): void {
  if (constant === undefined || allowed.includes(typeOf(constant))) return;
  throw new ExpressionFault(
    `Incorrect operand type for operator or function; operator or function: ${operator}, operand type: ${typeOf(constant)}`,
  );
}

function refuseSame(operator: string, first: Bound, ...others: readonly Bound[]): void {
  const { path } = first;
  if (path && others.some((other) => other.path && isSamePath(path, other.path))) {
    throw new ExpressionFault(
      `The first operand must be distinct from the remaining operands for this operator or function; operator: ${operator}, first operand: ${pathText(path)}`,
    );
  }
}

function refuseBounds({ constant: low }: Bound, { constant: high }: Bound): void {
  if (!low || !high) return;
  const order = compareValues(low, high);
  const sameType = typeOf(low) === typeOf(high);
  if (sameType && (order === undefined || order <= 0)) return;
  const text = (value: AttributeValue): string => `AttributeValue: {${typeOf(value)}:${String(contentOf(value))}}`;
  throw new ExpressionFault(
    `The BETWEEN operator requires ${sameType ? 'upper bound to be greater than or equal to lower bound' : 'same data type for lower and upper bounds'}; lower bound operand: ${text(low)}, upper bound operand: ${text(high)}`,
  );
}

function readTypeName(operand: Bound): string {
  refuseType(operand, 'attribute_type', ['S']);
  const { constant } = operand;
  if (!constant || !('S' in constant)) {
    throw new ExpressionFault(
      'Incorrect operand type for operator or function; operator or function: attribute_type, operand type: a document path',
    );
  }
  if (TYPE_NAMES.includes(constant.S)) return constant.S;
  throw new ExpressionFault(
    `Invalid attribute type name found; type: ${constant.S}, valid types: {${TYPE_NAMES.join(',')}}`,
  );
}
