import { expect, test } from 'vitest';
import { parseAttemptLine } from '../../../packages/operator/attempts/attempt-lines.js';
import {
  type Attempt,
  countAttempts,
  describeAttempt,
  describeAttempts,
  findAttempts,
  settleStored,
} from '../../../packages/operator/attempts/attempts.js';

let second = 0;
/** A log line about event `e` at the consumer `stock`, each a second after the one before. */
const line = (message: string, more: object = {}): string =>
  JSON.stringify({
    message,
    consumer: 'stock',
    eventId: 'e',
    timestamp: `2026-01-05T00:00:${String(second++ % 60).padStart(2, '0')}.000Z`,
    ...more,
  });
const attemptsOf = (...lines: readonly string[]) => {
  const found = findAttempts(lines.flatMap((one) => parseAttemptLine(one) ?? []));
  return (found.get('stock e') ?? []).map(({ outcome, cause }) =>
    cause === undefined ? outcome : `${outcome}: ${cause}`,
  );
};

test('a message that comes once is applied once', () =>
  expect(attemptsOf(line('applied', { messageId: 'm' }))).toEqual(['applied']));

test('a message that the queue gives again says so', () =>
  expect(attemptsOf(line('applied', { messageId: 'm' }), line('duplicate', { messageId: 'm', attempts: 2 }))).toEqual([
    'applied',
    'duplicate: the queue gave it again after it was applied',
  ]));

test('a message that was sent twice has two ids', () =>
  expect(attemptsOf(line('applied', { messageId: 'm' }), line('duplicate', { messageId: 'n' }))).toEqual([
    'applied',
    'duplicate: it was sent to the queue once more',
  ]));

test('an attempt without a line is a crash, before its effect or behind it', () => {
  const crash = 'crashed: no line says its end: it crashed, or its time was over';
  expect(attemptsOf(line('applied', { messageId: 'm', attempts: 3 }))).toEqual([crash, crash, 'applied']);
  expect(attemptsOf(line('duplicate', { messageId: 'm', attempts: 2 }))).toEqual([
    crash,
    'duplicate: the attempt before had its effect, and crashed then',
  ]);
});

test('a crash after another delivery has applied the message had no effect', () =>
  expect(attemptsOf(line('applied', { messageId: 'm' }), line('duplicate', { messageId: 'n', attempts: 2 }))).toEqual([
    'applied',
    'crashed: no line says its end: it crashed, or its time was over',
    'duplicate: it was sent to the queue once more',
  ]));

test('a fault that passes is shown with its error', () =>
  expect(
    attemptsOf(
      line('retrying', { messageId: 'm', attempts: 1, name: 'Busy', text: 'throttled' }),
      line('failed', { messageId: 'm', attempts: 2, name: 'OutOfStock' }),
    ),
  ).toEqual(['postponed: Busy: throttled', 'refused: OutOfStock']));

test('a delivery that waits in a lane is postponed; once the lane has applied it, others were duplicates', () => {
  const waiting = line('stored for the lane', { messageId: 'm' });
  expect(attemptsOf(waiting)).toEqual(['postponed: it waits in its lane']);
  expect(attemptsOf(waiting, line('stored for the lane', { messageId: 'n' }), line('applied'))).toEqual([
    'applied',
    'duplicate: it was sent to the queue once more',
  ]);
});

test('an inbox has stored a message, and knows what comes again; it is applied once its record says so', () => {
  const lines = [line('stored', { messageId: 'm' }), line('known', { messageId: 'n' })];
  const [attempts = []] = findAttempts(lines.flatMap((one) => parseAttemptLine(one) ?? [])).values();
  const described = (some: readonly Attempt[]) => some.map((one) => describeAttempt(one, () => 'then'));
  const again = 'duplicate: nothing changed  then  (it was sent to the queue once more)';
  expect(described(attempts)).toEqual(['stored  then  (its inbox processes it later)', again]);
  expect(describeAttempts(countAttempts([attempts]), 0)).toBe(
    'delivered 2 times: applied 0, duplicates 1, crashed 0, stored 1; done twice 0',
  );
  const settled = settleStored(attempts);
  expect(described(settled)).toEqual(['applied  then', again]);
  expect(describeAttempts(countAttempts([settled]), 0)).toBe(
    'delivered 2 times: applied 1, duplicates 1, crashed 0; done twice 0',
  );
});

test('the runners of an inbox say what became of a stored message, with their retries and crashes', () => {
  const stored = line('stored', { messageId: 'm' });
  const again = line('known', { messageId: 'n' });
  const retrying = line('retrying', { record: 'stock#e', attempts: 1, name: 'Busy' });
  const applied = line('applied', { attempts: 3 });
  expect(attemptsOf(stored, again, retrying, applied)).toEqual([
    'duplicate: it was sent to the queue once more',
    'postponed: Busy',
    'crashed: no line says its end: it crashed, or its time was over',
    'applied',
  ]);
});

test('a message that an operator has sent again, after its runners gave up, waits for a runner', () => {
  const stored = line('stored', { messageId: 'm' });
  const failed = line('failed', { record: 'stock#e', attempts: 1, name: 'Busy' });
  expect(attemptsOf(stored, failed, line('stored', { messageId: 'n' }))).toEqual([
    'refused: Busy',
    'postponed: its inbox processes it later',
  ]);
});

test('a duplicate without an earlier line was applied before', () =>
  expect(attemptsOf(line('duplicate', { messageId: 'm' }))).toEqual([
    'duplicate: it was applied before the time that is looked at',
  ]));

test('lines about anything else, and lines that were cut off, are no attempts', () =>
  expect(
    ['plain', '{"message":"saga","consumer":"stock","eventId":"e"}', '{"message":"app'].flatMap(parseAttemptLine),
  ).toEqual([undefined, undefined, undefined]));

test('the sum counts each delivery once', () => {
  const attempts = findAttempts(
    [
      line('applied', { messageId: 'm', attempts: 2 }),
      line('duplicate', { messageId: 'm', attempts: 3 }),
      line('retrying', { eventId: 'other', messageId: 'o' }),
    ].flatMap((one) => parseAttemptLine(one) ?? []),
  );
  const counts = countAttempts(attempts.values());
  expect(describeAttempts(counts, 0)).toBe(
    'delivered 4 times: applied 1, duplicates 1, crashed 1, postponed 1; done twice 0',
  );
});
