/** AWS, "Expression attribute names (aliases) in DynamoDB"; "Using expression attribute values in DynamoDB". */
import { DynamoDbError, validation } from '../errors.js';
import { normalizeValue } from '../values.js';
import type { AttributeValue, WireObject } from '../wire.js';
import type { Path, PathSyntax } from './paths.js';
import { ExpressionFault, Tokens } from './tokens.js';

const NAME = /^#[A-Za-z0-9_]+$/;
const VALUE = /^:[A-Za-z0-9_]+$/;

/**
 * The names and values that a request provides for its expressions. Every used placeholder must be defined, and every
 * defined one must be used.
 */
export class Placeholders {
  private readonly names: Map<string, string>;
  private readonly values: Map<string, AttributeValue>;
  private readonly unusedNames: Set<string>;
  private readonly unusedValues: Set<string>;

  /**
   * @param expressions that the request may have
   * @throws {DynamoDbError} ValidationException if they are empty, have invalid names, come without an expression, or
   *   are no values
   */
  constructor(input: WireObject, expressions: readonly ExpressionName[]) {
    this.names = read('Names', input, expressions, NAME, String);
    this.values = read('Values', input, expressions, VALUE, checkedValue);
    this.unusedNames = new Set(this.names.keys());
    this.unusedValues = new Set(this.values.keys());
  }

  path(syntax: PathSyntax): Path {
    return syntax.some((element) => typeof element === 'string' && element.startsWith('#'))
      ? syntax.map((element) =>
          typeof element === 'string' && element.startsWith('#') ? this.resolveName(element) : element,
        )
      : syntax;
  }

  value(reference: string): AttributeValue {
    const value = this.values.get(reference);
    if (value === undefined) {
      throw new ExpressionFault(
        `An expression attribute value used in expression is not defined; attribute value: ${reference}`,
      );
    }
    this.unusedValues.delete(reference);
    return value;
  }

  /** @throws {DynamoDbError} ValidationException if one was defined and not used */
  refuseUnused(): void {
    const [kind, unused] = this.unusedNames.size > 0 ? ['Names', this.unusedNames] : ['Values', this.unusedValues];
    if (unused.size > 0) {
      throw validation(
        `Value provided in ExpressionAttribute${kind} unused in expressions: keys: {${[...unused].join(', ')}}`,
      );
    }
  }

  private resolveName(reference: string): string {
    const name = this.names.get(reference);
    if (name === undefined) {
      throw new ExpressionFault(
        `An expression attribute name used in the document path is not defined; attribute name: ${reference}`,
      );
    }
    this.unusedNames.delete(reference);
    return name;
  }
}

const hasValues = (expression: ExpressionName): boolean => expression !== 'ProjectionExpression';

/** @throws {DynamoDbError} ValidationException if a request has names or values, and no expression that may use them */
function refuseAlone(kind: 'Names' | 'Values', input: WireObject, expressions: readonly ExpressionName[]): void {
  const users = kind === 'Values' ? expressions.filter(hasValues) : expressions;
  if (users.some((expression) => input[expression] !== undefined)) return;
  const named = `: ${users.join(' and ')} ${users.length > 1 ? 'are' : 'is'} null`;
  throw validation(
    `ExpressionAttribute${kind} can only be specified when using expressions${kind === 'Values' ? named : ''}`,
  );
}

function read<T>(
  kind: 'Names' | 'Values',
  input: WireObject,
  expressions: readonly ExpressionName[],
  pattern: RegExp,
  convert: (value: unknown, key: string) => T,
): Map<string, T> {
  const read = new Map<string, T>();
  const what = `ExpressionAttribute${kind}`;
  const given = input[what];
  if (given === undefined || given === null) return read;
  refuseAlone(kind, input, expressions);
  const entries = Object.entries(given);
  if (entries.length === 0) throw validation(`${what} must not be empty`);
  for (const [key, value] of entries) {
    if (!pattern.test(key)) throw validation(`${what} contains invalid key: Syntax error; key: "${key}"`);
    read.set(key, convert(value, key));
  }
  return read;
}

function checkedValue(value: unknown, key: string): AttributeValue {
  try {
    return normalizeValue(value);
  } catch (error) {
    if (!(error instanceof DynamoDbError) || error.type !== 'ValidationException') throw error;
    throw validation(`ExpressionAttributeValues contains invalid value: ${error.message} for key ${key}`);
  }
}

export type ExpressionName =
  | 'ConditionExpression'
  | 'FilterExpression'
  | 'KeyConditionExpression'
  | 'ProjectionExpression'
  | 'UpdateExpression';

/** Maximum number of cached expressions. An application has few, so each is parsed once. */
const MAX_CACHED = 10_000;

/** Wraps a parser for one kind of expression in a cache by text. */
export function cacheParser<Syntax>(parse: (tokens: Tokens) => Syntax): (text: string) => Syntax {
  const known = new Map<string, Syntax>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    if (text.trim() === '') throw new ExpressionFault('The expression can not be empty;');
    const syntax = parse(new Tokens(text));
    if (known.size >= MAX_CACHED) known.clear();
    known.set(text, syntax);
    return syntax;
  };
}

/** @throws {DynamoDbError} for any {@link ExpressionFault}: `Invalid <expression>: ...` */
export function asExpressionError<T>(name: ExpressionName, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ExpressionFault) throw validation(`Invalid ${name}: ${error.message}`);
    throw error;
  }
}
