/** Paths, values and parameters of a statement. AWS, "PartiQL data types for DynamoDB". */
import { validation } from '../errors.js';
import type { Words } from '../expressions/words.js';
import { notWellFormed, type StatementTokens } from './statement-tokens.js';

/** Names, and indexes into lists; the first one is an attribute's name. */
export type PartiQlPath = readonly (string | number)[];

/** Writes a part of an expression, with placeholders for its names and values. */
export type Written = (words: Words) => string;
export type PathText = Written;

/** A value before it is checked, as a request has it. */
export type Literal = { readonly [type: string]: unknown };

/** Values for the `?` of a statement, in its order. */
export class Parameters {
  private at = 0;

  constructor(private readonly given: readonly Literal[]) {}

  take(): Literal {
    const value = this.given[this.at++];
    if (!value) throw mismatch();
    return value;
  }

  expectEnd(): void {
    if (this.at < this.given.length) throw mismatch();
  }
}

const mismatch = () => validation("Number of parameters in request and statement don't match.");

/** A statement that is being read. */
export class StatementSource {
  constructor(
    readonly tokens: StatementTokens,
    readonly parameters: Parameters,
  ) {}

  isLiteral(): boolean {
    const { kind, text } = this.tokens.next;
    if (kind === 'text' || kind === 'number') return true;
    if (kind === 'word') return ['TRUE', 'FALSE', 'NULL'].includes(text.toUpperCase());
    return kind === 'symbol' && ['?', '{', '[', '<<', '-'].includes(text);
  }

  literal(): Literal {
    const { tokens } = this;
    const { kind, text } = tokens.take();
    if (kind === 'text') return { S: text };
    if (kind === 'number') return { N: text };
    if (kind === 'word') {
      const word = text.toUpperCase();
      if (word === 'NULL') return { NULL: true };
      if (word === 'TRUE' || word === 'FALSE') return { BOOL: word === 'TRUE' };
    }
    if (kind !== 'symbol') return tokens.fail(text);
    switch (text) {
      case '?':
        return this.parameters.take();
      case '-':
        return { N: `-${this.number()}` };
      case '[':
        return { L: tokens.list(']', () => this.literal()) };
      case '<<':
        return parseSet(tokens.list('>>', () => this.literal()));
      case '{':
        return { M: Object.fromEntries(tokens.list('}', () => this.member())) };
      default:
        return tokens.fail(text);
    }
  }

  private number(): string {
    const { kind, text } = this.tokens.take();
    return kind === 'number' ? text : this.tokens.fail(text);
  }

  private member(): readonly [string, Literal] {
    const { kind, text } = this.tokens.take();
    if (kind !== 'text' && kind !== 'quoted' && kind !== 'word') this.tokens.fail(text);
    this.tokens.expectSymbol(':');
    return [text, this.literal()];
  }
}

function parseSet(members: readonly Literal[]): Literal {
  const [type = 'S'] = Object.keys(members[0] ?? {});
  if (!['S', 'N', 'B'].includes(type) || members.some((member) => !(type in member))) {
    throw notWellFormed('A set has members of one type: string, number or binary');
  }
  return { [`${type}S`]: members.map((member) => member[type]) };
}

export function parsePath({ tokens }: StatementSource): PartiQlPath {
  const path: (string | number)[] = [tokens.name()];
  for (;;) {
    if (tokens.takeSymbol('.')) path.push(tokens.name());
    else if (tokens.takeSymbol('[')) {
      const { kind, text } = tokens.take();
      if (kind !== 'number') tokens.fail(text);
      path.push(Number(text));
      tokens.expectSymbol(']');
    } else return path;
  }
}

export const writePath =
  (path: PartiQlPath): PathText =>
  (words) =>
    path
      .map((element, at) =>
        typeof element === 'number' ? `[${element}]` : `${at === 0 ? '' : '.'}${words.name(element)}`,
      )
      .join('');
