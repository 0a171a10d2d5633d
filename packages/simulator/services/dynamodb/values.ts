/**
 * Attribute values: which ones are valid, and how they are stored, compared and ordered.
 *
 * AWS, "Supported data types and naming rules in Amazon DynamoDB"; "Comparison operator and function reference".
 */
import { compareNumbers, normalizeNumber } from './decimal.js';
import { serialization, validation } from './errors.js';
import type { AttributeValue, Item, KeyType, TypeName } from './wire.js';

const MAX_DEPTH = 32;
const TYPES: ReadonlySet<string> = new Set(['S', 'N', 'B', 'BOOL', 'NULL', 'SS', 'NS', 'BS', 'L', 'M']);
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const SET_NAMES = { SS: 'string', NS: 'number', BS: 'binary' } as const;

/** Returns a value's type and content. Values that passed {@link normalizeItem} have exactly one type. */
export function typeOf(value: AttributeValue): TypeName {
  for (const type in value) return type as TypeName;
  throw new Error('an attribute value without a type');
}

export const contentOf = (value: AttributeValue): unknown => (value as Record<string, unknown>)[typeOf(value)];

/**
 * Returns an item as DynamoDB stores it: numbers in normal form, sets sorted, everything frozen and copied from the
 * request.
 * @throws {DynamoDbError} ValidationException or SerializationException, as AWS does
 */
export function normalizeItem(item: unknown): Item {
  if (typeof item !== 'object' || item === null || Array.isArray(item))
    throw serialization('Unexpected value type in payload');
  const kept: Record<string, AttributeValue> = {};
  for (const [name, value] of Object.entries(item)) define(kept, name, normalizeValue(value, 1));
  return Object.freeze(kept);
}

/** Normalises one value, as {@link normalizeItem} does. */
export function normalizeValue(value: unknown, depth = 1): AttributeValue {
  if (depth > MAX_DEPTH) {
    throw validation('Nesting Levels have exceeded supported limits: Attributes more than 32 levels deep');
  }
  if (typeof value !== 'object' || value === null) throw serialization('Unexpected value type in payload');
  const types = Object.keys(value).filter((type) => TYPES.has(type));
  const [type] = types;
  if (type === undefined) {
    throw validation('Supplied AttributeValue is empty, must contain exactly one of the supported datatypes');
  }
  if (types.length > 1) {
    throw validation(
      'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes',
    );
  }
  const content = (value as Record<string, unknown>)[type];
  switch (type as TypeName) {
    case 'S':
      return Object.freeze({ S: text(content) });
    case 'N':
      return Object.freeze({ N: normalizeNumber(text(content)) });
    case 'B':
      return Object.freeze({ B: binary(content) });
    case 'BOOL':
      if (typeof content !== 'boolean') throw serialization('Unexpected token received from parser');
      return Object.freeze({ BOOL: content });
    case 'NULL':
      if (content !== true) throw invalid('Null attribute value types must have the value of true');
      return Object.freeze({ NULL: true });
    case 'SS':
      return Object.freeze({ SS: parseSet('SS', list(content).map(text), compareText) });
    case 'NS':
      return Object.freeze({
        NS: parseSet(
          'NS',
          list(content).map((n) => normalizeNumber(text(n))),
          compareNumbers,
        ),
      });
    case 'BS':
      return Object.freeze({ BS: parseSet('BS', list(content).map(binary), compareBinary) });
    case 'L':
      return Object.freeze({ L: Object.freeze(list(content).map((member) => normalizeValue(member, depth + 1))) });
    case 'M': {
      if (typeof content !== 'object' || content === null || Array.isArray(content)) {
        throw serialization('Unexpected value type in payload');
      }
      const kept: Record<string, AttributeValue> = {};
      for (const [name, member] of Object.entries(content)) define(kept, name, normalizeValue(member, depth + 1));
      return Object.freeze({ M: Object.freeze(kept) });
    }
  }
}

/** `__proto__` is a legal attribute name. */
function define(target: Record<string, AttributeValue>, name: string, value: AttributeValue): void {
  if (name === '__proto__') Object.defineProperty(target, name, { value, enumerable: true });
  else target[name] = value;
}

export const invalid = (what: string) => validation(`One or more parameter values were invalid: ${what}`);

function text(content: unknown): string {
  if (typeof content !== 'string') throw serialization(`${jsonType(content)} cannot be converted to String`);
  return content;
}

function binary(content: unknown): string {
  const base64 = text(content);
  if (!BASE64.test(base64)) throw serialization('Base64 encoded content could not be decoded');
  return base64;
}

function list(content: unknown): readonly unknown[] {
  if (!Array.isArray(content)) throw serialization('Unexpected value type in payload');
  return content;
}

const jsonType = (content: unknown): string =>
  typeof content === 'number'
    ? 'NUMBER_VALUE'
    : content === true
      ? 'TRUE_VALUE'
      : content === false
        ? 'FALSE_VALUE'
        : 'Unexpected value type in payload';

function parseSet(type: keyof typeof SET_NAMES, members: string[], compare: (a: string, b: string) => number) {
  if (members.length === 0) {
    throw invalid(type === 'BS' ? 'Binary sets should not be empty' : `An ${SET_NAMES[type]} set  may not be empty`);
  }
  if (new Set(members).size < members.length) {
    throw invalid(`Input collection [${members.join(', ')}] contains duplicates.`);
  }
  return Object.freeze(members.sort(compare));
}

/** Compares strings by their UTF-8 bytes, which differs from JavaScript's order only beyond the basic plane. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const end = Math.min(a.length, b.length);
  for (let at = 0; at < end; at++) {
    const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (x === y) continue;
    const astral = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
    return astral(x) - astral(y);
  }
  return a.length - b.length;
}

export const decodeBase64 = (base64: string): Buffer => Buffer.from(base64, 'base64');
const compareBinary = (a: string, b: string): number => Buffer.compare(decodeBase64(a), decodeBase64(b));

/** Compares two values of one ordered type (S, N, B); undefined for any others. */
export function compareValues(a: AttributeValue, b: AttributeValue): number | undefined {
  if ('S' in a && 'S' in b) return compareText(a.S, b.S);
  if ('N' in a && 'N' in b) return compareNumbers(a.N, b.N);
  if ('B' in a && 'B' in b) return compareBinary(a.B, b.B);
  return undefined;
}

/** Returns the text of a key's value: equal keys have equal texts within one attribute. */
export const keyText = (value: AttributeValue): string => String(contentOf(value));

export const isKeyType = (type: string): type is KeyType => type === 'S' || type === 'N' || type === 'B';

export function equalValues(a: AttributeValue, b: AttributeValue): boolean {
  if (a === b) return true;
  const type = typeOf(a);
  if (type !== typeOf(b)) return false;
  const [x, y] = [contentOf(a), contentOf(b)];
  if (type === 'L') return equalLists(x as AttributeValue[], y as AttributeValue[], equalValues);
  if (type === 'M') return equalItems(x as Item, y as Item);
  if (type === 'SS' || type === 'NS' || type === 'BS') {
    return equalLists(x as string[], y as string[], (left, right) => left === right);
  }
  return x === y;
}

/** Compares two items regardless of the order of their attributes. */
export function equalItems(a: Item, b: Item): boolean {
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => {
    const [left, right] = [a[name], b[name]];
    return left !== undefined && right !== undefined && equalValues(left, right);
  });
}

const equalLists = <T>(a: readonly T[], b: readonly T[], equal: (x: T, y: T) => boolean): boolean =>
  a.length === b.length && a.every((member, at) => equal(member, b[at] as T));
