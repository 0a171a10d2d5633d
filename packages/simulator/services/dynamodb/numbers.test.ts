import { describe, expect, test } from 'vitest';
import { addNumbers, compareNumbers, normalizeNumber, numberBytes, subtractNumbers } from './decimal.js';

const digits38 = '12345678901234567890123456789012345678';

describe('a number', () => {
  test.each([
    ['0012.3400', '12.34'],
    ['-0', '0'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['+3', '3'],
    ['1e20', '100000000000000000000'],
    ['1E-3', '0.001'],
    [`${digits38}.0`, digits38],
    ['-1E-130', `-0.${'0'.repeat(129)}1`],
    ['9.99e125', `999${'0'.repeat(123)}`],
  ])('%s is kept as %s', (text, kept) => expect(normalizeNumber(text)).toBe(kept));

  test.each([
    ['1e126', /overflow/],
    ['1e-131', /underflow/],
    [`${digits38}9`, /more than 38 significant digits/],
    ['abc', /numeric value/],
    ['', /numeric value/],
    [' 3', /numeric value/],
    ['0x10', /numeric value/],
    ['NaN', /numeric value/],
  ])('%s is refused', (text, message) => expect(() => normalizeNumber(text)).toThrow(message));

  test('a number is added and subtracted exactly', () => {
    expect(addNumbers('0.1', '0.2')).toBe('0.3');
    expect(addNumbers('9007199254740993', '1')).toBe('9007199254740994');
    expect(addNumbers(digits38, '1')).toBe('12345678901234567890123456789012345679');
    expect(addNumbers('99999999999999999999999999999999999999', '1')).toBe(`1${'0'.repeat(38)}`);
    expect(subtractNumbers('1', '1.000')).toBe('0');
    expect(subtractNumbers('999999999999999', '-999999999999999')).toBe('1999999999999998');
    expect(() => addNumbers(digits38, '0.1')).toThrow(/38/);
  });

  test('a number is ordered by its value', () => {
    const ordered = ['-10', '-9.5', '-1e-130', '0', '0.1', '2', '10', '9999999999999999', '1e125'].map(normalizeNumber);
    expect([...ordered].reverse().sort(compareNumbers)).toEqual(ordered);
    expect(compareNumbers('10', '9')).toBeGreaterThan(0);
  });

  test.each([
    ['0', 1],
    ['1', 2],
    ['12', 2],
    ['123', 3],
    ['-12', 3],
    ['100', 2],
    [digits38, 20],
  ])('%s takes %i bytes of its item', (text, bytes) => expect(numberBytes(text)).toBe(bytes));
});
