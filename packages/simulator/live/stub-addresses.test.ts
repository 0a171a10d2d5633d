import { expect, test } from 'vitest';
import { stubAddresses } from './stub-addresses.js';
import { UsageError } from './usage-error.js';

test('--outside names the stub of a host, each host once, and may be given several times', () => {
  expect(stubAddresses([])).toEqual({});
  expect(
    stubAddresses([
      'cards.example.com=http://127.0.0.1:9000',
      'Mail.Example.com:8443=https://localhost/fake?key=a=b',
      'cards.example.com:8443=http://127.0.0.1:9001/',
    ]),
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
  const refused = `--outside ${text}: <host>=<url> was expected, as cards.example.com=http://127.0.0.1:9000`;
  expect(() => stubAddresses(['mail.example.com=http://127.0.0.1:1', text])).toThrow(new UsageError(refused));
});

test('a host that --outside names twice is refused: one of the addresses would be ignored', () => {
  const twice = ['cards.example.com=http://127.0.0.1:9000', 'CARDS.example.com=http://127.0.0.1:9001'];
  expect(() => stubAddresses(twice)).toThrow(
    new UsageError(`--outside ${twice[1]}: cards.example.com is named twice; one address was expected`),
  );
});
