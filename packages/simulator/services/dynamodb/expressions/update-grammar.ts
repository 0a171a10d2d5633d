/** AWS, "Using update expressions in DynamoDB". */
import { type OperandSyntax, parseOperand } from './condition-grammar.js';
import { type PathSyntax, parsePath } from './paths.js';
import { ExpressionFault, type Tokens } from './tokens.js';

export type ValueSyntax =
  | { readonly kind: 'operand'; readonly operand: OperandSyntax }
  | {
      readonly kind: 'arithmetic';
      readonly sign: '+' | '-';
      readonly left: OperandSyntax;
      readonly right: OperandSyntax;
    };

export type ActionSyntax =
  | { readonly kind: 'set'; readonly path: PathSyntax; readonly value: ValueSyntax }
  | { readonly kind: 'remove'; readonly path: PathSyntax }
  | { readonly kind: 'add' | 'delete'; readonly path: PathSyntax; readonly reference: string };

export interface UpdateSyntax {
  readonly actions: readonly ActionSyntax[];
}

const SECTIONS = {
  SET: parseSet,
  REMOVE: (tokens: Tokens): ActionSyntax => ({ kind: 'remove', path: parsePath(tokens) }),
  ADD: (tokens: Tokens): ActionSyntax => ({ kind: 'add', ...parseMembers(tokens) }),
  DELETE: (tokens: Tokens): ActionSyntax => ({ kind: 'delete', ...parseMembers(tokens) }),
} as const;

/** Parses the sections in any order, each at most once. */
export function parseUpdate(tokens: Tokens): UpdateSyntax {
  const seen = new Set<string>();
  const actions: ActionSyntax[] = [];
  do {
    const section = readSection(tokens);
    if (seen.has(section)) {
      throw new ExpressionFault(`The "${section}" section can only be used once in an update expression;`);
    }
    seen.add(section);
    tokens.take();
    do actions.push(SECTIONS[section](tokens));
    while (tokens.takeSymbol(','));
  } while (tokens.next.kind !== 'end');
  return { actions };
}

function readSection(tokens: Tokens): keyof typeof SECTIONS {
  for (const section of ['SET', 'REMOVE', 'ADD', 'DELETE'] as const) if (tokens.isWord(section)) return section;
  return tokens.fail();
}

function parseSet(tokens: Tokens): ActionSyntax {
  const path = parsePath(tokens);
  tokens.expectSymbol('=');
  return { kind: 'set', path, value: parseValue(tokens) };
}

function parseValue(tokens: Tokens): ValueSyntax {
  if (tokens.takeSymbol('(')) {
    const value = parseValue(tokens);
    tokens.expectSymbol(')');
    return value;
  }
  const left = parseOperand(tokens, 'update');
  for (const sign of ['+', '-'] as const) {
    if (tokens.takeSymbol(sign)) return { kind: 'arithmetic', sign, left, right: parseOperand(tokens, 'update') };
  }
  return { kind: 'operand', operand: left };
}

function parseMembers(tokens: Tokens): { readonly path: PathSyntax; readonly reference: string } {
  const path = parsePath(tokens);
  if (tokens.next.kind !== 'valueReference') tokens.fail();
  return { path, reference: tokens.take().text };
}
