import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { decodeCursor, encodeCursor } from '../../../packages/kit/http/paging.js';

const Position = z.strictObject({ n: z.int() });
const cursor = encodeCursor('orders of alice', { n: 7 });
const read = (text: string | undefined, list = 'orders of alice') => decodeCursor(list, text, Position);

/** Forges a cursor with a valid checksum, which is no secret. */
const made = (text: string) =>
  Buffer.from(createHash('sha256').update(text).digest('base64url').slice(0, 8) + text).toString('base64url');

describe('a cursor', () => {
  test.each(['null', '{}', '7', 'x', '[', '', '[]', '[{"n":7}]', '[{"n":7},"orders of alice",1]'])(
    'a forged cursor is refused: %s',
    (text) => expect(() => read(made(text))).toThrow('invalid-request'),
  );
  test('decodes to its position', () => expect(read(cursor)).toEqual({ n: 7 }));
  test('a cursor is optional', () => expect(read(undefined)).toBeUndefined());
  test('a cursor of another list is refused', () =>
    expect(() => read(cursor, 'orders of bob')).toThrow('invalid-request'));
  test('a cursor with a malformed position is refused', () =>
    expect(() => read(encodeCursor('orders of alice', 'x'))).toThrow('invalid-request'));
  test('a cursor is refused with any single character changed, removed or added', () => {
    for (const at of cursor.split('').keys()) {
      const other = cursor[at] === 'A' ? 'B' : 'A';
      expect(() => read(cursor.slice(0, at) + other + cursor.slice(at + 1))).toThrow('invalid-request');
      expect(() => read(cursor.slice(0, at) + cursor.slice(at + 1))).toThrow('invalid-request');
    }
    for (const text of [`${cursor}A`, `${cursor}=`, ` ${cursor}`, '', '%%%'])
      expect(() => read(text)).toThrow('invalid-request');
  });
});
