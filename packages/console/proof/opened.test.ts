import { expect, test } from 'vitest';
import type { HistoryHappening, OpenedHistory } from '../server/histories-contract.js';
import { parseHistoryId, toHistoryId } from './history-id.js';
import { toPicture } from './opened.js';

let number = 0;
/** A step of a delivery to one consumer. */
const delivery = (subject: string, receiveCount: number, outcome: string): HistoryHappening => ({
  number: ++number,
  at: 1_000 * number,
  kind: 'delivery',
  owner: 'Payments/OnProvider',
  id: `${subject} ${receiveCount}`,
  messageId: `of ${subject}`,
  receiveCount,
  invocation: 'one',
  outcome,
  eventId: `event of ${subject}`,
  source: 'orderly.payments',
  type: 'PaymentRequested',
  subject: `Payment/${subject}`,
  version: 1,
  correlationId: `request of ${subject}`,
});
const happenings = ['first', 'second'].flatMap((subject) =>
  [1, 2].flatMap((count) => [delivery(subject, count, 'began'), delivery(subject, count, 'applied')]),
);
const held: OpenedHistory = { faults: [], violations: [], happenings };

test('a history that kept its promises is shown with all that happened', () => {
  const picture = toPicture(held);
  expect(picture.title).toBe('No fault');
  expect(picture.verdict).toEqual({ state: 'complete', text: 'Every promise was kept.' });
  expect(picture.deliveries.map(({ eventId }) => eventId)).toEqual(['event of first', 'event of second']);
});

test('a history that broke one is shown with what belongs to it, and what was applied again is counted', () => {
  const picture = toPicture({
    ...held,
    faults: [{ point: 'Payments/OnProvider call 3', kind: 'killed-after' }],
    violations: [{ invariant: 'a payment is charged once', detail: 'twice', about: 'second' }],
  });
  expect(picture.title).toBe('Payments/OnProvider call 3: killed-after');
  expect(picture.verdict).toEqual({ state: 'failed', text: 'Broken: a payment is charged once.' });
  expect(picture.deliveries.map(({ eventId }) => eventId)).toEqual(['event of second']);
  expect(picture.doneTwice).toBe(1);
});

test('all is shown if nothing names what was broken', () => {
  const violations = [{ invariant: 'nothing stays locked', detail: 'a lock', about: 'nobody' }];
  expect(toPicture({ ...held, violations }).deliveries).toHaveLength(2);
});

test.each([
  { scenario: 'pay-once' },
  { scenario: 'pay-once', guard: 'provider-key' },
  { scenario: 'pay-once', cell: { point: 'Payments/OnProvider call 3', kind: 'killed-after' } },
  { scenario: 'pay-once', guard: 'provider-key', cell: { point: 'Payments/Queue message 1', kind: 'delayed' } },
])('an address names the history %j', (request) => {
  expect(parseHistoryId(toHistoryId(request))).toEqual(request);
});

test.each(['', 'pay-once', '/guard/', 'pay-once//no fault'])("an address '%s' names none", (id) => {
  expect(parseHistoryId(id)).toBeUndefined();
});
