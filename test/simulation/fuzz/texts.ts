import fc from 'fast-check';

/** Texts that are known to break software. */
const KNOWN = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\r\nX-Injected: 1',
  '\ud800',
  'a\udc00b',
  '\u202egnp.exe',
  '\u2028',
  '\u200b',
  '\ufeff',
  '\uffff',
  '😀',
  'é',
  'e\u0301',
  '__proto__',
  'constructor',
  'toString',
  'a#b',
  'ORDER#1',
  '../..',
  '%2e%2e%2f',
  '%00',
  '=cmd|calc!A1',
  '<img src=x onerror=alert(1)>',
  '$' + '{jndi:ldap://x}',
  "' OR 1=1 --",
  '{"$ne":null}',
  'ada@example.org',
  'null',
  'true',
  '1e400',
  '-0',
  '0x10',
  '١',
] as const;

const LONG = [64, 65, 128, 129, 255, 256, 1024, 1025, 2048, 7000];

/** Generates any text, also with lone surrogates. */
export const text: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...KNOWN) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  {
    weight: 1,
    arbitrary: fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)), maxLength: 20 }),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom('x', '/', 'é', '"', '\u0001'), fc.constantFrom(...LONG)).map(repeated),
  },
);

function repeated([unit, length]: [string, number]): string {
  return unit.repeat(length);
}

/** Numbers in JSON's spelling, also those that JavaScript can't represent. */
export const numberText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '0',
    '-0',
    '-1',
    '1.5',
    '1e2',
    '1e400',
    '-1e400',
    '1E-400',
    '9007199254740993',
    '1000000000001',
    '10001',
  ),
  fc.constantFrom(400, 20_000).map((length) => '9'.repeat(length)),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
);

/** Percent-encodes every byte that a part of a path or query may not contain. A lone surrogate becomes U+FFFD. */
export const encoded = (part: string): string => encodeURIComponent(Buffer.from(part).toString());
