import { expect, test } from 'vitest';
import { parseHandled } from '../../../tools/local/consumer-logs.js';

const line = (message: string, second: number, eventId = 'e') =>
  JSON.stringify({ message, consumer: 'commands', eventId, timestamp: `2026-12-01T00:00:0${second}.000Z` });

test.each([
  ['applied, then a duplicate', ['applied', 'duplicate'], ['applied', 'duplicate']],
  [
    'stored twice and applied by the lane once',
    ['stored for the lane', 'stored for the lane', 'applied'],
    ['applied', 'duplicate'],
  ],
  [
    'stored, applied by the lane, then a duplicate',
    ['stored for the lane', 'applied', 'duplicate'],
    ['applied', 'duplicate'],
  ],
  [
    'stored, applied alone, a duplicate in the lane',
    ['stored for the lane', 'applied', 'duplicate'],
    ['applied', 'duplicate'],
  ],
  ['applied alone, then a duplicate in the lane', ['applied', 'stored for the lane'], ['applied', 'duplicate']],
  [
    'applied alone, then a duplicate in the lane that its writer tells',
    ['applied', 'stored for the lane', 'duplicate'],
    ['applied', 'duplicate'],
  ],
  ['stored, and not decided yet', ['stored for the lane'], []],
  ['stored in an inbox, then known there', ['stored', 'known'], ['applied', 'duplicate']],
])('a message that is %s', (_, messages, outcomes) => {
  const lines = messages.map((message, at) => line(message, at));
  expect(parseHandled(['not JSON', '{"cut', ...lines]).map(({ outcome }) => outcome)).toEqual(outcomes);
});

test('messages are in the order of time', () => {
  const lines = [line('applied', 2, 'second'), line('applied', 1, 'first')];
  expect(parseHandled(lines).map(({ eventId }) => eventId)).toEqual(['first', 'second']);
});
