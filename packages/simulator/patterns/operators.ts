import { parseRange } from './cidr.js';
import { InvalidPattern } from './invalid.js';

/** Checks one value of an event. */
export type Test = (value: unknown) => boolean;

const NEVER: Test = () => false;

/**
 * Reads what a value is compared with: a value, or an operator. AWS, "Comparison operators for use in event patterns";
 * Event Ruler, README, "Ruler by Example".
 * @throws {InvalidPattern}
 */
export function compileTest(wanted: unknown): Test {
  if (typeof wanted !== 'object' || wanted === null) return (value) => value === wanted;
  const [[operator, operand] = ['', undefined], ...others] = Object.entries(wanted);
  if (others.length > 0) throw new InvalidPattern('Only one key allowed in match expression');
  switch (operator) {
    case 'exactly':
      return textTest(operator, operand, (text) => (value) => value === text);
    case 'exists':
      return parseExists(wanted) ? () => true : NEVER;
    case 'prefix':
      return ignoringCase(operator, operand) ?? textTest(operator, operand, prefix);
    case 'suffix':
      return ignoringCase(operator, operand) ?? textTest(operator, operand, suffix);
    case 'equals-ignore-case':
      return textTest(operator, operand, equalsIgnoringCase);
    case 'wildcard':
      return textTest(operator, operand, wildcardTest);
    case 'cidr':
      return textTest(operator, operand, parseRange);
    case 'numeric':
      return numeric(operand);
    case 'anything-but':
      return anythingBut(operand);
    default:
      throw new InvalidPattern(`Unrecognized match type ${operator}`);
  }
}

/** @returns the operand of `exists`; `undefined` if the test is another one */
export function parseExists(wanted: unknown): boolean | undefined {
  if (typeof wanted !== 'object' || wanted === null || !('exists' in wanted)) return undefined;
  if (typeof wanted.exists !== 'boolean')
    throw new InvalidPattern('exists match pattern must be either true or false.');
  return wanted.exists;
}

/** Makes a test of a text operand; values that aren't texts never fit. */
function textTest(operator: string, operand: unknown, make: (text: string) => (value: string) => boolean): Test {
  if (typeof operand !== 'string') throw new InvalidPattern(`${operator} match pattern must be a string`);
  const test = make(operand);
  return (value) => typeof value === 'string' && test(value);
}

const prefix = (text: string) => (value: string) => value.startsWith(text);
const suffix = (text: string) => (value: string) => value.endsWith(text);
const equalsIgnoringCase = (text: string) => (value: string) => value.toLowerCase() === text.toLowerCase();

/** Reads `{ "prefix": { "equals-ignore-case": <text> } }`; `undefined` if the operand is something else. */
function ignoringCase(operator: 'prefix' | 'suffix', operand: unknown): Test | undefined {
  if (typeof operand !== 'object' || operand === null) return undefined;
  const [[inner, text] = ['', undefined], ...others] = Object.entries(operand);
  if (inner !== 'equals-ignore-case') throw new InvalidPattern(`Unsupported ${operator} pattern: ${inner}`);
  if (others.length > 0) throw new InvalidPattern('Only one key allowed in match expression');
  const make = operator === 'prefix' ? prefix : suffix;
  return textTest(inner, text, (folded) => {
    const test = make(folded.toLowerCase());
    return (value) => test(value.toLowerCase());
  });
}

/** Operators that `anything-but` may be applied to, besides values. */
const DENIED: Readonly<Record<string, (text: string) => (value: string) => boolean>> = {
  prefix,
  suffix,
  'equals-ignore-case': equalsIgnoringCase,
  wildcard: wildcardTest,
};

function anythingBut(operand: unknown): Test {
  if (typeof operand === 'object' && operand !== null && !Array.isArray(operand)) {
    const [[operator, texts] = ['', undefined], ...others] = Object.entries(operand as object);
    const make = DENIED[operator];
    if (!make || others.length > 0) throw new InvalidPattern(`Unsupported anything-but pattern: ${operator}`);
    const tests = many(texts).map((text) => {
      if (text === '' && (operator === 'prefix' || operator === 'suffix'))
        throw new InvalidPattern('Null prefix/suffix not allowed');
      return textTest(operator, text, make);
    });
    return (value) => !tests.some((test) => test(value));
  }
  const values = many(operand);
  const types = new Set(values.map((value) => typeof value));
  if (types.size !== 1 || !(types.has('string') || types.has('number')))
    throw new InvalidPattern(
      'Inside anything but list, either all values are number or string, mixed type is not supported',
    );
  return (value) => !values.includes(value);
}

const many = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

const COMPARISONS: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  '=': (value, bound) => value === bound,
  '<': (value, bound) => value < bound,
  '<=': (value, bound) => value <= bound,
  '>': (value, bound) => value > bound,
  '>=': (value, bound) => value >= bound,
};

/** Reads one comparison, or a lower and an upper bound: `["=", 5]`, `[">", 0, "<=", 5]`. */
function numeric(operand: unknown): Test {
  const tests = Array.isArray(operand) ? operand : [];
  const bounds = Array.from({ length: Math.ceil(tests.length / 2) }, (_, at) => {
    const [sign, bound] = [String(tests[2 * at]), tests[2 * at + 1] as unknown];
    const compare = COMPARISONS[sign];
    if (!compare) throw new InvalidPattern(`Unrecognized numeric range operator: ${sign}`);
    if (typeof bound !== 'number') throw new InvalidPattern(`Value of ${sign} must be numeric`);
    return { sign, compare, bound };
  });
  const [first, second] = bounds;
  if (!first || bounds.length > 2)
    throw new InvalidPattern('Invalid member in numeric match: expected one or two bounds');
  if (second && !(first.sign.startsWith('>') && second.sign.startsWith('<') && first.bound < second.bound))
    throw new InvalidPattern('Bottom must be less than top');
  return (value) => typeof value === 'number' && bounds.every(({ compare, bound }) => compare(value, bound));
}

/**
 * Compiles a wildcard of a pattern: `*` matches any text; `\*` and `\\` match a star and a backslash. @throws
 * {InvalidPattern} for consecutive wildcards and other escapes
 */
function wildcardTest(text: string): (value: string) => boolean {
  if (text.replace(/\\./g, 'x').includes('**'))
    throw new InvalidPattern('Consecutive wildcard characters are not allowed');
  if (/\\(?![\\*])/.test(text.replace(/\\[\\*]/g, ''))) throw new InvalidPattern('Invalid escape character');
  const source = text.replace(/\\([\\*])|\*|[.+?^${}()|[\]]/g, (found, escaped: string | undefined) =>
    escaped !== undefined ? `\\${escaped}` : found === '*' ? '[\\s\\S]*' : `\\${found}`,
  );
  const compiled = new RegExp(`^${source}$`);
  return (value) => compiled.test(value);
}
