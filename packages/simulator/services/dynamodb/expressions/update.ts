/** AWS, "Using update expressions in DynamoDB". */
import { addNumbers, subtractNumbers } from '../decimal.js';
import { validation } from '../errors.js';
import { compareText, normalizeValue, typeOf } from '../values.js';
import type { AttributeValue, Item, TypeName } from '../wire.js';
import type { OperandSyntax } from './condition-grammar.js';
import { placeValues, type Removal, type Replacement, removeValues } from './document.js';
import { findValue, type Path, refuseOverlaps } from './paths.js';
import { asExpressionError, cacheParser, type Placeholders } from './placeholders.js';
import { ExpressionFault } from './tokens.js';
import { parseUpdate, type ValueSyntax } from './update-grammar.js';

export interface Update {
  /** Paths that it changes, in the order of the expression. */
  readonly paths: readonly Path[];
  /**
   * Applies the update. It reads all operands from the item before the update.
   * @throws {DynamoDbError} ValidationException if the item doesn't allow it
   */
  readonly apply: (item: Item) => Item;
}

type Value = (item: Item) => AttributeValue;

const SET_TYPES: readonly TypeName[] = ['SS', 'NS', 'BS'];
const LONG_NAMES: { readonly [type: string]: string } = {
  S: 'STRING',
  N: 'NUMBER',
  B: 'BINARY',
  BOOL: 'BOOLEAN',
  NULL: 'NULL',
  L: 'LIST',
  M: 'MAP',
};

const updateSyntax = cacheParser(parseUpdate);
const wrongType = () => validation('An operand in the update expression has an incorrect data type');
const missing = () => validation('The provided expression refers to an attribute that does not exist in the item');

/** Compiles an update. @throws {DynamoDbError} ValidationException */
export function bindUpdate(text: string, placeholders: Placeholders): Update {
  return asExpressionError('UpdateExpression', () => {
    const syntax = updateSyntax(text);
    const paths = syntax.actions.map(({ path }) => placeholders.path(path));
    const replacements: ((item: Item) => Replacement | Removal | undefined)[] = [];
    for (const [at, action] of syntax.actions.entries()) {
      const path = paths[at] as Path;
      if (action.kind === 'remove') replacements.push(() => ({ path }));
      else if (action.kind === 'set') {
        const value = boundValue(action.value, placeholders);
        replacements.push((item) => ({ path, value: value(item) }));
      } else {
        const operand = placeholders.value(action.reference);
        refuseOperand(action.kind, operand);
        const combine = action.kind === 'add' ? applyAdd : withoutMembers;
        replacements.push((item) => combine(path, findValue(item, path), operand));
      }
    }
    refuseOverlaps(paths);
    return {
      paths,
      apply: (item) => {
        const changes = replacements.map((replace) => replace(item)).filter((change) => change !== undefined);
        const placed = placeValues(
          item,
          changes.filter((change): change is Replacement => 'value' in change),
        );
        return removeValues(
          item,
          placed,
          changes.filter((change) => !('value' in change)),
        );
      },
    };
  });
}

function boundValue(syntax: ValueSyntax, placeholders: Placeholders): Value {
  if (syntax.kind === 'operand') return boundOperand(syntax.operand, placeholders);
  const [left, right] = [boundOperand(syntax.left, placeholders), boundOperand(syntax.right, placeholders)];
  for (const side of [syntax.left, syntax.right]) refuseConstant(side, syntax.sign, 'N', placeholders);
  const calculate = syntax.sign === '+' ? addNumbers : subtractNumbers;
  return (item) => {
    const [a, b] = [left(item), right(item)];
    if (!('N' in a && 'N' in b)) throw wrongType();
    return Object.freeze({ N: calculate(a.N, b.N) });
  };
}

function boundOperand(syntax: OperandSyntax, placeholders: Placeholders): Value {
  if (syntax.kind === 'value') {
    const value = placeholders.value(syntax.reference);
    return () => value;
  }
  if (syntax.kind === 'path') {
    const path = placeholders.path(syntax.path);
    return (item) => {
      const value = findValue(item, path);
      if (value === undefined) throw missing();
      return value;
    };
  }
  const [first, second] = syntax.operands as [OperandSyntax, OperandSyntax];
  if (syntax.name === 'if_not_exists' && first.kind === 'path') {
    const path = placeholders.path(first.path);
    const otherwise = boundOperand(second, placeholders);
    return (item) => findValue(item, path) ?? otherwise(item);
  }
  for (const side of [first, second]) refuseConstant(side, 'list_append', 'L', placeholders);
  const [head, tail] = [boundOperand(first, placeholders), boundOperand(second, placeholders)];
  return (item) => {
    const [a, b] = [head(item), tail(item)];
    if (!('L' in a && 'L' in b)) throw wrongType();
    return Object.freeze({ L: Object.freeze([...a.L, ...b.L]) });
  };
}

function refuseConstant(syntax: OperandSyntax, operator: string, type: TypeName, placeholders: Placeholders): void {
  if (syntax.kind !== 'value') return;
  const found = typeOf(placeholders.value(syntax.reference));
  if (found === type) return;
  throw new ExpressionFault(
    `Incorrect operand type for operator or function; operator or function: ${operator}, operand type: ${found}`,
  );
}

function refuseOperand(kind: 'add' | 'delete', operand: AttributeValue): void {
  const type = typeOf(operand);
  if (SET_TYPES.includes(type) || (kind === 'add' && type === 'N')) return;
  const operator = kind.toUpperCase();
  throw new ExpressionFault(
    `Incorrect operand type for operator or function; operator: ${operator}, operand type: ${LONG_NAMES[type]}, typeSet: ALLOWED_FOR_${operator}_OPERAND`,
  );
}

/** ADD: adds to a number, or members to a set; a missing value counts as zero or empty. */
function applyAdd(path: Path, value: AttributeValue | undefined, operand: AttributeValue): Replacement {
  if (value === undefined) return { path, value: operand };
  if ('N' in value && 'N' in operand) return { path, value: Object.freeze({ N: addNumbers(value.N, operand.N) }) };
  const [members, more] = [membersOf(value), membersOf(operand)];
  if (!members || !more || typeOf(value) !== typeOf(operand)) throw wrongType();
  return { path, value: buildSet(typeOf(value), [...new Set([...members, ...more])]) };
}

/** DELETE: removes members from a set; an empty set removes the attribute. */
function withoutMembers(path: Path, value: AttributeValue | undefined, operand: AttributeValue) {
  if (value === undefined) return undefined;
  const [members, less] = [membersOf(value), membersOf(operand)];
  if (!members || !less || typeOf(value) !== typeOf(operand)) throw wrongType();
  const left = members.filter((member) => !less.includes(member));
  return left.length === 0 ? { path } : { path, value: buildSet(typeOf(value), left) };
}

function membersOf(value: AttributeValue): readonly string[] | undefined {
  if ('SS' in value) return value.SS;
  if ('NS' in value) return value.NS;
  return 'BS' in value ? value.BS : undefined;
}

const buildSet = (type: TypeName, members: readonly string[]): AttributeValue =>
  normalizeValue({ [type]: [...members].sort(compareText) });
