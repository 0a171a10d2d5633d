/** AWS, "Comparison operator and function reference in DynamoDB" (syntax for filter and condition expressions). */
import { type PathSyntax, parsePath } from './paths.js';
import { ExpressionFault, type Tokens } from './tokens.js';

export type OperandSyntax =
  | { readonly kind: 'path'; readonly path: PathSyntax }
  | { readonly kind: 'value'; readonly reference: string }
  | CallSyntax;

export interface CallSyntax {
  readonly kind: 'call';
  readonly name: string;
  readonly operands: readonly OperandSyntax[];
}

export type Comparator = '=' | '<>' | '<' | '<=' | '>' | '>=';

export type ConditionSyntax =
  | { readonly kind: 'and' | 'or'; readonly left: ConditionSyntax; readonly right: ConditionSyntax }
  | { readonly kind: 'not'; readonly condition: ConditionSyntax }
  | {
      readonly kind: 'compare';
      readonly comparator: Comparator;
      readonly left: OperandSyntax;
      readonly right: OperandSyntax;
    }
  | {
      readonly kind: 'between';
      readonly operand: OperandSyntax;
      readonly low: OperandSyntax;
      readonly high: OperandSyntax;
    }
  | { readonly kind: 'in'; readonly operand: OperandSyntax; readonly choices: readonly OperandSyntax[] }
  | CallSyntax;

type Syntax = ConditionSyntax | OperandSyntax;

/** Number of operands of each function. */
const OPERANDS: { readonly [name: string]: number } = {
  attribute_exists: 1,
  attribute_not_exists: 1,
  attribute_type: 2,
  begins_with: 2,
  contains: 2,
  size: 1,
  if_not_exists: 2,
  list_append: 2,
};
const NEEDS_PATH: ReadonlySet<string> = new Set(['attribute_exists', 'attribute_not_exists', 'attribute_type']);
const COMPARATORS: ReadonlySet<string> = new Set(['=', '<>', '<', '<=', '>', '>=']);

/** Precedence, highest first: comparison, NOT, AND, OR. */
export function parseCondition(tokens: Tokens): ConditionSyntax {
  const condition = requireCondition(parseOr(tokens), tokens);
  tokens.expectEnd();
  return condition;
}

function parseOr(tokens: Tokens): Syntax {
  let left = parseAnd(tokens);
  while (tokens.isWord('OR')) {
    left = requireCondition(left, tokens);
    tokens.take();
    left = { kind: 'or', left, right: requireCondition(parseAnd(tokens), tokens) };
  }
  return left;
}

function parseAnd(tokens: Tokens): Syntax {
  let left = parseNot(tokens);
  while (tokens.isWord('AND')) {
    left = requireCondition(left, tokens);
    tokens.take();
    left = { kind: 'and', left, right: requireCondition(parseNot(tokens), tokens) };
  }
  return left;
}

function parseNot(tokens: Tokens): Syntax {
  if (tokens.takeWord('NOT')) return { kind: 'not', condition: requireCondition(parseNot(tokens), tokens) };
  const first = tokens.isSymbol('(') ? parseParentheses(tokens) : parseOperand(tokens, 'condition');
  const { kind, text } = tokens.next;
  if (kind === 'symbol' && COMPARATORS.has(text)) {
    const left = requireOperand(first, tokens);
    tokens.take();
    return { kind: 'compare', comparator: text as Comparator, left, right: parseValue(tokens) };
  }
  if (tokens.isWord('BETWEEN')) {
    const operand = requireOperand(first, tokens);
    tokens.take();
    const low = parseValue(tokens);
    if (!tokens.takeWord('AND')) tokens.fail();
    return { kind: 'between', operand, low, high: parseValue(tokens) };
  }
  if (tokens.isWord('IN')) {
    const operand = requireOperand(first, tokens);
    tokens.take();
    return { kind: 'in', operand, choices: parseList(tokens, () => parseValue(tokens)) };
  }
  return first;
}

/** Parses parentheses around a condition or an operand; the content decides which one it is. */
function parseParentheses(tokens: Tokens): Syntax {
  tokens.expectSymbol('(');
  if (tokens.isDoublyParenthesized()) throw new ExpressionFault('The expression has redundant parentheses;');
  const inner = parseOr(tokens);
  tokens.expectSymbol(')');
  return inner;
}

function parseValue(tokens: Tokens): OperandSyntax {
  return tokens.isSymbol('(')
    ? requireOperand(parseParentheses(tokens), tokens)
    : requireOperand(parseOperand(tokens, 'condition'), tokens);
}

/** Parses a path, a `:value`, or a function call; the caller checks which functions are allowed there. */
export function parseOperand(tokens: Tokens, where: 'condition' | 'update'): OperandSyntax {
  const { kind } = tokens.next;
  if (kind === 'valueReference') return { kind: 'value', reference: tokens.take().text };
  if (kind === 'name' && tokens.isCall()) return parseCall(tokens, where);
  if (kind !== 'name' && kind !== 'nameReference') tokens.fail();
  return { kind: 'path', path: parsePath(tokens) };
}

function parseCall(tokens: Tokens, where: 'condition' | 'update'): CallSyntax {
  const name = tokens.take().text;
  const operands = parseList(tokens, () => parseOperand(tokens, where));
  const expected = Object.hasOwn(OPERANDS, name) ? OPERANDS[name] : undefined;
  if (expected === undefined) throw new ExpressionFault(`Invalid function name; function: ${name}`);
  const ofUpdates = name === 'if_not_exists' || name === 'list_append';
  if (ofUpdates !== (where === 'update')) {
    const article = where === 'condition' ? 'a condition' : 'an update';
    throw new ExpressionFault(`The function is not allowed in ${article} expression; function: ${name}`);
  }
  if (operands.length !== expected) {
    throw new ExpressionFault(
      `Incorrect number of operands for operator or function; operator or function: ${name}, number of operands: ${operands.length}`,
    );
  }
  if ((NEEDS_PATH.has(name) || name === 'if_not_exists') && operands[0]?.kind !== 'path') {
    throw new ExpressionFault(`Operator or function requires a document path; operator or function: ${name}`);
  }
  return { kind: 'call', name, operands };
}

function parseList<T>(tokens: Tokens, member: () => T): readonly T[] {
  tokens.expectSymbol('(');
  const members = [member()];
  while (tokens.takeSymbol(',')) members.push(member());
  tokens.expectSymbol(')');
  return members;
}

function requireOperand(syntax: Syntax, tokens: Tokens): OperandSyntax {
  if (syntax.kind === 'path' || syntax.kind === 'value') return syntax;
  if (syntax.kind === 'call' && syntax.name === 'size') return syntax;
  return tokens.fail();
}

function requireCondition(syntax: Syntax, tokens: Tokens): ConditionSyntax {
  if (syntax.kind === 'path' || syntax.kind === 'value') return tokens.fail();
  if (syntax.kind === 'call' && syntax.name === 'size') return tokens.fail();
  return syntax;
}
