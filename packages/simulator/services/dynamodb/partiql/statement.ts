/**
 * The grammar of PartiQL's statements, as far as DynamoDB has it. AWS, "PartiQL statements for DynamoDB"; "Use PartiQL
 * functions with DynamoDB"; "PartiQL arithmetic, comparison, and logical operators for DynamoDB".
 */

import { NotModelled } from '../../../wire/operation.js';
import { validation } from '../errors.js';
import { type Conjunction, parseConditions } from './conditions.js';
import {
  type PartiQlPath,
  type PathText,
  parsePath,
  type StatementSource,
  type Written,
  writePath,
} from './operands.js';

export interface Select {
  readonly kind: 'select';
  readonly table: string;
  readonly index?: string;
  /** Absent for `*`. */
  readonly paths?: readonly PartiQlPath[];
  readonly where: Conjunction;
  readonly order?: { readonly name: string; readonly descending: boolean };
}

export interface Insert {
  readonly kind: 'insert';
  readonly table: string;
  readonly item: unknown;
}

export interface Update {
  readonly kind: 'update';
  readonly table: string;
  readonly actions: readonly Action[];
  readonly where: Conjunction;
  readonly returning: Returning | undefined;
}

export interface Delete {
  readonly kind: 'delete';
  readonly table: string;
  readonly where: Conjunction;
  readonly returning: Returning | undefined;
}

/** A condition of a transaction. */
export interface Exists {
  readonly kind: 'exists';
  readonly select: Select;
}

export type Statement = Select | Insert | Update | Delete | Exists;

/** A value of `ReturnValues`. */
export type Returning = 'ALL_OLD' | 'ALL_NEW' | 'UPDATED_OLD' | 'UPDATED_NEW';

/** A part of a section of an update expression. */
export interface Action {
  readonly section: 'SET' | 'REMOVE' | 'ADD' | 'DELETE';
  readonly write: Written;
}

/** @throws {DynamoDbError} ValidationException if it isn't one statement */
export function parseStatement(source: StatementSource): Statement {
  const { tokens } = source;
  const statement = parseKind(source);
  if (tokens.next.kind !== 'end') tokens.fail();
  source.parameters.expectEnd();
  return statement;
}

function parseKind(source: StatementSource): Statement {
  const { tokens } = source;
  if (tokens.takeWords('SELECT')) return parseSelect(source);
  if (tokens.takeWords('INSERT', 'INTO')) {
    const table = tokens.name();
    tokens.expectWords('VALUE');
    const item = source.literal();
    if (!('M' in item)) tokens.fail();
    return { kind: 'insert', table, item: item.M };
  }
  if (tokens.takeWords('UPDATE')) {
    const table = tokens.name();
    const actions = parseActions(source);
    return { kind: 'update', table, actions, where: parseWhere(source), returning: parseReturning(source) };
  }
  if (tokens.takeWords('DELETE', 'FROM')) {
    const deletion = { table: tokens.name(), where: parseWhere(source), returning: parseReturning(source) };
    if (deletion.returning === undefined || deletion.returning === 'ALL_OLD') return { kind: 'delete', ...deletion };
    throw validation('Only RETURNING ALL OLD * is allowed in DELETE statements.');
  }
  if (tokens.takeWords('EXISTS')) {
    tokens.expectSymbol('(');
    tokens.expectWords('SELECT');
    const select = parseSelect(source);
    tokens.expectSymbol(')');
    return { kind: 'exists', select };
  }
  return tokens.fail();
}

function parseSelect(source: StatementSource): Select {
  const { tokens } = source;
  const paths: PartiQlPath[] = [];
  const all = tokens.takeSymbol('*');
  if (!all) {
    do paths.push(shownPath(parsePath(source)));
    while (tokens.takeSymbol(','));
  }
  tokens.expectWords('FROM');
  const table = tokens.name();
  const index = tokens.takeSymbol('.') ? { index: tokens.name() } : {};
  const where = parseWhere(source);
  const order = tokens.takeWords('ORDER', 'BY') ? { order: parseOrder(source) } : {};
  return { kind: 'select', table, ...index, ...(all ? {} : { paths }), where, ...order };
}

/** A shown value has the last name of its path. AWS documents no name for a member of a list. */
function shownPath(path: PartiQlPath): PartiQlPath {
  if (typeof path.at(-1) === 'number') throw new NotModelled('PartiQL: SELECT of a member of a list');
  return path;
}

function parseOrder({ tokens }: StatementSource): NonNullable<Select['order']> {
  const name = tokens.name();
  const descending = tokens.takeWords('DESC');
  if (!descending) tokens.takeWords('ASC');
  return { name, descending };
}

/** Without a WHERE, nothing is demanded. */
function parseWhere(source: StatementSource): Conjunction {
  return source.tokens.takeWords('WHERE') ? parseConditions(source) : [];
}

function parseActions(source: StatementSource): readonly Action[] {
  const { tokens } = source;
  const actions: Action[] = [];
  for (;;) {
    if (tokens.takeWords('SET')) {
      do actions.push(parseAssignment(source));
      while (tokens.takeSymbol(','));
    } else if (tokens.takeWords('REMOVE')) {
      do actions.push({ section: 'REMOVE', write: writePath(parsePath(source)) });
      while (tokens.takeSymbol(','));
    } else if (actions.length > 0) return actions;
    else tokens.fail();
  }
}

/** `a = 1`, `a = b + 1`, `a = list_append(a, [1])`, `a = set_add(a, <<'x'>>)`. */
function parseAssignment(source: StatementSource): Action {
  const { tokens } = source;
  const target = writePath(parsePath(source));
  tokens.expectSymbol('=');
  for (const [called, section] of SET_FUNCTIONS) {
    if (!tokens.isWord(called) || !tokens.isCall()) continue;
    tokens.take();
    tokens.expectSymbol('(');
    parsePath(source);
    tokens.expectSymbol(',');
    const members = source.literal();
    tokens.expectSymbol(')');
    return { section, write: (words) => `${target(words)} ${words.value(members)}` };
  }
  const left = operand(source);
  for (const sign of ['+', '-']) {
    if (!tokens.takeSymbol(sign)) continue;
    const right = operand(source);
    return { section: 'SET', write: (words) => `${target(words)} = ${left(words)} ${sign} ${right(words)}` };
  }
  return { section: 'SET', write: (words) => `${target(words)} = ${left(words)}` };
}

const SET_FUNCTIONS = [
  ['SET_ADD', 'ADD'],
  ['SET_DELETE', 'DELETE'],
] as const;

function operand(source: StatementSource): PathText {
  const { tokens } = source;
  if (tokens.isCall()) {
    const called = tokens.take().text.toLowerCase();
    tokens.expectSymbol('(');
    const members = tokens.list(')', () => operand(source));
    return (words) => `${called}(${members.map((member) => member(words)).join(', ')})`;
  }
  if (source.isLiteral()) {
    const value = source.literal();
    return (words) => words.value(value);
  }
  return writePath(parsePath(source));
}

function parseReturning({ tokens }: StatementSource): Returning | undefined {
  if (!tokens.takeWords('RETURNING')) return undefined;
  const which = tokens.takeWords('ALL') ? 'ALL' : tokens.takeWords('MODIFIED') ? 'UPDATED' : tokens.fail();
  const when = tokens.takeWords('OLD') ? 'OLD' : tokens.takeWords('NEW') ? 'NEW' : tokens.fail();
  tokens.expectSymbol('*');
  return `${which}_${when}`;
}
