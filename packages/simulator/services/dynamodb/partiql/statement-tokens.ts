/** Tokens of a PartiQL statement. AWS, "PartiQL - a SQL-compatible query language for Amazon DynamoDB". */
import { type DynamoDbError, validation } from '../errors.js';

type Kind = 'word' | 'quoted' | 'text' | 'number' | 'symbol' | 'end';

interface Token {
  readonly kind: Kind;
  /** Without quotes. */
  readonly text: string;
}

const PATTERNS: readonly (readonly [Kind, RegExp])[] = [
  ['text', /'((?:[^']|'')*)'/y],
  ['quoted', /"((?:[^"]|"")*)"/y],
  ['number', /(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/y],
  ['word', /([A-Za-z_][A-Za-z0-9_]*)/y],
  ['symbol', /(<<|>>|<>|!=|<=|>=|[^\s])/y],
];
const END: Token = { kind: 'end', text: '' };

export const notWellFormed = (what: string): DynamoDbError =>
  validation(`Statement wasn't well formed, can't be processed: ${what}`);

/** The tokens of a statement, read one by one. Keywords are case-insensitive. */
export class StatementTokens {
  private readonly all: readonly Token[];
  private at = 0;

  /** @throws {DynamoDbError} ValidationException if the statement ends inside of a text */
  constructor(statement: string) {
    this.all = tokenize(statement);
  }

  get next(): Token {
    return this.all[this.at] ?? END;
  }

  take(): Token {
    const { next } = this;
    this.at++;
    return next;
  }

  isSymbol(text: string): boolean {
    return this.next.kind === 'symbol' && this.next.text === text;
  }

  isWord(word: string): boolean {
    return this.next.kind === 'word' && this.next.text.toUpperCase() === word;
  }

  /** Checks whether the next token is a function's name. */
  isCall(): boolean {
    const after = this.all[this.at + 1];
    return this.next.kind === 'word' && after?.kind === 'symbol' && after.text === '(';
  }

  takeSymbol(text: string): boolean {
    const found = this.isSymbol(text);
    if (found) this.at++;
    return found;
  }

  /** Takes several words if all of them come next. */
  takeWords(...words: readonly string[]): boolean {
    const found = words.every((word, place) => {
      const token = this.all[this.at + place];
      return token?.kind === 'word' && token.text.toUpperCase() === word;
    });
    if (found) this.at += words.length;
    return found;
  }

  expectSymbol(text: string): void {
    if (!this.takeSymbol(text)) this.fail();
  }

  expectWords(...words: readonly string[]): void {
    if (!this.takeWords(...words)) this.fail();
  }

  /** Reads a name, quoted or not. */
  name(): string {
    const { kind, text } = this.take();
    if (kind !== 'word' && kind !== 'quoted') this.fail(text);
    return text;
  }

  /** Reads members that commas separate, up to a closing symbol. */
  list<T>(close: string, member: () => T): readonly T[] {
    if (this.takeSymbol(close)) return [];
    const members = [member()];
    while (this.takeSymbol(',')) members.push(member());
    this.expectSymbol(close);
    return members;
  }

  /** @throws {DynamoDbError} ValidationException at a token */
  fail(text = this.next.text): never {
    throw notWellFormed(text === '' ? 'Unexpected end of statement' : `Unexpected token: ${text}`);
  }
}

function tokenize(statement: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    while (/\s/.test(statement.charAt(at))) at++;
    if (at >= statement.length) return tokens;
    for (const [kind, pattern] of PATTERNS) {
      pattern.lastIndex = at;
      const [whole, text] = pattern.exec(statement) ?? [];
      if (whole === undefined || text === undefined) continue;
      if (text === "'" || text === '"') throw notWellFormed('Unterminated quote');
      const quote = whole.charAt(0);
      tokens.push({ kind, text: whole === text ? text : text.replaceAll(quote + quote, quote) });
      at += whole.length;
      break;
    }
  }
}
