import { expect, test } from 'vitest';
import { readOutside } from './stub-addresses.js';
import { UsageError } from './usage-error.js';

test('--outside names the stub of a host, each host once, and may be given several times', () => {
  expect(readOutside([])).toEqual({ addresses: {}, module: undefined });
  expect(
    readOutside([
      'cards.example.com=http://127.0.0.1:9000',
      'Mail.Example.com:8443=https://localhost/fake?key=a=b',
      'cards.example.com:8443=http://127.0.0.1:9001/',
    ]).addresses,
  ).toEqual({
    'cards.example.com': 'http://127.0.0.1:9000',
    'mail.example.com:8443': 'https://localhost/fake?key=a=b',
    'cards.example.com:8443': 'http://127.0.0.1:9001/',
  });
});

test.each([
  '',
  'cards.example.com',
  'cards.example.com=',
  '=http://127.0.0.1:9000',
  'cards.example.com=127.0.0.1:9000',
  'cards.example.com=ftp://127.0.0.1',
  'cards.example.com=http://',
  'cards.example.com:=http://127.0.0.1',
  'https://cards.example.com=http://127.0.0.1:9000',
  'cards.example.com/path=http://127.0.0.1:9000',
])('--outside %j is refused, with what would be right', (text) => {
  const refused = `--outside ${text}: <host>=<url> was expected, as cards.example.com=http://127.0.0.1:9000, or a module (.ts, .mjs, .js)`;
  expect(() => readOutside(['mail.example.com=http://127.0.0.1:1', text])).toThrow(new UsageError(refused));
});

test('a host that --outside names twice is refused: one of the addresses would be ignored', () => {
  const twice = ['cards.example.com=http://127.0.0.1:9000', 'CARDS.example.com=http://127.0.0.1:9001'];
  expect(() => readOutside(twice)).toThrow(
    new UsageError(`--outside ${twice[1]}: cards.example.com is named twice; one address was expected`),
  );
});

test.each(['stubs.ts', './test/stubs.mjs', 'stubs.js'])('%s is a module of models, beside addresses', (module) =>
  expect(readOutside(['cards.example.com=http://127.0.0.1:9000', module])).toEqual({
    addresses: { 'cards.example.com': 'http://127.0.0.1:9000' },
    module,
  }),
);

test('a second module is refused: one of the two would be ignored', () =>
  expect(() => readOutside(['one.ts', 'two.ts'])).toThrow(
    new UsageError('--outside two.ts: one module was expected, and one.ts is another one'),
  ));
