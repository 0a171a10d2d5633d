/** The WHERE of a statement. AWS, "PartiQL select statements for DynamoDB"; "PartiQL functions with DynamoDB". */
import { type Literal, parsePath, type StatementSource, type Written, writePath } from './operands.js';

/** A comparison of one attribute with constants, which may be a key condition. */
interface Comparison {
  readonly name: string;
  readonly operator: string;
  readonly values: readonly Literal[];
}

export interface Condition {
  readonly write: Written;
  /** Attributes that it names. */
  readonly names: ReadonlySet<string>;
  readonly comparison?: Comparison;
}

/** Conditions that all must hold. */
export type Conjunction = readonly Condition[];

interface Operand {
  readonly write: Written;
  readonly names: readonly string[];
  /** Present for a whole attribute. */
  readonly attribute?: string;
  readonly literal?: Literal;
}

const COMPARATORS = ['=', '<>', '!=', '<=', '>=', '<', '>'];

export function parseConditions(source: StatementSource): Conjunction {
  const first = parseAnd(source);
  if (!source.tokens.isWord('OR')) return first;
  const choices = [first];
  while (source.tokens.takeWords('OR')) choices.push(parseAnd(source));
  return [joinConditions(choices.map(joinWithAnd), ' OR ')];
}

function parseAnd(source: StatementSource): Conjunction {
  const conditions = [...parseNot(source)];
  while (source.tokens.takeWords('AND')) conditions.push(...parseNot(source));
  return conditions;
}

function parseNot(source: StatementSource): Conjunction {
  const { tokens } = source;
  if (tokens.takeWords('NOT')) {
    const { write, names } = joinWithAnd(parseNot(source));
    return [{ write: (words) => `(NOT ${write(words)})`, names }];
  }
  if (tokens.takeSymbol('(')) {
    const inner = parseConditions(source);
    tokens.expectSymbol(')');
    return inner;
  }
  return [parseCondition(source)];
}

/** Writes conditions as one. */
export const joinWithAnd = (conditions: Conjunction): Condition =>
  conditions.length === 1 ? (conditions[0] as Condition) : joinConditions(conditions, ' AND ');

const joinConditions = (conditions: Conjunction, operator: string): Condition => ({
  write: (words) => `(${conditions.map(({ write }) => write(words)).join(operator)})`,
  names: new Set(conditions.flatMap(({ names }) => [...names])),
});

function parseCondition(source: StatementSource): Condition {
  const { tokens } = source;
  const left = parseOperand(source);
  if (tokens.takeWords('BETWEEN')) {
    const low = parseOperand(source);
    tokens.expectWords('AND');
    return comparison(
      left,
      'BETWEEN',
      [low, parseOperand(source)],
      ([low = '', high = '']) => `BETWEEN ${low} AND ${high}`,
    );
  }
  if (tokens.takeWords('IN')) {
    const close = tokens.takeSymbol('[') ? ']' : ')';
    if (close === ')') tokens.expectSymbol('(');
    const choices = tokens.list(close, () => parseOperand(source));
    return comparison(left, 'IN', choices, (texts) => `IN (${texts.join(', ')})`);
  }
  if (tokens.takeWords('IS')) return parseIs(source, left);
  const operator = COMPARATORS.find((symbol) => tokens.takeSymbol(symbol));
  if (operator === undefined) return parseCalledCondition(left) ?? tokens.fail();
  const written = operator === '!=' ? '<>' : operator;
  return comparison(left, written, [parseOperand(source)], ([right = '']) => `${written} ${right}`);
}

/** `IS [NOT] MISSING`, `IS [NOT] NULL`. */
function parseIs({ tokens }: StatementSource, { write, names }: Operand): Condition {
  const not = tokens.takeWords('NOT');
  const of = new Set(names);
  if (tokens.takeWords('MISSING')) {
    return { write: (words) => `attribute_${not ? '' : 'not_'}exists(${write(words)})`, names: of };
  }
  tokens.expectWords('NULL');
  const isNull: Written = (words) => `attribute_type(${write(words)}, ${words.value({ S: 'NULL' })})`;
  return { write: not ? (words) => `(NOT ${isNull(words)})` : isNull, names: of };
}

function comparison(
  left: Operand,
  operator: string,
  right: readonly Operand[],
  rest: (texts: readonly string[]) => string,
): Condition {
  const values = right.flatMap(({ literal }) => (literal ? [literal] : []));
  const { attribute: name } = left;
  return {
    write: (words) => `${left.write(words)} ${rest(right.map(({ write }) => write(words)))}`,
    names: new Set([left, ...right].flatMap(({ names }) => names)),
    ...(name !== undefined && values.length === right.length ? { comparison: { name, operator, values } } : {}),
  };
}

interface CalledOperand extends Operand {
  readonly called: string;
  readonly operands: readonly Operand[];
}

/** A function call that is a condition of its own. */
function parseCalledCondition(operand: Operand): Condition | undefined {
  if (!('called' in operand)) return undefined;
  const { called, operands, write, names } = operand as CalledOperand;
  const [first, second] = operands;
  const starts = called === 'begins_with' && first?.attribute !== undefined && second?.literal !== undefined;
  return {
    write,
    names: new Set(names),
    ...(starts
      ? { comparison: { name: first.attribute as string, operator: called, values: [second.literal as Literal] } }
      : {}),
  };
}

function parseOperand(source: StatementSource): Operand {
  const { tokens } = source;
  if (tokens.isCall()) {
    const name = tokens.take().text.toLowerCase();
    tokens.expectSymbol('(');
    const operands = tokens.list(')', () => parseOperand(source));
    const operand: CalledOperand = {
      called: name,
      operands,
      write: (words) => `${name}(${operands.map(({ write }) => write(words)).join(', ')})`,
      names: operands.flatMap(({ names }) => names),
    };
    return operand;
  }
  if (source.isLiteral()) {
    const literal = source.literal();
    return { write: (words) => words.value(literal), names: [], literal };
  }
  const path = parsePath(source);
  const name = String(path[0]);
  return { write: writePath(path), names: [name], ...(path.length === 1 ? { attribute: name } : {}) };
}
