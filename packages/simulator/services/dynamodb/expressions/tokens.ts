/** AWS, "Expressions in DynamoDB" (referring to item attributes; expression attribute names and values). */

export type TokenKind = 'name' | 'nameReference' | 'valueReference' | 'number' | 'symbol' | 'end';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** An error in an expression, in AWS's words; the caller that knows the expression turns it into a refusal. */
export class ExpressionFault extends Error {
  override readonly name = 'ExpressionFault';
}

const PATTERNS: readonly (readonly [TokenKind, RegExp])[] = [
  ['name', /[A-Za-z][A-Za-z0-9_]*/y],
  ['nameReference', /#[A-Za-z0-9_]+/y],
  ['valueReference', /:[A-Za-z0-9_]+/y],
  ['number', /[0-9]+/y],
  ['symbol', /<>|<=|>=|[^\s]/y],
];

/** The tokens of an expression, read one by one. */
export class Tokens {
  private readonly all: readonly Token[];
  private at = 0;

  constructor(private readonly source: string) {
    this.all = tokenize(source);
  }

  /** Returns the next token without consuming it. */
  get next(): Token {
    return this.all[this.at] as Token;
  }

  take(): Token {
    const token = this.next;
    if (token.kind !== 'end') this.at++;
    return token;
  }

  isSymbol(text: string): boolean {
    return this.next.kind === 'symbol' && this.next.text === text;
  }

  /** Keywords are case-insensitive. */
  isWord(word: string): boolean {
    return this.next.kind === 'name' && this.next.text.toUpperCase() === word;
  }

  takeSymbol(text: string): boolean {
    const found = this.isSymbol(text);
    if (found) this.at++;
    return found;
  }

  takeWord(word: string): boolean {
    const found = this.isWord(word);
    if (found) this.at++;
    return found;
  }

  /** Checks whether a parenthesis follows the next token. */
  isCall(): boolean {
    return this.all[this.at + 1]?.text === '(';
  }

  /** Checks, after an opening parenthesis was consumed, whether another pair lies directly inside it. */
  isDoublyParenthesized(): boolean {
    if (!this.isSymbol('(')) return false;
    let depth = 0;
    for (let at = this.at; at < this.all.length; at++) {
      const text = this.all[at]?.text;
      if (text === '(') depth++;
      else if (text === ')' && --depth === 0) return this.all[at + 1]?.text === ')';
    }
    return false;
  }

  expectSymbol(text: string): void {
    if (!this.takeSymbol(text)) this.fail();
  }

  expectEnd(): void {
    if (this.next.kind !== 'end') this.fail();
  }

  /** @throws {ExpressionFault} at the next token */
  fail(): never {
    const token = this.next;
    const start = this.all[this.at - 1]?.start ?? token.start;
    const end = this.all[this.at + 1]?.end ?? token.end;
    throw new ExpressionFault(
      `Syntax error; token: "${token.kind === 'end' ? '<EOF>' : token.text}", near: "${this.source.slice(start, end)}"`,
    );
  }
}

function tokenize(source: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    while (/\s/.test(source.charAt(at))) at++;
    if (at >= source.length) break;
    for (const [kind, pattern] of PATTERNS) {
      pattern.lastIndex = at;
      const text = pattern.exec(source)?.[0];
      if (text === undefined) continue;
      tokens.push({ kind, text, start: at, end: at + text.length });
      at += text.length;
      break;
    }
  }
  tokens.push({ kind: 'end', text: '', start: source.length, end: source.length });
  return tokens;
}
