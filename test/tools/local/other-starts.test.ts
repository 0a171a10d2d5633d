import { expect, test } from 'vitest';
import { aboutOthers } from '../../../tools/local/other-starts.js';

const running = { endpoint: 'http://127.0.0.1:4566' };
const beginning = { pid: 4711 };

test('a start alone has nothing to say of others', () => {
  expect(aboutOthers([], { keep: true })).toBeUndefined();
});

test('a second start names where the first one runs, and which one the commands talk to', () => {
  expect(aboutOthers([running], { keep: false })).toBe(
    'Another start of this clone runs at http://127.0.0.1:4566. This one runs beside it, with data of its own. Commands in another terminal talk to the one that was ready last.',
  );
});

test('a start that is not ready yet is named by its process', () => {
  expect(aboutOthers([beginning], { keep: false })).toContain('begins in process 4711.');
});

test('a start at an emulator of its user names the emulator', () => {
  const line = aboutOthers([running], { keep: false, endpoint: 'http://127.0.0.1:9000' });
  expect(line).toContain('beside it, at http://127.0.0.1:9000.');
});

test.each([
  ['at http://127.0.0.1:4566', { ...running, keeps: '.orderly/state/dev.json' }],
  ['in process 4711', { ...beginning, keeps: '.orderly/state/dev.json' }],
])('two starts with --keep do not share a state: the first one is %s', (where, other) => {
  const words = `The start ${where} keeps its state in .orderly/state/dev.json: end it first`;
  expect(() => aboutOthers([running, other], { keep: true })).toThrow(words);
  expect(aboutOthers([running, other], { keep: false })).toContain('Another start');
});
