import { expect, test } from 'vitest';
import { parseHandled } from '../../../tools/local/consumer-logs.js';

/** A line of a consumer about a delivery, or of a lane's writer about a request: `applied by the lane`. */
const line = (message: string, second: number, eventId = 'e') => {
  const [, outcome = message] = /^(\w+) by the lane$/.exec(message) ?? [];
  const delivery = outcome === message ? { messageId: `m${second}` } : {};
  const timestamp = `2026-12-01T00:00:0${second}.000Z`;
  return JSON.stringify({ message: outcome, consumer: 'commands', eventId, timestamp, ...delivery });
};

test.each([
  ['applied, then a duplicate', ['applied', 'duplicate'], ['applied', 'duplicate']],
  [
    'stored twice and applied by the lane once',
    ['stored for the lane', 'stored for the lane', 'applied by the lane'],
    ['applied', 'duplicate'],
  ],
  [
    'stored, applied by the lane, then a duplicate',
    ['stored for the lane', 'applied by the lane', 'duplicate'],
    ['applied', 'duplicate'],
  ],
  [
    'stored, applied alone, a duplicate in the lane',
    ['stored for the lane', 'applied', 'duplicate by the lane'],
    ['duplicate', 'applied'],
  ],
  ['applied alone, then a duplicate in the lane', ['applied', 'stored for the lane'], ['applied', 'duplicate']],
  [
    'applied alone, then a duplicate in the lane that its writer tells',
    ['applied', 'stored for the lane', 'duplicate by the lane'],
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
