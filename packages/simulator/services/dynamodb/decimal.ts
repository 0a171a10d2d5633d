/**
 * DynamoDB's numbers: 38 significant digits, magnitudes from 1E-130 to 9.99...E+125, exact decimal arithmetic.
 *
 * AWS, "Data types - Number" (Supported data types and naming rules in DynamoDB).
 */
import { validation } from './errors.js';

/** `coefficient * 10 ** exponent`; the coefficient doesn't end in a zero, and zero is `0 * 10 ** 0`. */
interface Decimal {
  readonly coefficient: bigint;
  readonly exponent: number;
}

const MAX_DIGITS = 38;
const MAX_MAGNITUDE = 125;
const MIN_MAGNITUDE = -130;
const FORMAT = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;
/** Most numbers of applications: already in DynamoDB's form, and exact as a double. */
const PLAIN = /^(?:0|-?[1-9]\d{0,14})$/;

/**
 * Returns a number in DynamoDB's form: no exponent, no leading or trailing zeros.
 * @throws {DynamoDbError} ValidationException if it isn't a number, or not one that DynamoDB can store
 */
export const normalizeNumber = (text: string): string => (PLAIN.test(text) ? text : format(checkRange(parse(text))));

/** Compares two normal numbers: negative if `a` is smaller. */
export function compareNumbers(a: string, b: string): number {
  if (a === b) return 0;
  if (a.length < 16 && b.length < 16 && PLAIN.test(a) && PLAIN.test(b)) return Number(a) - Number(b);
  const { coefficient } = addDecimals(parse(a), negative(parse(b)));
  return coefficient < 0n ? -1 : coefficient > 0n ? 1 : 0;
}

/**
 * Adds two normal numbers.
 * @throws {DynamoDbError} if the result has more digits or magnitude than DynamoDB can store
 */
export function addNumbers(a: string, b: string): string {
  if (PLAIN.test(a) && PLAIN.test(b)) return String(Number(a) + Number(b));
  return format(checkRange(addDecimals(parse(a), parse(b))));
}

/** Subtracts two normal numbers. @throws {DynamoDbError} as {@link addNumbers} */
export function subtractNumbers(a: string, b: string): string {
  if (PLAIN.test(a) && PLAIN.test(b)) return String(Number(a) - Number(b));
  return format(checkRange(addDecimals(parse(a), negative(parse(b)))));
}

/**
 * Returns the bytes of a normal number in an item's size: one for each two digits (by the decimal point, so "1.2" has
 * two such pairs and "12" has one), one more, and one for a minus. AWS, "DynamoDB item sizes and formats", says
 * "approximately".
 */
export function numberBytes(text: string): number {
  if (text === '0') return 1;
  const { coefficient, exponent } = parse(text);
  const minus = coefficient < 0n ? 1 : 0;
  const digits = coefficient.toString().length - minus;
  const lowest = Math.floor(exponent / 2);
  const highest = Math.floor((exponent + digits - 1) / 2);
  return 1 + (highest - lowest + 1) + minus;
}

function parse(text: string): Decimal {
  const match = FORMAT.exec(text);
  const [, sign = '', whole = '', fraction = '', power = '0'] = match ?? [];
  if (!match || whole.length + fraction.length === 0) throw validation(NOT_A_NUMBER(text));
  const digits = BigInt(whole + fraction);
  return trimZeros(sign === '-' ? -digits : digits, Number(power) - fraction.length);
}

const NOT_A_NUMBER = (text: string): string =>
  text === ''
    ? 'The parameter cannot be converted to a numeric value'
    : `The parameter cannot be converted to a numeric value: ${text}`;

function trimZeros(coefficient: bigint, exponent: number): Decimal {
  if (coefficient === 0n) return { coefficient, exponent: 0 };
  const text = coefficient.toString();
  let end = text.length;
  while (text.charCodeAt(end - 1) === 48) end--;
  const zeros = text.length - end;
  return zeros === 0
    ? { coefficient, exponent }
    : { coefficient: BigInt(text.slice(0, end)), exponent: exponent + zeros };
}

function checkRange(decimal: Decimal): Decimal {
  const { coefficient, exponent } = decimal;
  const digits = coefficient.toString().length - (coefficient < 0n ? 1 : 0);
  const magnitude = digits - 1 + exponent;
  if (magnitude > MAX_MAGNITUDE)
    throw validation('Number overflow. Attempting to store a number with magnitude larger than supported range');
  if (magnitude < MIN_MAGNITUDE)
    throw validation('Number underflow. Attempting to store a number with magnitude smaller than supported range');
  if (digits > MAX_DIGITS) throw validation('Attempting to store more than 38 significant digits in a Number');
  return decimal;
}

const negative = ({ coefficient, exponent }: Decimal): Decimal => ({ coefficient: -coefficient, exponent });

function addDecimals(a: Decimal, b: Decimal): Decimal {
  const exponent = Math.min(a.exponent, b.exponent);
  const scaled = (d: Decimal): bigint => d.coefficient * 10n ** BigInt(d.exponent - exponent);
  return trimZeros(scaled(a) + scaled(b), exponent);
}

function format({ coefficient, exponent }: Decimal): string {
  const minus = coefficient < 0n ? '-' : '';
  const digits = (coefficient < 0n ? -coefficient : coefficient).toString();
  if (exponent >= 0) return minus + digits + '0'.repeat(exponent);
  const point = digits.length + exponent;
  if (point > 0) return `${minus}${digits.slice(0, point)}.${digits.slice(point)}`;
  return `${minus}0.${'0'.repeat(-point)}${digits}`;
}
