import { expect, test } from 'vitest';
import { bannedWords } from '../../tools/words.mjs';

test('a banned phrase is found by its line, in any case, and over the end of a line', () => {
  expect(bannedWords('// It begins\n// Anew, and the caller is\n// told.')).toEqual([
    { line: 2, message: "'is told': write receives, gets, learns" },
    { line: 2, message: "'Anew': write again, from the beginning" },
  ]);
});

test('a part of a word or of a name is no banned phrase', () => {
  expect(bannedWords('rehears anew-ish catalog-anew')).toEqual([]);
});
